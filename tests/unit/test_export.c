/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_export: what dwire-export makes of streams: the text of the metrics, and the records of rows. */
#include "export/logs.h"
#include "export/openmetrics.h"
#include "unit.h"

#define SESSION "{\"s\":\"a1\",\"n\":"
#define HELLO                                                                                                   \
	SESSION                                                                                                 \
	"0,\"f\":\"hello\",\"v\":1,\"dwire\":\"1\",\"host\":\"web\",\"kernel\":\"6\",\"clock\":{\"wall\":1000," \
	"\"mono\":400},\"hash\":\"h\",\"script\":\"\",\"options\":[]}"

static void feed(struct model *m, const char *const *lines)
{
	for (; *lines; lines++)
		model_line(m, *lines, strlen(*lines));
}

/* The metrics of the aggregations, without the lines about the trace; free() it. */
static char *metrics(struct model *m, struct all_series *a)
{
	char *text = NULL, *end;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	EXPECT_INT(series_update(a, m), 0);
	openmetrics_write(out, a, m, true);
	fclose(out);
	EXPECT(strstr(text, "# EOF\n") == text + len - 6);
	end = strstr(text, "# TYPE dwire_trace_up");
	if (end)
		*end = '\0';
	return text;
}

static void expect_metrics(const char *const *lines, size_t max, const char *want)
{
	struct model m = { 0 };
	struct all_series a;
	char *got;

	series_init(&a, max);
	feed(&m, lines);
	got = metrics(&m, &a);
	EXPECT_STR(got, want);
	free(got);
	series_free(&a);
	model_free(&m);
}

/* Each function is the metric that has its meaning, with no number that the state does not have. */
static void test_functions(void)
{
	static const char *const lines[] = { HELLO,
		SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"c\",\"fn\":\"count\",\"keys\":[]}",
		SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],\"18446744073709551615\"]]}",
		SESSION "3,\"f\":\"agg\",\"agg\":1,\"name\":\"least\",\"fn\":\"min\",\"keys\":[{\"type\":\"string\"}]}",
		SESSION "4,\"f\":\"state\",\"agg\":1,\"gen\":0,\"rows\":[[[\"x\"],-5],[[\"none\"],null]]}",
		SESSION "5,\"f\":\"agg\",\"agg\":2,\"name\":\"mean\",\"fn\":\"avg\",\"keys\":[]}",
		SESSION "6,\"f\":\"state\",\"agg\":2,\"gen\":0,\"rows\":[[[],[3,-7]]]}",
		SESSION "7,\"f\":\"agg\",\"agg\":3,\"name\":\"spread\",\"fn\":\"stddev\",\"keys\":[]}",
		SESSION "8,\"f\":\"state\",\"agg\":3,\"gen\":0,\"rows\":[[[],[2,0,\"36893488147419103232\"]]]}", NULL };

	expect_metrics(lines, 10,
		"# TYPE dwire_c counter\n# HELP dwire_c count() of a D aggregation.\n"
		"dwire_c_total{host=\"web\"} 18446744073709551615\n"
		"# TYPE dwire_least gauge\n# HELP dwire_least min() of a D aggregation.\n"
		"dwire_least{host=\"web\",key1=\"x\"} -5\n"
		"# TYPE dwire_mean summary\n# HELP dwire_mean avg() of a D aggregation.\n"
		"dwire_mean_count{host=\"web\"} 3\ndwire_mean_sum{host=\"web\"} -7\n"
		"# TYPE dwire_spread summary\n# HELP dwire_spread stddev() of a D aggregation.\n"
		"dwire_spread_count{host=\"web\"} 2\ndwire_spread_sum{host=\"web\"} 0\n"
		"# TYPE dwire_spread_squares counter\n# HELP dwire_spread_squares The sum of the squares.\n"
		"dwire_spread_squares_total{host=\"web\"} 3.6893488147419103e+19\n");
}

/* A bound is the greatest value of its bucket: quantize's 4 counts 4 to 7, its -4 counts -7 to -4. */
static void test_buckets(void)
{
	static const char *const lines[] = { HELLO,
		SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"q\",\"fn\":\"quantize\",\"keys\":[]}",
		SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],[[60,1],[63,2],[66,4]]]]}",
		SESSION "3,\"f\":\"agg\",\"agg\":1,\"name\":\"l\",\"fn\":\"lquantize\",\"base\":0,\"limit\":20,"
			"\"step\":10,\"keys\":[]}",
		SESSION "4,\"f\":\"state\",\"agg\":1,\"gen\":0,\"rows\":[[[],[[0,1],[2,1],[3,5]]]]}", NULL };

	expect_metrics(lines, 10,
		"# TYPE dwire_q histogram\n# HELP dwire_q quantize() of a D aggregation.\n"
		"dwire_q_bucket{host=\"web\",le=\"-4.0\"} 1\ndwire_q_bucket{host=\"web\",le=\"-2.0\"} 1\n"
		"dwire_q_bucket{host=\"web\",le=\"-1.0\"} 1\ndwire_q_bucket{host=\"web\",le=\"0.0\"} 3\n"
		"dwire_q_bucket{host=\"web\",le=\"1.0\"} 3\ndwire_q_bucket{host=\"web\",le=\"3.0\"} 3\n"
		"dwire_q_bucket{host=\"web\",le=\"7.0\"} 7\ndwire_q_bucket{host=\"web\",le=\"+Inf\"} 7\n"
		"# TYPE dwire_l histogram\n# HELP dwire_l lquantize() of a D aggregation.\n"
		"dwire_l_bucket{host=\"web\",le=\"-1.0\"} 1\ndwire_l_bucket{host=\"web\",le=\"9.0\"} 1\n"
		"dwire_l_bucket{host=\"web\",le=\"19.0\"} 2\ndwire_l_bucket{host=\"web\",le=\"+Inf\"} 7\n");
}

