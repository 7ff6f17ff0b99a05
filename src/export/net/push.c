/* SPDX-License-Identifier: GPL-2.0-or-later */
/* push: see push.h. Two transfers at most are under way: one of metrics, one of rows.
 * Invariant: a collector that is slow, away or hostile costs bounded memory, and never the trace. */
#include "export/net/push.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "export/logs.h"
#include "export/net/otlp.h"

#define BATCH 512u      /* rows of a request */
#define GATHER_MS 1000u /* so long rows wait for others */
#define RETRY_MS 1000u  /* before the second try; it doubles */
#define RETRY_MAX_MS 60000u
#define TIMEOUT_MS 10000L
#define LAST_MS 5000u /* so long the last transfers may take */

/* What is sent to one path. */
struct lane {
	CURL *easy;
	char *url;      /* owned */
	uint8_t *body;  /* owned; NULL: nothing is under way */
	size_t rows;    /* in the body */
	uint64_t after; /* not before; CLOCK_MONOTONIC, ns */
	uint64_t wait_ms;
	bool failing; /* it was reported */
};

struct pusher {
	struct push_to to;
	struct all_series *series;
	struct model *model;
	struct logs logs;
	struct curl_slist *headers;
	CURLM *multi;
	struct lane metrics, rows;
	uint64_t reported; /* of logs.lost */
};

/* ---- transfers --------------------------------------------------------------------------------------------------- */
/* What the collector answers is of no interest. */
static size_t ignore(char *data, size_t size, size_t n, void *ctx)
{
	(void)data;
	(void)ctx;
	return size * n;
}

