/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_process: commands that dwire starts. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "process/command.h"
#include "unit.h"

#define TIMES 100 /* it is a race: without the care for handlers not each of them runs ours */

static int handled[2];

static void on_term(int sig)
{
	(void)sig;
	if (write(handled[1], "x", 1) < 0)
		_exit(1);
}

/* A command that is ended while it starts does not run the caller's handler: that of a screen would give the terminal
 * back under it. */
static void test_no_handler_in_child(void)
{
	static const char *const argv[] = { "true", NULL };
	sigset_t term;
	char c;

	EXPECT_INT(pipe2(handled, O_NONBLOCK | O_CLOEXEC), 0);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	signal(SIGTERM, on_term);
	for (int i = 0; i < TIMES; i++) {
		int out = -1;
		const pid_t pid = command_start(argv,
			&(struct command_to){ .program = "test", .messages = stderr, .out = &out, .apart = true });

		CHECK(pid > 0, "a command is started");
		command_end(pid);
		close(out);
	}
	CHECK(read(handled[0], &c, 1) < 0, "a handler ran in the command's process");
	signal(SIGTERM, SIG_DFL);
	close(handled[0]);
	close(handled[1]);
}

int main(void)
{
	test_no_handler_in_child();
	return unit_end();
}
