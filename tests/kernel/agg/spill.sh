# SPDX-License-Identifier: GPL-2.0-or-later
# More keys than the kernel's map holds: all are in the output with exact values, the busy ones that come last, too. clear()
# and trunc() mean the same for keys that left the map. With -x aggkeep the keys with the fewest events are forgotten, and
# what the output lacks is counted.
# timeout: 180
. "$here/lib/cli.lib"
run_limit=60
cat >calls.py <<'END'
import ctypes, sys, time
libc = ctypes.CDLL(None)
n, late = int(sys.argv[1]), int(sys.argv[2])
for i in range(n):
    libc.getpgid(-1 - i)
    i % 100 or time.sleep(0.005)
time.sleep(0.3)
for i in range(late):
    for k in range(5):
        libc.getpgid(-2000000 - k)
time.sleep(0.3)
END
calls() { # CALLS LATE
	echo "python3 $PWD/calls.py $1 $2"
}
python3 - <<'END' || skip "no ctypes"
import ctypes
END
total() { # of the second column, and how many rows
	awk 'NF == 2 { n++; s += $2 } END { print n + 0, s + 0 }' <<<"$OUT"
}
drops() {
	sed -n 's/^dwire: \([0-9]*\) .*aggregation drops\{0,1\}.*/\1/p' <<<"$ERR" | paste -sd+ | sed 's/^$/0/' | bc
}
# 8,192 keys of 16 bytes fit
one='syscall::getpgid:entry /pid == $target/'
exact() {
	run -q -x aggsize=128k -n "$one"' { @[(int)arg0] = count(); @s[(int)arg0] = sum(3); } END { printa("%d %@d\n", @); trunc(@);
		setopt("quiet"); printa("s%d %@d\n", @s); trunc(@s); }' -c "$(calls 30000 700)"
	local sums
	sums=$(grep '^s' <<<"$OUT" | sed 's/^s//')
	OUT=$(grep -v '^s' <<<"$OUT")
	[ "$STATUS$ERR" = 0 ] || echo "FAILED: $STATUS $ERR"
	[ "$(total)" = "30005 33500" ] || echo "FAILED: rows and events: $(total)"
	[ "$(grep -cE '^ *-200000[0-4] 700$' <<<"$OUT")" = 5 ] || echo "FAILED: the late keys: $(grep -E '^-200000' <<<"$OUT")"
	OUT=$sums
	[ "$(total)" = "30005 100500" ] || echo "FAILED: rows and sum: $(total)"
}
measure exact

# What is taken away stays away, also of keys that are not in the map any more.
taken() {
	run -q -x aggsize=128k -n "$one"' { @[(int)arg0] = count(); @m[(int)arg0] = sum(1); }
		'"${one%/}"' && (int)arg0 == -2000000 && !done/ { done = 1; clear(@); trunc(@m); }
		END { printa("%d %@d\n", @); printa("m%d %@d\n", @m); }' -c "$(calls 20000 50)"
	local kept
	kept=$(grep '^m' <<<"$OUT" | sed 's/^m//')
	OUT=$(grep -v '^m' <<<"$OUT")
	[ "$STATUS$ERR" = 0 ] || echo "FAILED: $STATUS $ERR"
	[ "$(total | cut -d' ' -f1)" = 20005 ] || echo "FAILED: rows after clear: $(total)"
	# clear() comes when its record is read: what came since the call is gone at most
	[ "$(total | cut -d' ' -f2)" -le 250 ] || echo "FAILED: events after clear: $(total)"
	OUT=$kept
	[ "$(total | cut -d' ' -f1)" -le 5 ] || echo "FAILED: rows after trunc: $(total)"
}
measure taken

# Little memory: the busiest are there with all their events, the others are counted.
bounded() {
	run -q -x aggsize=128k -x aggkeep=1m -n "$one"' { @[(int)arg0] = count(); }' -c "$(calls 30000 700)"
	local rows events
	read -r rows events <<<"$(total)"
	[ "$STATUS" = 0 ] || echo "FAILED: $STATUS $ERR"
	[ "$rows" -lt 20000 ] || echo "FAILED: $rows rows in 1 MB"
	[ "$(grep -cE '^ *-200000[0-4] +700$' <<<"$OUT")" = 5 ] || echo "FAILED: the busiest: $(grep -E -- '-200000' <<<"$OUT")"
	[ "$((events + $(drops)))" = 33500 ] || echo "FAILED: events $events and drops $(drops)"
	grep -q 'consumer aggregation drop' <<<"$ERR" || echo "FAILED: no drops are reported: $ERR"
}
measure bounded
