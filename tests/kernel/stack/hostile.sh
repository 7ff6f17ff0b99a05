# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Programs that an ordinary user makes to harm whoever traces them: names that stand for gigabytes of text, debugging
# files that are no files. The trace ends as always, within bounded memory, and what was refused is shown as it is.
# timeout: 60
need gcc objcopy strip python3
limited() { # ARG…: dwire with little memory; sets OUT, ERR and STATUS
	STATUS=0
	OUT=$(ulimit -v 1500000; timeout 20 "$dwire" -q "$@" 2>err) || STATUS=$?
	ERR=$(<err)
}
d='syscall::getppid:entry /pid == $target/ { ustack(4); }'

# A name of 330 characters: each of its 32 levels names the one before it twice, and more.
name=$(python3 - <<'PY'
digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
name = "_Z1f1AIiiE"
for i in range(32):
    ref = "S%s_" % digits[i - 1] if i else "S0_"
    name += "S_I%s%sE" % (ref, ref)
print(name)
PY
)
expect_eq "${#name}" 330 "the name"
raw_getppid >f.c
cat >>f.c <<C
__attribute__((noinline)) long f(void) __asm__("$name");
__attribute__((noinline)) long f(void) { long r; RAW_GETPPID(r); return r + 1; }
int main(void) { return f() == 0; }
C
gcc -O0 -fno-omit-frame-pointer -o bomb f.c || skip "cannot build"
limited -n "$d" -c ./bomb
expect_eq "$STATUS" 0 "a name that explodes: $ERR"
expect_match "$OUT" "bomb.$name\\+0x[0-9a-f]+" "a name that explodes, as the linker has it"

# Its debugging file is a pipe. Nobody may open it: were it a terminal, it would become ours.
cp bomb linked
objcopy --only-keep-debug linked linked.debug && strip -s linked && objcopy --add-gnu-debuglink=linked.debug linked ||
	skip "cannot build"
rm linked.debug
mkfifo pipe && ln -s pipe linked.debug
cat >watch.py <<'PY'
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, b"pipe", 0x20) >= 0  # IN_OPEN
subprocess.run(sys.argv[1:], check=True)
try:
    print("opened", len(os.read(watch, 4096)))
except BlockingIOError:
    print("not opened")
PY
expect_eq "$(timeout 30 python3 watch.py "$dwire" -q -n "$d" -o out -c ./linked)" "not opened" "a debugging file that is a pipe"
expect_match "$(<out)" 'linked`0x' "a program without symbols"

# A list of compiled functions with a line of a gigabyte: it is reported, and not read.
if [ "$(uname -m)" = x86_64 ]; then
	cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };
	char *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name[64];
	FILE *f;
	memcpy(p, code, sizeof(code));
	sprintf(name, "/tmp/perf-%d.map", (int)getpid());
	f = fopen(name, "w");
	fprintf(f, "%lx 40 Hello::world\n", (long)p);
	fflush(f);
	ftruncate(fileno(f), 1 << 30);
	((void (*)(void))p)();
	usleep(1000000); /* its list is read while it lives */
	return unlink(name);
}
C
	gcc -O1 -w -fno-omit-frame-pointer -o jit jit.c
	limited -n "$d" -c ./jit
	expect_eq "$STATUS" 0 "a list of a gigabyte: $ERR"
	expect_match "$ERR" 'warning: .*perf-PID.map.*too large' "a list of a gigabyte"
	expect_match "$OUT" ' 0x[0-9a-f]+' "a list of a gigabyte: addresses"
fi
