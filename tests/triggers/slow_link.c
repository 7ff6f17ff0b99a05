/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slow line: a network device (SLIP on a pseudo terminal) that takes one packet in so many milliseconds; what comes
 * faster waits in the device's queue.
 *
 * Input: the milliseconds.  Output: device=NAME, when it is there.  Invariant: a packet is taken from the device only
 * when the one before has had its time, so n packets that are sent at once wait 0, 1, 2, ... times that long.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tty.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "trigger.h"

static int open_line(int *master)
{
	struct termios raw;
	const char *name;
	int slave;

	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*master < 0 || grantpt(*master) || unlockpt(*master) || !(name = ptsname(*master)))
		trig_die("a pseudo terminal");
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		trig_die("open %s", name);
	for (int i = 0; i < 2; i++) {
		int fd = i ? slave : *master;

		if (tcgetattr(fd, &raw))
			trig_die("tcgetattr");
		cfmakeraw(&raw);
		if (tcsetattr(fd, TCSANOW, &raw))
			trig_die("tcsetattr");
	}
	return slave;
}

int main(int argc, char **argv)
{
	static const char usage[] = "  -d MS      a packet takes so long (24)\n";
	struct pollfd p = { .events = POLLIN };
	unsigned int ms = 24;
	int kind = N_SLIP, slave, c;
	char name[64], buf[8192];
	struct trig t;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "d:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c != 'd')
			return 2;
		ms = (unsigned int)trig_number(optarg, 1, 10000);
	}
	trig_start(&t);
	slave = open_line(&p.fd);
	if (ioctl(slave, TIOCSETD, &kind))
		trig_die("TIOCSETD N_SLIP");
	if (ioctl(slave, SIOCGIFNAME, name))
		trig_die("SIOCGIFNAME");
	trig_kv("device", "%s", name);
	for (;;) {
		if (poll(&p, 1, -1) < 0)
			continue;
		trig_sleep(ms);
		if (read(p.fd, buf, sizeof(buf)) <= 0)
			return 0;
	}
}
