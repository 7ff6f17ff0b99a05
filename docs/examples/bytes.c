/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes: what each process sends by TCP and UDP, once a second, until ^C.
 * cc bytes.c -o bytes $(pkg-config --cflags --libs libdwire) */
#include <dwire.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const char program[] = "tcp:::send { @bytes[args[1]->cs_execname, args[1]->cs_pid] = sum(args[2]->ip_plength); }"
			      "udp:::send { @bytes[args[1]->cs_execname, args[1]->cs_pid] = sum(args[2]->ip_plength); }"
			      "tick-1s { printa(@bytes); trunc(@bytes); }";

static struct dwire *d;

static void stop(int sig)
{
	(void)sig;
	dwire_stop(d);
}

static void show_message(void *ctx, const struct dwire_message *m)
{
	(void)ctx;
	dwire_print_message(m, "bytes", stderr);
}

static int show_row(void *ctx, const struct dwire_row *r)
{
	(void)ctx;
	printf("%-16s %8" PRId64 " %12" PRId64 "\n", r->keys[0].text, r->keys[1].number, r->value);
	return r->index + 1 < r->count ? 0 : fflush(stdout);
}

int main(void)
{
	const struct dwire_handlers handlers = { .size = sizeof(handlers), .row = show_row };
	int status = 0, r = dwire_new(&d);

	if (r) {
		fprintf(stderr, "bytes: %s\n", strerror(-r));
		return 1;
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	dwire_on_message(d, show_message, NULL);
	dwire_on_data(d, &handlers, NULL);
	r = dwire_add(d, DWIRE_SCRIPT, "bytes", program, strlen(program));
	if (!r)
		r = dwire_compile(d);
	if (!r)
		r = dwire_start(d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	if (!r)
		r = dwire_end(d, &status);
	dwire_free(d);
	return r ? 1 : status;
}