#define KEYED                                                                                                      \
	SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"c\",\"fn\":\"count\",\"keys\":[{\"name\":\"comm\",\"type\":" \
		"\"string\"},{\"name\":\"cs_pid\",\"type\":\"int\",\"size\":4,\"signed\":true}]}"

/* Processes are no labels; beyond the bound keys are added up in one series. */
static void test_series(void)
{
	static const char *const lines[] = { HELLO, KEYED,
		SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[\"a\",1],1],[[\"a\",2],2],[[\"b\",3],4],"
			"[[\"c\",4],8],[[\"c\",5],16]]}",
		NULL };

	expect_metrics(lines, 10,
		"# TYPE dwire_c counter\n# HELP dwire_c count() of a D aggregation.\n"
		"dwire_c_total{host=\"web\",comm=\"c\"} 24\ndwire_c_total{host=\"web\",comm=\"b\"} 4\n"
		"dwire_c_total{host=\"web\",comm=\"a\"} 3\n");
	expect_metrics(lines, 2,
		"# TYPE dwire_c counter\n# HELP dwire_c count() of a D aggregation.\n"
		"dwire_c_total{host=\"web\",comm=\"b\"} 4\ndwire_c_total{host=\"web\",comm=\"a\"} 3\n"
		"dwire_c_total{host=\"web\",otel_metric_overflow=\"true\"} 24\n");
}

/* clear() begins a series anew; a whole state counts when all of its parts are there; what comes twice or late does not
 * count. */
static void test_generations(void)
{
	static const char *const first[] = { HELLO, KEYED,
		SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[\"a\",1],5],[[\"b\",1],6]]}",
		SESSION "4,\"f\":\"state\",\"agg\":0,\"gen\":1,\"part\":0,\"rows\":[[[\"a\",1],1]]}", NULL };
	static const char *const second[] = { SESSION
		"5,\"f\":\"state\",\"agg\":0,\"gen\":1,\"part\":1,\"rows\":[[[\"c\",1],2]]}",
		SESSION "6,\"f\":\"beat\",\"t\":900}",
		SESSION "3,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[\"a\",1],500]]}",
		SESSION "5,\"f\":\"state\",\"agg\":0,\"gen\":1,\"part\":1,\"rows\":[[[\"c\",1],2]]}", NULL };
	struct model m = { 0 };
	struct all_series a;
	char *got;

	series_init(&a, 10);
	feed(&m, first);
	got = metrics(&m, &a);
	EXPECT(strstr(got, "{host=\"web\",comm=\"a\"} 5\n"));
	EXPECT_INT(a.families->series->start, 1000);
	free(got);
	feed(&m, second);
	got = metrics(&m, &a);
	EXPECT(strstr(got, "{host=\"web\",comm=\"a\"} 1\n"));
	EXPECT(strstr(got, "{host=\"web\",comm=\"c\"} 2\n"));
	EXPECT(!strstr(got, "comm=\"b\""));
	EXPECT(a.families->series->start > 1000);
	EXPECT_INT(m.traces->lost, 1);
	free(got);
	series_free(&a);
	model_free(&m);
}

/* A sum that falls is no counter. */
static void test_falling(void)
{
	static const char *const lines[] = { HELLO,
		SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"open\",\"fn\":\"sum\",\"keys\":[]}",
		SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],5]]}",
		SESSION "3,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],4]]}", NULL };

	expect_metrics(lines, 10,
		"# TYPE dwire_open gauge\n# HELP dwire_open sum() of a D aggregation.\ndwire_open{host=\"web\"} 4\n");
}

