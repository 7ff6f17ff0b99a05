/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose functions are called a known number of times, and which has probes of its own (notes "stapsdt", as
 * <sys/sdt.h> writes them). Tests build it in several ways: PIE, static, stripped; with -DPLUGIN a library to load.
 * Usage: program ROUNDS [fork] [exec] [thread] [wait] [load FILE]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((noinline, noclone, used))

#ifdef PLUGIN
QUIET long plugin_step(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}
#else

#define NOTE(name, semaphore, args)                                                                           \
	"990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"     \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore \
	"\n.asciz \"userprog\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n"      \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"       \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"                            \
	".size _.stapsdt.base, 1\n.popsection\n.endif\n"

unsigned short done_semaphore __attribute__((section(".probes"), used));

QUIET long add_all(long a, long b, long c, long d, long e, long f, long g, long h)
{
	__asm__ volatile("" : "+r"(a));
	return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h;
}

QUIET long text_length(const char *s)
{
	__asm__ volatile("" : "+r"(s));
	return (long)strlen(s);
}

/* Text that nobody has touched when it is passed on: far from all that is used. */
static const char far[1 << 20] = { [600000] = 'f', 'a', 'r' };

QUIET void pass(const char *s)
{
	__asm__ volatile("" : "+r"(s));
}

QUIET void query(long id, const char *text, int8_t small, volatile int *where)
{
	__asm__ volatile(NOTE("query__start", "0", "-8@%0 8@%1 -4@%2 -4@%3 -1@%4")::"r"(id), "r"(text), "m"(*where),
		"n"(-7), "r"(small));
	if (done_semaphore)
		__asm__ volatile(NOTE("query__done", "done_semaphore", "-8@%0")::"r"(id));
}

static void *rounds(void *arg)
{
	long n = *(long *)arg, sum = 0;
	char text[] = "some text";
	volatile int where = -44;

	for (long i = 0; i < n; i++) {
		sum += add_all(i, 2, 3, 4, 5, 6, 7, 8);
		sum += text_length(text);
		query(i, text, (int8_t)(-100 - i % 5), &where);
	}
	return (void *)sum;
}

static void in_child(long n, const char *program)
{
	char count[32];
	pid_t pid = fork();

	if (pid == 0) {
		snprintf(count, sizeof(count), "%ld", n);
		if (program)
			execl(program, program, count, (char *)NULL);
		else
			rounds(&n);
		_exit(program ? 1 : 0);
	}
	waitpid(pid, NULL, 0);
}

static void load(const char *path, long n)
{
	void *lib = dlopen(path, RTLD_NOW);
	long (*step)(long) = lib ? (long (*)(long))(uintptr_t)dlsym(lib, "plugin_step") : NULL;

	for (long i = 0; i < n && step; i++)
		step(i);
	if (!step)
		exit(1);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	pthread_t t;

	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], "wait")) {
			printf("ready\n");
			fflush(stdout);
			(void)!getchar();
		}
	pass(far + 600000);
	rounds(&n);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "fork"))
			in_child(n, NULL);
		if (!strcmp(argv[i], "exec"))
			in_child(n, argv[0]);
		if (!strcmp(argv[i], "thread") && !pthread_create(&t, NULL, rounds, &n))
			pthread_join(t, NULL);
		if (!strcmp(argv[i], "load") && i + 1 < argc)
			load(argv[i + 1], n);
	}
	return 0;
}
#endif
