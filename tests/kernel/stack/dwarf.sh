# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of a program without frame pointers, and inlined functions, by DWARF.
need gcc
raw_getppid >f.c
cat >>f.c <<'C'
#include <stdlib.h>
#include <string.h>
static inline __attribute__((always_inline)) long ask(long n)
{
	long r;
	RAW_GETPPID(r);
	return r + n;
}
static inline __attribute__((always_inline)) long twice(long n) { return ask(n) * 2; }
__attribute__((noinline)) long inner(long n) { volatile char room[100]; room[n & 63] = 1; return twice(n) + room[3]; }
__attribute__((noinline)) long outer(long n)
{
	volatile char room[3000];
	memset((void *)room, 1, sizeof(room));
	return inner(n) + room[7] + 1;
}
__attribute__((noinline)) long deep(long n) { volatile long r; r = n ? deep(n - 1) : outer(n); return r + 1; }
static int compare(const void *a, const void *b) { return (int)outer(*(const int *)a - *(const int *)b); }
int main(int argc, char **argv)
{
	int v[2] = { 2, 1 };
	qsort(v, 2, sizeof(v[0]), compare);
	return argc > 1 && deep(atoi(argv[1])) == 0;
}
C
gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-cp -o f f.c || skip "cannot build"
frames() { grep -o '[a-z.0-9]*`[a-z_A-Z]*[^+;]*' <<<"$OUT" | sed 's/^f`//' | tr '\n' ' '; }
run() { OUT=$("$dwire" -q "${@:2}" -c "$1" 2>err) || fail "$*: $(<err)"; }
d='syscall::getppid:entry /pid == $target/'
run ./f -x ustackunwind=dwarf -n "$d { ustack(); }"
expect_match "$(frames)" '^inner outer compare libc.*main .*_start $' "by DWARF"
run ./f -x ustackunwind=dwarf -x inlines -n "$d { printf(\"%k\", ustack(4)); }"
expect_eq "$(frames)" "ask (inlined) twice (inlined) inner outer compare $(frames | grep -o 'libc[^ ]*.*')" "inlined"
run ./f -x inlines -x stackfmt=folded -x ustackunwind=dwarf -n "$d { ustack(3); }"
expect_eq "$(sed '/^$/d' <<<"$OUT")" 'f`compare;f`outer;f`inner;f`twice;f`ask' "inlined, folded"
# By frame pointers, as keys are, there is nothing to be found but the first.
run ./f -x ustackunwind=dwarf -n "$d { @[ustack(9)] = count(); }"
expect_eq "$(frames | cut -d ' ' -f 1)" inner "keys"
# More than is copied: the walk ends there. 64 calls and 3 KB; more of it with a larger copy.
run "./f 200" -x ustackunwind=dwarf -x ustackcopy=4k -n "$d { ustack(127); }"
few=$(grep -c '`deep+' <<<"$OUT")
expect_ge "$few" 10 "frames in 4 KB"
run "./f 200" -x ustackunwind=dwarf -x ustackcopy=8k -n "$d { ustack(127); }"
expect_ge "$(grep -c '`deep+' <<<"$OUT")" "$((few + 20))" "frames in 8 KB"
"$dwire" -q -x ustackunwind=orc -n 'BEGIN { exit(0); }' 2>err && fail "a way that there is not"
grep -q 'fp or dwarf' err || fail "ustackunwind: $(<err)"
# What has no process has no stack.
run true -x ustackunwind=dwarf -n 'sched:::on-cpu /execname == "ksoftirqd/0" || pid == 0/ { ustack(); n++; } tick-300ms { exit(0); }'
grep -q '`' <<<"$OUT" && fail "a kernel thread: $OUT"
