# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Names of frames: stripped programs with separate symbols, static and position-independent programs, libraries
# loaded at run time, C++ and Rust, generated code, and programs that ended long ago.
need gcc objcopy strip xz nm
raw_getppid >f.c
cat >>f.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
long cxx(int n) __asm__("_ZN4shop6basket3addEiPKc");
long rust(int n) __asm__("_RNvNtCs1234_7mycrate3foo3bar");
/* No C library in between: it keeps no frame pointers. */
static __attribute__((noinline)) long ask(int n)
{
	volatile char *room = __builtin_alloca((size_t)n + 16); /* so that it has a frame */
	long r;

	*room = 0;
	RAW_GETPPID(r);
	return r + n;
}
__attribute__((noinline)) long rust(int n) { return ask(n) + 1; }
__attribute__((noinline)) long cxx(int n) { return rust(n) + 1; }
#ifndef LIBRARY
#ifdef LOADER
int main(void)
{
	long (*f)(int) = (long (*)(int))dlsym(dlopen("./libf.so", RTLD_NOW), "_ZN4shop6basket3addEiPKc");
	return f(1) == 0;
}
#else
int main(int argc, char **argv)
{
	return cxx(argc) == 0;
}
#endif
#endif
C
flags="-O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls"
gcc $flags -pie -fPIE -o pie f.c -ldl && gcc $flags -no-pie -o nopie f.c -ldl && gcc $flags -static -o static f.c 2>/dev/null &&
	gcc $flags -shared -fPIC -DLIBRARY -o libf.so f.c && gcc $flags -DLOADER -o loader f.c -ldl || skip "cannot build"
strip -s -o stripped pie
# Debugging files: by name beside the program and in .debug, by build id, and packed into the program.
for how in link dot packed; do cp pie $how; done
mkdir .debug
for how in link dot; do
	objcopy --only-keep-debug $how $how.debug && strip -s $how && objcopy --add-gnu-debuglink=$how.debug $how
done
mv dot.debug .debug
nm packed --format=posix --defined-only | awk '$2 == "t" || $2 == "T" { print $1 }' | sort >keep
objcopy --only-keep-debug packed mini && objcopy -S --remove-section .gdb_index --remove-section .comment \
	--keep-symbols=keep mini mini 2>/dev/null && strip -s packed && xz -f mini && objcopy --add-section .gnu_debugdata=mini.xz packed
d='syscall::getppid:entry /pid == $target/ { ustack(4); @[ufunc(ucaller)] = count(); } END { printa("CALLER %A\n", @); }'
want() { # NAME OBJECT: the frames, in order
	local o=$2 got
	got=$(grep -o "^ \{14\}$o\`.*" <<<"$OUT" | sed 's/^ *//; s/+0x[0-9a-f]*$//' | head -n 3)
	expect_eq "$got" "$o\`ask
$o\`mycrate::foo::bar
$o\`shop::basket::add(int, char const*)" "$1"
	grep -qx "CALLER $o\`mycrate::foo::bar" <<<"$OUT" || fail "$1: ucaller: $OUT"
}
run() {
	OUT=$("$dwire" -q "${@:2}" -n "$d" -c "$1" 2>err) || fail "$1: $(<err)"
}
for p in pie nopie static link dot packed; do
	run "./$p"
	want $p $p
	grep -q "\`main" <<<"$OUT" || fail "$p: no main: $OUT"
done
run ./loader
want loader libf.so
run ./stripped
expect_ge "$(grep -c '^ \{14\}stripped`0x[0-9a-f]*$' <<<"$OUT")" 4 "no symbols: $OUT"
run ./pie -x nodemangle
grep -q 'pie`_ZN4shop6basket3addEiPKc+0x' <<<"$OUT" || fail "nodemangle: $OUT"
# A build id, in the process's own root: here that is ours.
id=$(readelf -n pie | sed -n 's/.*Build ID: //p')
root=/usr/lib/debug/.build-id/${id:0:2}
if [ -n "$id" ] && [ ! -e "$root/${id:2}.debug" ]; then
	mkdir -p "$root" && cp pie "$root/${id:2}.debug" && run ./stripped && want "build id" stripped
	rm -f "$root/${id:2}.debug"
	rmdir "$root" /usr/lib/debug/.build-id 2>/dev/null
fi
# Folded: outermost first, keys before, and what it counts.
OUT=$("$dwire" -q -x stackfmt=folded -n 'syscall::getppid:entry /pid == $target/ { @[execname, ustack(3)] = count(); }
syscall::getppid:entry /pid == $target/ { printf("[%k]\n", ustack(2)); ustack(1); @k[stack(1)] = quantize(1); }' -c ./pie)
grep -qx 'pie;pie`shop::basket::add(int, char const\*);pie`mycrate::foo::bar;pie`ask 1' <<<"$OUT" || fail "folded: $OUT"
grep -qx '\[pie`mycrate::foo::bar;pie`ask\]' <<<"$OUT" || fail "folded: %k: $OUT"
grep -qx 'pie`ask' <<<"$OUT" || fail "folded: an action: $OUT"
"$dwire" -q -x stackfmt=wide -n 'BEGIN { exit(0); }' 2>err && fail "a format that there is not"
grep -q 'dtrace or folded' err || fail "stackfmt: $(<err)"
# Many short programs, of which nothing is left when their stacks are printed; a copy that is replaced meanwhile.
cp pie other
cat >many <<'SH'
#!/bin/bash
for i in {1..20}; do ./pie; done
./other; cp /bin/true other.new; mv other.new other
SH
chmod +x many
OUT=$("$dwire" -q -x switchrate=1s -x aggrate=1s -n 'syscall::getppid:entry /progenyof($target) && execname != "bash"/
{ @[execname, ufunc(ucaller)] = count(); }' -c ./many 2>/dev/null)
expect_match "$OUT" 'pie +pie`mycrate::foo::bar +20' "programs that have ended"
[[ $OUT == *'other`_'* || $OUT == *'other`main'* ]] && fail "names of another file: $OUT"
# Code that the process has made and named.
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
	memcpy(p + 64, code, sizeof(code));
	sprintf(name, "/tmp/perf-%d.map", (int)getpid());
	f = fopen(name, "w");
	fprintf(f, "junk\n%lx 40 Hello::world\n%lx %x LHello;.made\n", (long)p, (long)p + 64, (int)sizeof(code));
	fclose(f);
	((void (*)(void))(p + 64))();
	usleep(1000000); /* its map is read while it lives */
	return unlink(name);
}
C
if [ "$(uname -m)" = x86_64 ]; then
	gcc $flags -o jit jit.c
	OUT=$("$dwire" -q -n 'syscall::getppid:entry /pid == $target/ { jstack(2); }' -c ./jit 2>&1)
	expect_match "$OUT" '              LHello;.made
              jit`main\+0x' "code that the process has made"
fi
