# SPDX-License-Identifier: GPL-2.0-or-later
# -x legacycalls: openat, newfstatat, clone and clock_nanosleep, used as open, stat, lstat, fork and nanosleep were, fire
# the probes of those, with their arguments; used otherwise they stay what they are. Each call fires one probe.
. "$here/lib/cli.lib"
[ "$(uname -m)" = x86_64 ] || skip "this machine never had open"

# The trigger opens /dev/null 30 times by open and 60 by openat, 15 times by openat of a directory and "null".
cat >o.d <<'D'
syscall::open:entry /pid == $target/ { @open[copyinstr(arg0), arg1 & 0x1ffff, args[1] == arg1] = count(); }
syscall::openat:entry /pid == $target/ { @openat[(int)arg0 > 0, copyinstr(arg1), arg2] = count(); }
syscall::open:return /pid == $target/ { @fd["open", (int)arg0 > 0, errno] = count(); }
syscall::openat:return /pid == $target/ { @fd["openat", (int)arg0 > 0, errno] = count(); }
syscall::fork:entry /pid == $target/ { @fork["entry"] = count(); }
syscall::fork:return /pid == $target && arg0 > 0/ { @fork["parent"] = count(); }
syscall::fork:return /ppid == $target && arg0 == 0/ { @fork["child"] = count(); }
syscall::clone:entry /pid == $target/ { @clone = count(); }
syscall:::entry /pid == $target && probefunc == "open"/ { @all = count(); }
END {
	printa("open %s %x %d %@d\n", @open); printa("openat %d %s %d %@d\n", @openat); printa("fd %s %d %d %@d\n", @fd);
	printa("fork %s %@d\n", @fork); printa("clone %@d\n", @clone); printa("all %@d\n", @all);
}
D
said() { grep -v = <<<"$OUT" | grep -v '^$' | sort; }
run -q -x legacycalls -c 'calls -n 10 -o 30 -f 3' -s o.d
expect_eq "$STATUS $ERR" "0 " "it runs"
expect_eq "$(said)" "all 92
fd open 1 0 92
fd openat 1 0 15
fork child 3
fork entry 3
fork parent 3
open /dev 10000 1 1
open /dev/null 0 1 30
open /dev/null 1 1 30
open /dev/null 2 1 30
open /dev/zero 0 1 1
openat 1 null 0 15" "with legacycalls"

# Off, also by name, each call is itself. As a pragma it counts for the whole script.
run -q -x legacycalls=0 -c 'calls -n 10 -o 30 -f 3' -s o.d
expect_eq "$(said)" "all 30
clone 3
fd open 1 0 30
fd openat 1 0 77
open /dev/null 1 1 30
openat 0 /dev 65536 1
openat 0 /dev/null 0 30
openat 0 /dev/null 2 30
openat 0 /dev/zero 0 1
openat 1 null 0 15" "without"
run -q -c 'calls -n 10 -o 30' -n 'syscall::open:entry /pid == $target/ { n++; } END { printf("n %d\n", n); }' \
	-n '#pragma D option legacycalls
	BEGIN { }'
expect_match "$OUT" 'n 92' "a pragma"

# One probe alone is compared by number.
run -q -x legacycalls -c 'sleep 0.012' \
	-n 'syscall::nanosleep:entry /pid == $target/ { printf("%d\n", *(long *)copyin(arg0 + 8, 8)); }'
expect_eq "$STATUS ${OUT%%$'\n'*}" "0 12000000" "nanosleep"
run -q -x legacycalls -c "sh -c '[ -e /dev/zero ]; [ -L /dev/null ]'" \
	-n 'syscall::stat:entry, syscall::lstat:entry /pid == $target/ { self->p = arg0; self->to = arg1; }' \
	-n 'syscall::stat:return, syscall::lstat:return /self->p/ { printf("%s %s %d %d\n", probefunc, copyinstr(self->p), errno,
		((struct stat *)copyin(self->to, sizeof(struct stat)))->st_mode >> 12); self->p = 0; }'
expect_eq "$(grep /dev/ <<<"$OUT")" "stat /dev/zero 0 2
lstat /dev/null 0 2" "stat and lstat"

expect_match "$("$dwire" -lvv -x legacycalls -n syscall::open:entry | tr -d '\n\t')" \
	'args\[0\]: char \*args\[1\]: intargs\[2\]: mode_t.*-x legacycalls.*openat\(AT_FDCWD, \.\.\.\) is open' "-lvv shows it"
expect_eq "$("$dwire" -lvv -n syscall::open:entry | grep -c legacycalls)" 0 "off by default"
