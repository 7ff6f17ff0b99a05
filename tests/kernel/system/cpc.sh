# SPDX-License-Identifier: GPL-2.0-or-later
# cpc: events of the kernel against the trigger's and the kernel's own counts; names that cannot be.
d='cpc:::page_faults-user-1, cpc:::page_faults-all-1, cpc:::page_faults-kernel-1 /pid == $target/ { @[probename] = count(); }
	cpc:::page_faults-user-1 /pid == $target && arg0 == 0 && arg1 != 0/ { @["pc"] = count(); }
	END { printa("%s %@d\n", @); }'
n() { awk -v k="$1" '$1 == k { s += $2 } END { print s + 0 }' <<<"$OUT"; }
trace_with "$d" pages -n 1000
few=$(n page_faults-user-1)
trace_with "$d" pages -n 3000
# The rest of the program is the same both times, but for what depends on where its memory lies.
expect_ge "$(($(n page_faults-user-1) - few))" 1990 "faults of the program"
expect_le "$(($(n page_faults-user-1) - few))" 2010 "faults of the program"
expect_eq "$(n pc)" "$(n page_faults-user-1)" "faults with an address of the program"
expect_eq "$(n page_faults-all-1)" $(($(n page_faults-user-1) + $(n page_faults-kernel-1))) "faults by mode"

# Every hundredth, on each CPU, whoever faults
trace_with 'cpc:::page_faults-all-100 { @s[cpu] = count(); } cpc:::page_faults-all-1 { @a[cpu] = count(); }
	END { printa("%d %@d %@d\n", @s, @a); }' pages -n 5000
expect_eq "$(awk 'NF == 3 && ($2 * 100 > $3 + 100 || $2 * 100 < $3 - 100)' <<<"$OUT")" "" "a hundredth of the faults"
expect_ge "$(awk 'NF == 3 { n += $3 } END { print n + 0 }' <<<"$OUT")" 5000 "faults of all"

# Switches of a thread, as /proc has them; those of its end come after it has read them.
cat >"$tmp/wait" <<'S'
#!/bin/bash
exec 3<>"$1"
for _ in {1..20}; do read -rt 0.01 <&3; done
while read -r what n; do
	case $what in *voluntary_ctxt_switches:) all=$((all + n)) ;; esac
done </proc/$$/status
echo "switches=$all"
S
chmod +x "$tmp/wait"
mkfifo "$tmp/fifo"
dwire_opts=(-q -x evaltime=exec)
trace_with 'cpc:::context_switches-all-1 /pid == $target/ { @ = count(); } END { printa("switches %@d\n", @); }' \
	"$tmp/wait" "$tmp/fifo"
switches=$(value_of switches)
expect_ge "$switches" 20 "the program's switches"
expect_ge "$(n switches)" $((switches - 3)) "switches, but those before the program began"
expect_le "$(n switches)" $((switches + 5)) "switches"
dwire_opts=(-q)

# Time: a thread that only computes has a firing a millisecond of its own.
trace_with 'cpc:::cpu_clock-user-1000000 /pid == $target/ { @ = count(); } END { printa("ms %@d\n", @); }' burn -m 300
ms=$(($(value_of cpu_ns) / 1000000))
expect_ge "$(n ms)" $((ms * 7 / 10)) "milliseconds in the program"
expect_le "$(n ms)" $((ms * 13 / 10 + 5)) "milliseconds in the program"

refused() { # NAME WHY
	"$dwire" -n "cpc:::$1 { @ = count(); } tick-1s { exit(0); }" >/dev/null 2>"$tmp/err" && fail "$1 is traced"
	expect_match "$(<"$tmp/err")" "$2" "$1"
}
refused cpu_cycles-all-4999 'at least 5000'
refused cpu_clock-all-199999 'at least 200000'
refused page_faults-both-1 'EVENT-MODE-COUNT'
refused nosuch-all-100000 'EVENT-MODE-COUNT'
refused page_faults-all 'ends with a count'
# What -l lists can be traced, if this machine counts it at all; a pattern means those that it does.
ls -d /sys/bus/event_source/devices/cpu* /sys/bus/event_source/devices/armv* >/dev/null 2>&1 ||
	refused PAPI_tot_cyc-all-100000 'perf event PAPI_tot_cyc-all, which this machine does not count'
expect_eq "$("$dwire" -l -n 'cpc:::PAPI_tot_cyc-*' | grep -c PAPI_tot_cyc-)" 3 "modes of an event"
trace_with 'cpc:::*-all-* { @ = count(); } tick-100ms { exit(0); } END { printa("fired %@d\n", @); }' sleep 1
expect_ge "$(n fired)" 1 "what this machine counts"
