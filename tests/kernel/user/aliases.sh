# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A function with several symbols is one probe with one name: a global symbol before a weak before a local one, then the
# shorter. Each of its names finds it.
need cc
. "$here/lib/user.lib"
cd "$tmp" || exit 1
cat >names.c <<'C'
int real_name(int a) __attribute__((noipa));
int real_name(int a) { return a + 1; }
int weak(int a) __attribute__((weak, alias("real_name")));
int a_longer_name(int a) __attribute__((alias("real_name")));
static int b(int a) __attribute__((alias("real_name"), used));
__attribute__((noipa)) static int own(int a) { return a + 2; }
int own_weak(int a) __attribute__((weak, alias("own")));
int main(void)
{
	volatile int s = 0;

	for (int i = 0; i < 5; i++)
		s += real_name(i) + weak(i) + b(i) + a_longer_name(i) + own(i) + own_weak(i);
	return 0;
}
C
cc -O1 -o names names.c || skip "cannot build programs"

# By a weak name, by a local and another global one, by a pattern that matches one symbol, by one that matches two.
traced -n '
pid$target:a.out:weak:entry { @[probefunc, probename, 1] = count(); id1 = id; }
pid$target:a.out:b:entry, pid$target:a.out:a_longer_name:entry { @[probefunc, probename, 2] = count(); @same[id == id1] = count(); }
pid$target:a.out:a_long*:return { @[probefunc, probename, 3] = count(); }
pid$target:a.out:own*:entry { @[probefunc, probename, 4] = count(); }
END { printa("%s %s %d %@d\n", @); printa("same %d %@d\n", @same); }' -c ./names
expect_eq "$(sort <<<"$OUT")" "own_weak entry 4 10
real_name entry 1 20
real_name entry 2 40
real_name return 3 20
same 1 40" "names: $ERR"

listed() { "$dwire" -ln "$1" -c ./names 2>/dev/null | awk 'NR > 1 { print $4 ":" $5 }'; }
expect_eq "$(listed 'pid$target:a.out:b:,pid$target:a.out:*eal*:' | grep -E 'entry|return')" "real_name:entry
real_name:return" "a function is listed once"
expect_eq "$(listed 'pid$target:a.out::entry' | grep -cE 'name|weak|own|^b:')" 2 "all functions"