/* What strangers send is refused or made harmless, and counted. */
static void test_hostile(void)
{
	static const char *const lines[] = { "no frame", "{\"s\":\"b\",\"n\":1,\"f\":\"beat\",\"t\":1}", HELLO,
		SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"x\\ny\",\"fn\":\"count\",\"keys\":[{\"name\":\"le\","
			"\"type\":\"string\"}]}",
		SESSION
		"2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[\"a\\\"\\\\\\u001b\\u0000\\n\"],1],[[],1],5]}",
		SESSION "3,\"f\":\"state\",\"agg\":9,\"gen\":0,\"rows\":[]}",
		SESSION "4,\"f\":\"drops\",\"cause\":\"RING\",\"count\":7,\"text\":\"\"}",
		"{\"s\":\"..\",\"n\":0,\"f\":\"hello\",\"v\":1,\"host\":\"web\",\"clock\":{}}",
		"{\"s\":\"c\",\"n\":0,\"f\":\"hello\",\"v\":2,\"host\":\"web\",\"clock\":{}}", NULL };
	struct model m = { 0 };
	struct all_series a;
	char *got;

	series_init(&a, 10);
	feed(&m, lines);
	got = metrics(&m, &a);
	EXPECT_STR(got,
		"# TYPE dwire_x_x0ay counter\n# HELP dwire_x_x0ay count() of a D aggregation.\n"
		"dwire_x_x0ay_total{host=\"web\",key_le=\"a\\\"\\\\\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"} 1\n");
	EXPECT_INT(m.strange, 1);
	EXPECT_INT(m.unknown, 3);
	EXPECT_INT(m.traces->bad, 2);
	EXPECT_INT(m.traces->causes[0].n, 7);
	free(got);
	series_free(&a);
	model_free(&m);
}

/* A row is the text that the script prints, with its values. */
static void test_rows(void)
{
	static const char *const lines[] = { HELLO,
		SESSION "1,\"f\":\"clause\",\"clause\":3,\"probe\":{\"id\":1,\"provider\":\"tcp\",\"module\":\"\","
			"\"function\":\"\",\"name\":\"send\"},\"quiet\":false,\"step\":false,\"actions\":[null,"
			"{\"action\":\"printf\",\"format\":\"%5d to %s\\n\",\"columns\":[{\"type\":\"int\",\"size\":4,"
			"\"signed\":true},{\"name\":\"ip_daddr\",\"type\":\"string\"}]}]}",
		SESSION "2,\"f\":\"row\",\"clause\":3,\"t\":500,\"cpu\":0,\"out\":[[1,-7,\"::1\"]]}", NULL };
	struct logs logs;
	struct model m = { .row = logs_take, .ctx = &logs };

	logs_init(&logs);
	feed(&m, lines);
	EXPECT_INT(logs.n, 1);
	EXPECT_STR(logs.first->body, "   -7 to ::1");
	EXPECT_STR(logs.first->probe, "tcp:::send");
	EXPECT_INT(logs.first->time, 1100);
	EXPECT_STR(logs.first->values[1].name, "ip_daddr");
	EXPECT_STR(logs.first->values[0].value, "-7");
	logs_free(&logs);
	EXPECT_INT(logs.bytes, 0);
	model_free(&m);
}

/* The name before a line is the machine's; another name cannot speak for it, nor can text after the name. */
static void test_names(void)
{
	static const char *const lines[] = { "web1: " HELLO,
		"web1: " SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"c\",\"fn\":\"count\",\"keys\":[]}",
		"web1: " SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],5]]}",
		"web2: " SESSION "3,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],6]]}",
		SESSION "4,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],7]]}",
		"web2: web1: " SESSION "5,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],8]]}", NULL };
	struct model m = { 0 };

	expect_metrics(lines, 10,
		"# TYPE dwire_c counter\n# HELP dwire_c count() of a D aggregation.\n"
		"dwire_c_total{host=\"web1\"} 5\n");
	feed(&m, lines);
	EXPECT_INT(m.unknown, 2);
	EXPECT_INT(m.strange, 1);
	model_free(&m);
}

/* A machine that uses the number of another's session, or has sessions without end, takes nothing away from others. */
static void test_crowd(void)
{
	static const char *const lines[] = { "web1: " HELLO,
		"web1: " SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"c\",\"fn\":\"count\",\"keys\":[]}",
		"web1: " SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],9]]}", "web2: " HELLO,
		"web2: " SESSION "1,\"f\":\"agg\",\"agg\":0,\"name\":\"c\",\"fn\":\"count\",\"keys\":[]}",
		"web2: " SESSION "2,\"f\":\"state\",\"agg\":0,\"gen\":0,\"rows\":[[[],5]]}", NULL };
	struct model m = { 0 };

	expect_metrics(lines, 10,
		"# TYPE dwire_c counter\n# HELP dwire_c count() of a D aggregation.\n"
		"dwire_c_total{host=\"web1\"} 9\ndwire_c_total{host=\"web2\"} 5\n");
	for (int i = 0; i < 3000; i++) {
		char line[200];
		int n = snprintf(line, sizeof(line), "crowd: {\"s\":\"%x\",\"n\":0,\"f\":\"hello\",\"v\":1}", i + 1);

		model_line(&m, line, (size_t)n);
	}
	EXPECT_INT(m.unknown, 3000 - 16);
	feed(&m, lines);
	EXPECT_INT(m.ntraces, 16 + 2);
	EXPECT_INT(m.unknown, 3000 - 16);
	model_free(&m);
}

int main(void)
{
	test_names();
	test_crowd();
	test_functions();
	test_buckets();
	test_series();
	test_generations();
	test_falling();
	test_hostile();
	test_rows();
	return unit_end();
}
