# SPDX-License-Identifier: GPL-2.0-or-later
# -x cost reports what a trace took: runs as the trigger counts its calls, CPU and memory as the kernel does.
# -x maxcpu ends a trace that takes more.
. "$here/lib/cli.lib"
need cc

cat >"$tmp/m.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
#define F(n) __attribute__((noinline, noclone, used)) void n(void) { __asm__ volatile(""); }
F(often)
F(seldom)
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	for (long i = 0; i < n; i++)
		often();
	for (int i = 0; i < 300; i++)
		seldom();
	if (argc > 2)
		sleep(2);
	return 0;
}
C
cc -O1 -o "$tmp/m" "$tmp/m.c" || skip "cannot build programs"
# Entry and return have a program each; two entries would share one, and then a row.
d='pid$target:a.out:often:entry { @ = count(); } pid$target:a.out:seldom:return { @few = count(); }'
d+=' END { printa("%@d %@d\n", @, @few); }'
row() { # NAME: the runs of the row
	awk -v name=":$1:" '$2 == "cost:" && index($0, name) { print $3 }' <<<"$ERR"
}

run -q --cost -n "$d" -c "$tmp/m 20000"
expect_eq "$STATUS $(tail -n 1 <<<"$OUT")" "0 20000 300" "the trace itself: $ERR"
expect_eq "$(row often) $(row seldom)" "20000 300" "runs of each probe's programs: $ERR"
expect_match "$ERR" 'dwire: cost: [0-9.]+% of [0-9]+ CPUs? in [0-9.]+ s; [0-9.]+ [KM]iB in the kernel' "share and memory"
run -q --cost -n 'pid$target:a.out:often:entry, pid$target:a.out:seldom:entry { @ = count(); }' -c "$tmp/m 10"
expect_match "$ERR" 'cost: +310 .*:entry and 1 more' "a program that two probes share"
run -q --cost -n 'tcp:::state-change { @ = count(); }' -c "bash -c 'true </dev/tcp/127.0.0.1/1'"
expect_eq "$(grep -c ':state-change$' <<<"$ERR") $(grep -c 'more$' <<<"$ERR")" "1 0" "a part that fires no probe: $ERR"
run -q -n "#pragma D option cost
$d" -c "$tmp/m 10"
expect_eq "$(row often) $(row seldom)" "10 300" "as a pragma: $ERR"
run -q -n "$d" -c "$tmp/m 10"
expect_eq "$(grep -c cost: <<<"$ERR")" 0 "not asked for: $ERR"

# While it runs the kernel counts for it; what its descriptors take is what the report says.
"$dwire" -qn "$d" -x cost -x rows=json -c "$tmp/m 5000 wait" >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 1.5
locked=$(cat /proc/$pid/fdinfo/* 2>/dev/null | awk '$1 == "memlock:" { n += $2 } END { print n }')
stats=$(find /proc/$pid/fd -lname '*bpf-stats*' | wc -l)
wait $pid
json=$(grep '"cost"' "$tmp/out")
number() { # NAME
	grep -o "\"$1\":[0-9]*" <<<"$json" | head -n 1 | cut -d : -f 2
}
expect_eq "$stats" 1 "descriptors that make the kernel count"
expect_eq "$(number kernel_bytes)" "$locked" "memory of maps and programs: $json"
expect_match "$json" '"probe":"[^"]*:often:entry","runs":5000,' "runs as JSON"
expect_eq "$(number cpus)" "$(nproc)" "CPUs"
total=$(($(number start_ns) + $(number user_ns) + $(number system_ns)))
python3 - "$dwire" "$d" "$tmp/m 20000" <<'PY' >"$tmp/used" || fail "python: $(<"$tmp/used")"
import json, os, subprocess, sys
p = subprocess.Popen([sys.argv[1], "-qn", sys.argv[2], "-x", "cost", "--libxo", "json", "-c", sys.argv[3]],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
out = p.stdout.read()
_, _, use = os.wait4(p.pid, 0)
c = [x for x in json.loads(out)["dtrace"]["probes"] if x["name"] == "COST"][0]
mine = c["start_ns"] + c["user_ns"] + c["system_ns"]
print(int(mine <= (use.ru_utime + use.ru_stime) * 1e9), {x["probe"].split(":")[2]: x["runs"] for x in c["probes"]}["often"])
PY
expect_eq "$(<"$tmp/used")" "1 20000" "a document; no more CPU time than the kernel saw"
expect_ge "$total" 1000000 "CPU time, ns"

run_limit=20
run -q -x maxcpu=0.02% -n "$d" -c "$tmp/m 100000000"
expect_eq "$STATUS" 3 "ended by maxcpu: $ERR"
expect_match "$ERR" 'warning: the trace ends: it took [0-9.]+% of the machine in the last second .* more than maxcpu \(0.02%\)' "why"
expect_ge "$(tail -n 1 <<<"$OUT" | cut -d " " -f 1)" 1000 "what it counted is printed"
run -q -x maxcpu=100% -n 'tick-1500ms { exit(7); }'
expect_eq "$STATUS $ERR" "7 " "below the limit"
for v in 0% 2 101% %; do
	run -x maxcpu=$v -n 'BEGIN { exit(0); }'
	expect_match "$STATUS $ERR" '^1 .*it takes a percentage, as in 2% or 0.5%' "maxcpu=$v"
done
