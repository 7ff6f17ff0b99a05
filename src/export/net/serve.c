/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve: see serve.h. Input: requests, perhaps of hostile clients. Output: metrics.
 * Invariants: nothing waits for a client; connections are bounded in number and time. */
#include "export/net/serve.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "export/openmetrics.h"

#define CONNECTIONS_MAX 64u
#define TIMEOUT_S 10u
#define OPENMETRICS "application/openmetrics-text"

struct server {
	struct MHD_Daemon *daemon;
	struct serve_what what;
	char *text; /* of the last answer; owned */
	size_t len;
	uint64_t version; /* of the model then */
	bool openmetrics;
};

/* ---- answers ----------------------------------------------------------------------------------------------------- */
/* Writes the metrics anew if they have changed since the last answer. */
static int render(struct server *s, bool openmetrics)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int r;

	if (s->text && s->version == s->what.model->version && s->openmetrics == openmetrics)
		return 0;
	r = series_update(s->what.series, s->what.model);
	out = r ? NULL : open_memstream(&text, &len);
	if (!out)
		return -ENOMEM;
	openmetrics_write(out, s->what.series, s->what.model, openmetrics);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	free(s->text);
	s->text = text;
	s->len = len;
	s->version = s->what.model->version;
	s->openmetrics = openmetrics;
	return 0;
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text, size_t len)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;

	if (r && MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type))
		result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result reply_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	return reply(c, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result reply_metrics(struct server *s, struct MHD_Connection *c)
{
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool openmetrics = accept && strstr(accept, OPENMETRICS);

	if (render(s, openmetrics))
		return reply_text(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "not enough memory\n");
	return reply(c, MHD_HTTP_OK,
		openmetrics ? OPENMETRICS "; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8",
		s->text, s->len);
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
	const char *version, const char *body, size_t *body_len, void **state)
{
	(void)version;
	(void)body;
	(void)state;
	if (*body_len) {
		*body_len = 0; /* what a client sends is of no interest */
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return reply_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
	if (!strcmp(url, "/metrics"))
		return reply_metrics(ctx, c);
	return reply_text(c, strcmp(url, "/") ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK, "dwire-export: see /metrics\n");
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* The first address that the text stands for. False after a message. */
static bool resolve(const char *where, struct sockaddr_storage *out, FILE *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	const char *colon = strrchr(where, ':');
	char *host = strndup(where, colon ? (size_t)(colon - where) : 0);
	const char *port = colon ? colon + 1 : where;
	size_t n = host ? strlen(host) : 0;
	struct addrinfo *list = NULL;
	int r;

	if (n >= 2 && *host == '[' && host[n - 1] == ']') {
		memmove(host, host + 1, n - 2);
		host[n - 2] = '\0';
	}
	r = host ? getaddrinfo(*host ? host : "localhost", port, &hints, &list) : EAI_MEMORY;
	if (r)
		fprintf(err, "dwire-export: cannot listen at %s: %s\n", where, gai_strerror(r));
	else
		memcpy(out, list->ai_addr, list->ai_addrlen);
	if (!r)
		freeaddrinfo(list);
	free(host);
	return !r;
}

struct server *serve_open(const char *where, const struct serve_what *what, FILE *err)
{
	struct sockaddr_storage address;
	struct server *s = calloc(1, sizeof(*s));
	unsigned flags = MHD_USE_EPOLL;

	if (!s || !resolve(where, &address, err)) {
		free(s);
		return NULL;
	}
	s->what = *what;
	if (address.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	errno = 0;
	s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
		MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
	if (s->daemon)
		return s;
	fprintf(err, "dwire-export: cannot listen at %s: %s\n", where, strerror(errno));
	free(s);
	return NULL;
}

int serve_fd(const struct server *s)
{
	return MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int serve_timeout(const struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (!MHD_get_timeout(s->daemon, &ms))
		return -1;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

void serve_run(struct server *s)
{
	MHD_run(s->daemon);
}

void serve_close(struct server *s)
{
	if (!s)
		return;
	MHD_stop_daemon(s->daemon);
	free(s->text);
	free(s);
}