static void start(struct pusher *p, struct lane *l, uint8_t *body, size_t len)
{
	if (!body)
		return;
	l->body = body;
	curl_easy_setopt(l->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	curl_easy_setopt(l->easy, CURLOPT_POSTFIELDS, (char *)body);
	curl_multi_add_handle(p->multi, l->easy);
}

static void try_later(struct pusher *p, struct lane *l, const char *why)
{
	if (!l->failing)
		fprintf(p->to.err, "dwire-export: %s: %s; trying again\n", l->url, why);
	l->failing = true;
	l->wait_ms = l->wait_ms ? l->wait_ms * 2 : RETRY_MS;
	if (l->wait_ms > RETRY_MAX_MS)
		l->wait_ms = RETRY_MAX_MS;
	l->after = clock_now() + l->wait_ms * 1000000;
}

/* Answers that the protocol wants to be tried again. */
static bool is_passing(long status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

static void finish(struct pusher *p, struct lane *l, CURLcode code)
{
	long status = 0;
	curl_off_t after = 0;
	char why[64];

	curl_easy_getinfo(l->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(l->easy, CURLINFO_RETRY_AFTER, &after);
	curl_multi_remove_handle(p->multi, l->easy);
	free(l->body);
	l->body = NULL;
	snprintf(why, sizeof(why), "HTTP status %ld", status);
	if (code || is_passing(status)) {
		try_later(p, l, code ? curl_easy_strerror(code) : why);
		if (after > 0 && after < 3600)
			l->after = clock_now() + (uint64_t)after * 1000000000u;
		return;
	}
	if (status / 100 != 2) {
		fprintf(p->to.err, "dwire-export: %s: %s; %zu rows are lost\n", l->url, why, l->rows);
		p->logs.lost += l->rows;
	} else if (l->failing)
		fprintf(p->to.err, "dwire-export: %s: delivered again\n", l->url);
	l->failing = status / 100 != 2;
	logs_remove(&p->logs, l->rows);
	l->wait_ms = 0;
	if (l == &p->rows)
		l->after = p->logs.n < BATCH ? clock_now() + GATHER_MS * 1000000ull : 0;
}

static void finish_all(struct pusher *p)
{
	int running, left;
	CURLMsg *msg;

	curl_multi_perform(p->multi, &running);
	while ((msg = curl_multi_info_read(p->multi, &left)))
		if (msg->msg == CURLMSG_DONE)
			finish(p, msg->easy_handle == p->metrics.easy ? &p->metrics : &p->rows, msg->data.result);
}

static void start_metrics(struct pusher *p, uint64_t now)
{
	size_t len = 0;
	uint8_t *body;

	p->metrics.after = now + p->to.interval_s * 1000000000u;
	if (!p->model->ntraces || series_update(p->series, p->model))
		return;
	body = otlp_metrics(p->series, p->model, clock_wall(), &len);
	start(p, &p->metrics, body, len);
}

static void start_rows(struct pusher *p)
{
	size_t n = BATCH, len = 0;
	uint8_t *body = otlp_logs(&p->logs, &n, &len);

	p->rows.rows = n;
	start(p, &p->rows, body, len);
}

static void report_lost(struct pusher *p)
{
	if (p->logs.lost == p->reported)
		return;
	fprintf(p->to.err, "dwire-export: %llu rows were not sent: the collector did not take them\n",
		(unsigned long long)(p->logs.lost - p->reported));
	p->reported = p->logs.lost;
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */
static bool lane_open(const struct pusher *p, struct lane *l, const char *path)
{
	size_t n = strlen(p->to.url);

	while (n && p->to.url[n - 1] == '/')
		n--;
	l->easy = curl_easy_init();
	if (!l->easy || asprintf(&l->url, "%.*s%s", (int)n, p->to.url, path) < 0)
		return false;
	curl_easy_setopt(l->easy, CURLOPT_URL, l->url);
	curl_easy_setopt(l->easy, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(l->easy, CURLOPT_WRITEFUNCTION, ignore);
	curl_easy_setopt(l->easy, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
	curl_easy_setopt(l->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(l->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	return true;
}

struct pusher *push_open(const struct push_to *to, struct all_series *series, struct model *model)
{
	struct pusher *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->to = *to;
	p->series = series;
	p->model = model;
	logs_init(&p->logs);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	p->multi = curl_multi_init();
	p->headers = curl_slist_append(NULL, "Content-Type: application/x-protobuf");
	for (size_t i = 0; to->headers[i]; i++)
		p->headers = curl_slist_append(p->headers, to->headers[i]);
	if (!p->multi || !lane_open(p, &p->metrics, "/v1/metrics") || !lane_open(p, &p->rows, "/v1/logs")) {
		fputs("dwire-export: not enough memory to send metrics\n", to->err);
		push_close(p);
		return NULL;
	}
	p->metrics.after = clock_now() + to->interval_s * 1000000000u;
	model->row = logs_take;
	model->ctx = &p->logs;
	return p;
}

int push_wait(struct pusher *p, struct pollfd *fds, unsigned n, int timeout_ms)
{
	struct curl_waitfd extra[8] = { 0 };
	int ready = 0;

	if (!p)
		return poll(fds, n, timeout_ms);
	for (unsigned i = 0; i < n && i < 8; i++)
		extra[i] = (struct curl_waitfd){ fds[i].fd, CURL_WAIT_POLLIN, 0 };
	while (n && extra[n - 1].fd < 0)
		n--;
	if (curl_multi_poll(p->multi, extra, n, timeout_ms, &ready))
		return -1;
	for (unsigned i = 0; i < n; i++)
		fds[i].revents = extra[i].revents;
	return ready;
}

int push_timeout(const struct pusher *p)
{
	uint64_t now = clock_now(), at = p ? p->metrics.after : 0;
	long ms = -1;

	if (!p)
		return -1;
	curl_multi_timeout(p->multi, &ms);
	if (p->logs.n && p->rows.after < at)
		at = p->rows.after;
	at = at > now ? (at - now) / 1000000 + 1 : 1;
	return ms >= 0 && (uint64_t)ms < at ? (int)ms : (int)at;
}

static void run(struct pusher *p)
{
	uint64_t now = clock_now();

	finish_all(p);
	if (!p->metrics.body && now >= p->metrics.after)
		start_metrics(p, now);
	if (!p->rows.body && p->logs.n && now >= p->rows.after)
		start_rows(p);
	report_lost(p);
}

void push_run(struct pusher *p, bool last)
{
	uint64_t end = clock_now() + LAST_MS * 1000000ull;

	if (!p)
		return;
	run(p);
	if (!last)
		return;
	while (p->metrics.body && clock_now() < end) {
		curl_multi_poll(p->multi, NULL, 0, 100, NULL);
		finish_all(p);
	}
	if (!p->metrics.body) /* the newest state, once more */
		start_metrics(p, clock_now());
	while ((p->metrics.body || p->logs.n) && clock_now() < end && !p->rows.failing && !p->metrics.failing) {
		p->rows.after = 0;
		run(p);
		curl_multi_poll(p->multi, NULL, 0, 100, NULL);
	}
	p->logs.lost += p->logs.n;
	report_lost(p);
}

static void lane_close(struct pusher *p, struct lane *l)
{
	if (l->easy && l->body)
		curl_multi_remove_handle(p->multi, l->easy);
	curl_easy_cleanup(l->easy);
	free(l->url);
	free(l->body);
}

void push_close(struct pusher *p)
{
	if (!p)
		return;
	lane_close(p, &p->metrics);
	lane_close(p, &p->rows);
	curl_multi_cleanup(p->multi);
	curl_slist_free_all(p->headers);
	logs_free(&p->logs);
	free(p);
	curl_global_cleanup();
}
