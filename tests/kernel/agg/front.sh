# SPDX-License-Identifier: GPL-2.0-or-later
# Aggregations with the same short keys have a table in front of their maps, a part for each CPU. No event is lost or
# counted twice: while two CPUs add to the same keys and trunc() takes what was printed, when keys without events leave
# and come back, and when there are more keys than slots. The number of calls is the truth.
# timeout: 120
. "$here/lib/cli.lib"
run_limit=60
hash bpftool 2>/dev/null || skip "no bpftool"
cat >calls.py <<'END'
import ctypes, json, os, subprocess, sys, time
libc = ctypes.CDLL(None)
cpus = sorted(os.sched_getaffinity(0))[:2]
def used():  # abi/front.h: the first word of a slot is 1 if it has a key; the slots of a CPU are one value
    dump = json.loads(subprocess.run(["bpftool", "-j", "map", "dump", "name", sys.argv[1]], capture_output=True).stdout)
    slots = [bytes(int(b, 16) for b in cpu["value"]) for cpu in dump]
    return sum(v[at] == 1 for v in slots for at in range(0, len(v), len(v) // 64))
def calls(keys, times):  # by two processes
    pids = []
    for i in range(2):
        pids.append(os.fork())
        if not pids[-1]:
            os.sched_setaffinity(0, {cpus[i % len(cpus)]})
            for n in range(times):
                for key in keys:
                    libc.getpgid(-1 - key)
            os._exit(0)
    for pid in pids:
        os.waitpid(pid, 0)
if len(sys.argv) > 2:
    calls(range(300), 100)
else:
    calls(range(20), 2000)
    calls([3], 1)
    first = used()
    time.sleep(1)
    left = used()
    calls(range(20), 1000)
    print("USED", int(first > 0), left)
END
python3 - <<'END' || skip "no ctypes"
import ctypes
END
name=f$$ # the table's name has it
cat >front.d <<D
syscall::getpgid:entry
/ progenyof(\$target) && (int)arg0 < 0 /
{
	@$name[(int)arg0] = count();
	@s[(int)arg0] = sum(-1 - (int)arg0);
	@m[(int)arg0] = max((int)arg0);
	@l[(int)arg0] = min((int)arg0);
	@q[(int)arg0] = lquantize(-1 - (int)arg0, 0, 100, 50);
}
D
show='printa("%d %@d %@d %@d %@d\n", @'$name', @s, @m, @l); printa("q %d %@d\n", @q);'
totals() { # keys, events, those whose sum is another, extremes that are not the key (0: between reading and trunc())
	awk '/^-/ { c[$1] += $2; s[$1] += $3; bad += ($4 && $4 != $1) || ($5 && $5 != $1) }
		END { for (k in c) { n++; all += c[k]; wrong += s[k] != c[k] * (-1 - k) } print n, all, wrong + 0, bad + 0 }' <<<"$OUT"
}
levels() { awk '/^q/ { next } $1 == "0" || $1 == "50" || $1 == ">=" { n[$1] += $NF } END { print n["0"], n["50"], n[">="] }' <<<"$OUT"; }

run -q -n "$(cat front.d) tick-20ms, END { $show trunc(@$name); trunc(@s); trunc(@m); trunc(@l); trunc(@q); }" \
	-c "python3 $PWD/calls.py front_$name"
expect_eq "$STATUS" 0 "status"
expect_match "$OUT" "USED 1 0" "slots that have a key: at first, and after a second without events"
expect_eq "$(totals)" "20 120002 0 0" "keys, events, wrong sums, wrong extremes"
expect_eq "$(levels)" "120002 0 " "distributions"

run -q -n "$(cat front.d) tick-20ms { $show clear(@$name); clear(@s); clear(@q); }
	END { $show clear(@$name); clear(@s); clear(@q); }" -c "python3 $PWD/calls.py front_$name many"
expect_eq "$STATUS" 0 "status, many keys"
expect_eq "$(totals)" "300 60000 0 0" "many keys, events, wrong sums, wrong extremes"
expect_eq "$(levels)" "10000 10000 40000" "distributions of many keys"
