/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_stream: any lines as streams of hostile machines. What merge makes of them is printed as text; it holds no
 * character that a terminal acts on. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "stream/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define HEAD "{\"s\":\"a\",\"n\":"
/* A whole session, from which mutations begin. */
/* clang-format off */
static const char session[] = HEAD
	"0,\"f\":\"hello\",\"v\":1,\"host\":\"web\",\"clock\":{\"wall\":1,\"mono\":1},\"hash\":\"h\",\"script\":\"\","
	"\"options\":[\"quiet=0\",\"aggsortrev=1\",\"rows=json\"]}\n" HEAD
	"1,\"f\":\"agg\",\"agg\":0,\"name\":\"a\",\"fn\":\"quantize\",\"keys\":[{\"type\":\"string\"},{\"type\":"
	"\"stack\"}]}\n" HEAD "2,\"f\":\"agg\",\"agg\":1,\"name\":\"l\",\"fn\":\"llquantize\",\"factor\":10,\"from\":0,"
			      "\"to\":3,\"steps\":10,\"keys\":[]}\n" HEAD
	"3,\"f\":\"clause\",\"clause\":0,\"probe\":{\"id\":1,\"provider\":\"dtrace\",\"module\":\"\",\"function\":\"\","
	"\"name\":\"BEGIN\"},"
	"\"quiet\":false,\"step\":true,\"actions\":[{\"action\":\"printf\",\"format\":\"%-5s %d "
	"%Y\\n\",\"columns\":[{\"type\":\"string\"},"
	"{\"type\":\"int\",\"size\":8,\"signed\":true},{\"type\":\"int\",\"size\":8,\"signed\":true}]},"
	"{\"action\":\"printa\",\"aggs\":[0,1],\"format\":\"%@d "
	"%s\\n\",\"columns\":[]},{\"action\":\"trunc\",\"aggs\":[0],\"columns\":[]},"
	"{\"action\":\"tracemem\",\"columns\":[{\"type\":\"bytes\"}]}]}\n" HEAD
	"4,\"f\":\"state\",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[\"x\",{\"frames\":[\"a\",\"b\"]}],[[65,3]]]]}"
	"\n" HEAD "5,\"f\":\"row\",\"clause\":0,\"t\":9,\"cpu\":0,\"step\":0,\"out\":[[0,{\"b64\":\"YmFk/"
		  "w==\"},5,7],[1],[2,1],[3,{\"b64\":\"AAAA\"}]]}\n" HEAD
	"6,\"f\":\"clause\",\"clause\":1,\"probe\":{\"id\":2,\"provider\":\"tcp\",\"module\":\"\",\"function\":\"\","
	"\"name\":\"send\"},\"quiet\":true,\"step\":false,\"actions\":[{\"action\":\"printf\",\"format\":\"%d %s\\n\","
	"\"columns\":[{\"type\":\"int\",\"size\":8,\"signed\":true},{\"type\":\"string\"}]},null]}\n" HEAD
	"7,\"f\":\"options\",\"options\":[\"quiet=1\",\"aggsortkey=1\"]}\n" HEAD
	"8,\"f\":\"rows\",\"clause\":1,\"t\":10,\"rows\":[[0,1,[0,5,\"x\"]],"
	"[7,0,[0,\"9007199254740993\",{\"zone\":\"w\"}]],"
	"[9,0]],\"last\":19}\n" HEAD "9,\"f\":\"snapshot\",\"t\":20}\n" HEAD
	"10,\"f\":\"fault\",\"text\":\"a clause\"}\n" HEAD
	"11,\"f\":\"drops\",\"cause\":\"RING\",\"count\":2,\"text\":\"2 drops\"}\n" HEAD
	"12,\"f\":\"state\",\"agg\":0,\"gen\":1,\"part\":0,\"normal\":2,"
	"\"rows\":[[[\"y\",{\"frames\":[]}],[[66,1]]]]}\n" HEAD
	"13,\"f\":\"beat\",\"t\":30}\n" HEAD
	"14,\"f\":\"row\",\"clause\":0,\"t\":31,\"cpu\":0,\"step\":1,\"out\":[[0,\"z\",1,2]],\"more\":true}\n" HEAD
	"15,\"f\":\"row\",\"clause\":0,\"t\":31,\"cpu\":0,\"step\":1,\"out\":[[1]]}\n" HEAD
	"16,\"f\":\"rest\",\"aggs\":[1]}\n" HEAD "17,\"f\":\"end\",\"status\":0}\n";
/* clang-format on */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (seed % 16 == 0 && sizeof(session) - 1 < max) {
		size = sizeof(session) - 1;
		memcpy(data, session, size);
	}
	return LLVMFuzzerMutate(data, size, max);
}

/* What it writes as a stream is one: frames of one session, numbered from 0 without a gap. */
static void check_stream(const char *text, size_t len)
{
	json_int_t next = 0;

	for (const char *p = text, *end; p < text + len; p = end + 1) {
		json_t *frame;

		end = memchr(p, '\n', (size_t)(text + len - p));
		frame = end ? json_loadb(p, (size_t)(end - p), JSON_ALLOW_NUL, NULL) : NULL;
		if (!frame || json_integer_value(json_object_get(frame, "n")) != next++ ||
			!json_string_value(json_object_get(frame, "f")))
			abort();
		json_decref(frame);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	const struct reporter nobody = { .fn = NULL };
	const unsigned how = size ? data[size - 1] : 0;
	const struct merge_to to = {
		.out = out, .report = &nobody, .by_host = how & 1, .emit = how & 2, .all = how & 4
	};
	struct merge *m = out ? merge_new(&to) : NULL;
	int fd = memfd_create("stream", 0), status, r = 1;

	if (!m || fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) ||
		merge_add(m, "fuzz", fd))
		abort();
	if (how & 4)
		merge_expect(m, "a");
	while (r > 0)
		r = merge_poll(m, 0);
	if (!r)
		(void)!merge_end(m, &status);
	merge_free(m);
	fclose(out);
	if (to.emit)
		check_stream(text, len);
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' && !strchr("\n\t\r", text[i])) || text[i] == 0x7f)
			abort();
	free(text);
	return 0;
}
