/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A 32-bit program of arm, without a C library: for tests on arm64. It listens at 127.0.0.1:7777; a child accepts, by
 * accept() if there is an argument, else by accept4(), and reads to the end. Before that it calls getppid() 30 times.
 */
static long call(long nr, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c, r3 __asm__("r3") = d;

	__asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc #0\n\tpop {r7}"
			 : "+r"(r0)
			 : "r"(nr), "r"(r1), "r"(r2), "r"(r3)
			 : "memory", "r12");
	return r0;
}

enum { EXIT = 1, FORK = 2, READ = 3, GETPPID = 64, WAIT4 = 114, SOCKET = 281, BIND = 282, LISTEN = 284, ACCEPT = 285 };
enum { ACCEPT4 = 366 };

__attribute__((used)) void serve(const long *stack)
{
	static const unsigned char address[16] = { 2, 0, 7777 >> 8, 7777 & 255, 127, 0, 0, 1 };
	static char buffer[100];
	long fd = call(SOCKET, 2, 1, 0, 0), client, n = 0;

	for (int i = 0; i < 30; i++)
		n |= call(GETPPID, 0, 0, 0, 0) <= 0;
	if (n || call(BIND, fd, (long)address, 16, 0) || call(LISTEN, fd, 8, 0, 0))
		call(EXIT, 2, 0, 0, 0);
	if (!call(FORK, 0, 0, 0, 0)) {
		client = call(stack[0] > 1 ? ACCEPT : ACCEPT4, fd, 0, 0, 0);
		while ((n = call(READ, client, (long)buffer, sizeof(buffer), 0)) > 0)
			;
		call(EXIT, n || client < 0, 0, 0, 0);
	}
	n = 0;
	call(WAIT4, -1, (long)&n, 0, 0);
	call(EXIT, n != 0, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n\tmov r0, sp\n\tbl serve\n");
