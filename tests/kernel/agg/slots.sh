# SPDX-License-Identifier: GPL-2.0-or-later
# Long keys begin in a table whose slots come and go while programs add to them. No event is lost or counted twice: not of
# keys that are new with each call, not of those that both CPUs update, not across trunc(), clear() and printing, and not
# when the table is full.
# timeout: 120
. "$here/lib/cli.lib"
run_limit=60
cat >calls.py <<'END'
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
calls, keys, rest = (int(a) for a in sys.argv[1:])
cpus = sorted(os.sched_getaffinity(0))
pids = []
for cpu in cpus[0], cpus[-1]:
    pid = os.fork()
    if pid:
        pids.append(pid)
        continue
    os.sched_setaffinity(0, {cpu})
    for i in range(calls):
        libc.getpgid(-1 - i % keys - (keys if cpu != cpus[0] and keys > 100 else 0))
        if rest and i % rest == 0:
            time.sleep(0.01)
    os._exit(0)
for pid in pids:
    os.waitpid(pid, 0)
END
python3 - <<'END' || skip "no ctypes"
import ctypes
END
one='syscall::getpgid:entry /progenyof($target) && (int)arg0 < 0/'
key='[execname, execname, (int)arg0]'
add="{ @c$key = count(); @s$key = sum(3); @a$key = avg((int)arg0); }"
show='printa("%s %s %d %@d %@d %@d\n", @c, @s, @a);'
cut='trunc(@c); trunc(@s); trunc(@a);'
# Rows, keys, events, the sum, and rows whose average is not their key: the three are read one after the other.
total() {
	awk 'NF == 6 { n++; k[$3] = 1; c += $4; s += $5; bad += $6 != $3 } END { print n + 0, length(k), c + 0, s + 0, bad + 0 }' <<<"$OUT"
}
check() { # EXPECTED WHAT
	local got
	got=$(total)
	[ "$STATUS$ERR" = 0 ] || echo "FAILED: $2: $STATUS $ERR"
	[[ "$got" =~ ^$1$ ]] || echo "FAILED: $2: rows, keys, events, sum, wrong averages: $got"
}
new() {
	run -q -n "$one $add END { $show }" -c "python3 calls.py 15000 15000 0"
	check '30000 30000 30000 90000 0' 'new keys, printed at the end'
	run -q -n "$one $add tick-70ms, END { $show $cut }" -c "python3 calls.py 20000 20000 100"
	check '[0-9]+ 40000 40000 120000 [0-9]+' 'new keys, printed and cut meanwhile'
}
measure new
both() {
	run -q -n "$one $add tick-70ms, END { $show $cut }" -c "python3 calls.py 100000 7 0"
	check '[0-9]+ 7 200000 600000 [0-9]+' 'keys of both CPUs'
	run -q -n "$one $add tick-70ms { clear(@c); clear(@s); } END { trunc(@c); trunc(@s); trunc(@a); }
		$one { @all$key = count(); } END { printa(\"%s %s %d %@d 0 0\n\", @all); }" -c "python3 calls.py 50000 7 0"
	[ "$(total | cut -d' ' -f1-3)" = '7 7 100000' ] || echo "FAILED: beside clear(): $STATUS $ERR $OUT"
}
measure both
