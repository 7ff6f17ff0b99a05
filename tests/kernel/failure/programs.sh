# SPDX-License-Identifier: GPL-2.0-or-later
# Binaries for another machine, files that change while they are traced, damaged files, limits, users without
# rights.
need cc
. "$here/lib/user.lib"
cc -O2 -o "$tmp/prog" "$user_prog" || skip "cannot build programs"
cd "$tmp" || exit 1

# A 32-bit program, without libraries: its functions are refused, its system calls and stacks are there.
cat >i386.c <<'C'
static long call(int nr, long a)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a) : "memory");
	return r;
}
__attribute__((noinline)) void step(void) { call(20, 0); /* getpid */ }
void _start(void)
{
	for (int i = 0; i < 7; i++)
		step();
	call(1, 0); /* exit */
}
C
if [ "$(uname -m)" = x86_64 ] && cc -m32 -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -nostdlib -static \
	-ffreestanding -fno-pie -no-pie -o i386 i386.c 2>/dev/null && ./i386; then
	for d in 'pid$target:a.out:step:entry' 'pid$target:::entry' "pid*:$tmp/i386:step:entry"; do
		traced -x errtags -n "$d" -c ./i386
		expect_eq "$STATUS" 1 "status of $d"
		expect_match "$ERR" '\[D_PROC_GRAB\].*i386 is for 32-bit x86' "$d"
	done
	traced -n 'syscall::getpid:entry /pid == $target/ { @[execname] = count(); @s[ustack()] = count(); }
		END { printa("%s %@d\n", @); printa("%k%@d\n", @s); }' -c ./i386
	expect_match "$OUT" '^i386 7' "system calls in 32 bits: $ERR"
	expect_match "$OUT" 'i386`step\+0x[0-9a-f]+\s+i386`_start\+0x' "the stack"
fi

# The file is replaced while it is traced: who runs the old one is traced on, the others are not, and that is said.
cp prog old
printf '%s\n' './old 30' 'cp prog new' 'mv new old' './old 12' './old 5' >later
traced -n "pid*:$tmp/old:add_all:entry { @[execname] = count(); } END { printa(\"%s %@d\\n\", @); }" -c 'bash later'
expect_eq "$OUT" "old 30" "the file that was there when the trace began"
expect_eq "$(grep -c "warning: the file $tmp/old was replaced or deleted" err)" 1 "the warning of a replaced file: $ERR"

# Damaged files: refused with a message, or read as far as they go; never a crash.
cp prog good
size=$(stat -c %s good)
for at in 16 18 32 40 52 54 56 58 60 62 64 72 100 $((size / 3)) $((size / 2)) $((size - 64)) $((size - 900)) $((size - 40)); do
	cp good bad
	printf '\377\377\377\177' | dd of=bad bs=1 seek="$at" conv=notrunc status=none
	for d in "pid*:$tmp/bad:add_all:entry" "userprog*:$tmp/bad::query-start"; do
		timeout 10 "$dwire" -ln "$d" >out 2>err && continue
		s=$?
		[ $s -eq 1 ] && grep -q 'failed to match' err || fail "damaged at $at: status $s: $(<err)"
	done
done
for n in 0 1 63 64 200 $((size / 2)) $((size - 1)); do
	head -c "$n" good >short
	"$dwire" -ln "pid*:$tmp/short:add_all:entry" >out 2>err && continue
	s=$?
	[ $s -eq 1 ] && grep -q 'failed to match' err || fail "cut at $n: status $s: $(<err)"
done

# Few open files: where each place needs one, the message gives the reason.
STATUS=0
OUT=$(ulimit -Sn 40 && ulimit -Hn 40 && "$dwire" -qn 'pid$target:libc:str*:entry { @ = count(); }' -c true 2>err) || STATUS=$?
[ $STATUS -eq 0 ] || expect_match "$(<err)" 'may not have so many \(ulimit -n\)' "too many probes"
grep -qE "Segm|Assert" err && fail "too many probes: $(<err)"

# No rights: one message.
if command -v setpriv >/dev/null; then
	cp "$dwire" "$tmp/dw" && chmod 755 "$tmp" "$tmp/dw"
	setpriv --reuid 65534 --clear-groups "$tmp/dw" -n 'pid$target:a.out:main:entry' -p 1 >out 2>err
	expect_eq "$? $(wc -l <err)" "1 1" "another user: $(<err)"
	expect_match "$(<err)" 'lacks: CAP_BPF.*run it as root' "another user"
fi
