/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_export: any lines as streams of hostile machines. What dwire-export makes of them is well-formed: no control
 * character but line feeds, and each line has the form of a metric or comment. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/logs.h"
#include "export/openmetrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define HEAD "{\"s\":\"a\",\"n\":"
/* A whole session, from which mutations begin. */
static const char session[] = HEAD
	"0,\"f\":\"hello\",\"v\":1,\"host\":\"web\",\"clock\":{\"wall\":1,\"mono\":1},\"hash\":\"h\"}\n" HEAD
	"1,\"f\":\"agg\",\"agg\":0,\"name\":\"a\",\"fn\":\"quantize\",\"keys\":[{\"type\":\"string\"},"
	"{\"name\":\"le\",\"type\":\"stack\"}]}\n" HEAD
	"2,\"f\":\"agg\",\"agg\":1,\"name\":\"l\",\"fn\":\"llquantize\",\"factor\":10,\"from\":0,\"to\":3,"
	"\"steps\":10,\"keys\":[]}\n" HEAD "3,\"f\":\"agg\",\"agg\":2,\"name\":\"s\",\"fn\":\"sum\",\"keys\":[]}\n" HEAD
	"4,\"f\":\"clause\",\"clause\":0,\"probe\":{\"provider\":\"tcp\",\"name\":\"send\"},\"actions\":[{\"action\":"
	"\"printf\",\"format\":\"%-5s "
	"%d\\n\",\"columns\":[{\"type\":\"string\"},{\"type\":\"int\",\"size\":8}]}]}\n" HEAD
	"5,\"f\":\"state\",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[\"x\",{\"frames\":[\"a\",\"b\"]}],[[65,3]]]]}"
	"\n" HEAD "6,\"f\":\"state\",\"agg\":1,\"gen\":0,\"rows\":[[[],[[2,3]]]]}\n" HEAD
	"7,\"f\":\"state\",\"agg\":2,\"gen\":1,\"rows\":[[[],-3]]}\n" HEAD
	"8,\"f\":\"row\",\"clause\":0,\"t\":9,\"out\":[[0,{\"b64\":\"YmFk/w==\"},5]]}\n" HEAD
	"9,\"f\":\"drops\",\"cause\":\"RING\",\"count\":2}\n" HEAD
	"10,\"f\":\"rows\",\"clause\":0,\"t\":10,\"rows\":[[0,1,[0,\"x\",5]],[7,0,[0,{\"zone\":\"w\"},"
	"\"9007199254740993\"]],"
	"[9,0]],\"last\":19}\n" HEAD "11,\"f\":\"snapshot\",\"t\":20}\n" HEAD
	"12,\"f\":\"fault\",\"text\":\"a clause\"}\n" HEAD "13,\"f\":\"options\",\"options\":[\"quiet=1\"]}\n" HEAD
	"14,\"f\":\"beat\",\"t\":30}\n" HEAD "15,\"f\":\"rest\",\"aggs\":[1]}\n" HEAD
	"16,\"f\":\"end\",\"status\":0}\n";

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (seed % 16 == 0 && sizeof(session) - 1 < max) {
		size = sizeof(session) - 1;
		memcpy(data, session, size);
	}
	return LLVMFuzzerMutate(data, size, max);
}

static void check(const char *text, size_t len)
{
	for (const char *p = text, *end; p < text + len; p = end + 1) {
		end = memchr(p, '\n', (size_t)(text + len - p));
		if (!end || (strncmp(p, "dwire_", 6) != 0 && *p != '#'))
			abort();
		for (const char *c = p; c < end; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct logs logs;
	struct model m = { .row = logs_take, .ctx = &logs };
	struct all_series a;
	const char *from = (const char *)data, *end = from + size;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	logs_init(&logs);
	series_init(&a, 4);
	while (from < end) {
		const char *feed = memchr(from, '\n', (size_t)(end - from));
		size_t n = (size_t)((feed ? feed : end) - from);

		model_line(&m, from, n);
		from += n + 1;
	}
	if (series_update(&a, &m))
		abort();
	openmetrics_write(out, &a, &m, true);
	fclose(out);
	check(text, len);
	free(text);
	series_free(&a);
	logs_free(&logs);
	model_free(&m);
	return 0;
}
