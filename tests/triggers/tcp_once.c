/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accepts one connection at the address, reads a line, answers with it, and closes.  Output: the bytes.
 */
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  ADDRESS  numeric\nPrints: bytes\n";

int main(int argc, char **argv)
{
	struct trig t;
	struct trig_addr a;
	char line[100];
	int c, l, s;
	ssize_t n;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	if (optind + 1 != argc)
		trig_usage(&t);
	trig_start(&t);
	a = trig_address(argv[optind], t.port);
	l = trig_listen(&a, 1);
	s = trig_accept(l);
	n = recv(s, line, sizeof(line), 0);
	if (n <= 0)
		trig_die("no line");
	trig_send(s, line, (size_t)n);
	close(s);
	trig_kv("bytes", "%zd", n);
	return 0;
}
