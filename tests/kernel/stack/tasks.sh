# SPDX-License-Identifier: GPL-2.0-or-later
# Frames of a process's first thread and of other threads, of a child, and of the program that the child executes.
need gcc
raw_getppid >"$tmp/f.c"
cat >>"$tmp/f.c" <<'C'
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static __attribute__((noinline)) long ask(void)
{
	volatile char room[32] = "";
	long r;
	RAW_GETPPID(r);
	return r + room[3];
}
__attribute__((noinline)) long in_main(int n) { return ask() + n; }
__attribute__((noinline)) long in_thread(int n) { return ask() + n; }
__attribute__((noinline)) long in_child(int n) { return ask() + n; }
__attribute__((noinline)) long after_exec(int n) { return ask() + n; }
static void *work(void *p) { in_thread(1); return p; }
int main(int argc, char **argv)
{
	struct timespec t;
	pthread_t thread;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	if (argc > 1)
		return after_exec(3) == 0;
	in_main(1);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, work, NULL), pthread_join(thread, NULL);
	if (!fork()) {
		in_child(1);
		execl("/proc/self/exe", argv[0], "again", (char *)0);
	}
	return wait(NULL) < 0;
}
C
cd "$tmp" || exit 1
gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog f.c -lpthread || skip "cannot build programs"
"$dwire" -q -n '
syscall::getppid:entry /progenyof($target)/ { @f[pid == $target, tid == pid, ustack(2)] = count(); @c[ufunc(ucaller)] = count(); }
syscall::clock_gettime:entry /pid == $target/ { @v[ustack(1)] = count(); }
END { printa("%d %d%k%@d\n", @f); printa("caller %A %@d\n", @c); printa("vdso%k%@d\n", @v); }' -c ./prog >out 2>err || fail "dwire: $(<err)"
expect_eq "$(tr '\n' ' ' <out | sed 's/+0x[0-9a-f]*//g; s/  */ /g' | grep -o '[01] [01] prog`ask prog`[a-z_]* [0-9]*' | sort)" '0 1 prog`ask prog`after_exec 1
0 1 prog`ask prog`in_child 1
1 0 prog`ask prog`in_thread 3
1 1 prog`ask prog`in_main 1' "frames: $(<out)"
expect_eq "$(grep '^caller' out | sort | tr '\n' ' ')" 'caller prog`after_exec 1 caller prog`in_child 1 caller prog`in_main 1 caller prog`in_thread 3 ' "ucaller"
[ "$(uname -m)" != x86_64 ] || grep -A 1 '^vdso' out | grep -q '^\[vdso\]`.*clock_gettime+0x' || fail "the vdso: $(<out)"
