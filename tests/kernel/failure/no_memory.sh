# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# parallel: yes
# Memory that runs out: whichever allocation is refused, dwire ends with a message and status 1, or does without and
# prints what it would have printed. Each line below is some hundred runs of dwire (tests/memory/fail_alloc.c).
. "$here/lib/lib.sh"
fail=$build/tests/dwire_fail_alloc
[ -x "$fail" ] || skip "the C library is not in the program: its allocations cannot be refused"

# WHAT STATUS LEAST STEP ARG…: ends with STATUS, after at least LEAST allocations, of which every STEP-th is refused. Most of
# it is waiting for the kernel: several at once, their results in $tmp/said.*.
refuse() {
	local how
	for how in once rest; do
		while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
		began=$((began + 1))
		(trap - EXIT && refuse_one $how "$@") >"$tmp/said.$began" 2>&1 &
	done
}
began=0

refuse_one() { # HOW WHAT STATUS LEAST STEP ARG…
	local how=$1 what=$2 status=$3 least=$4 step=$5 n
	shift 5
	out=$(FAIL_ALLOC=$how FAIL_STEP=$step FAIL_SECONDS=250 "$fail" "$@" 2>&1 </dev/null)
	expect_match "$(tail -n 1 <<<"$out")" "^[0-9]+ allocations, 0 bad, status $status\$" "$what, $how"
	grep '^allocation ' <<<"$out" | head -n 3
	n=$(sed -n '$s/ allocations.*//p' <<<"$out")
	expect_ge "$((${n:-0} * step))" "$least" "allocations of $what"
}

refuse "a compilation" 0 40 1 -eqn 'BEGIN { @[execname] = quantize(pid); printf("%s %d\n", probename, x++); exit(0); }'
refuse "a translator" 0 60 1 -eqn 'tcp:::send { printf("%s %d\n", args[2]->ip_daddr, args[4]->tcp_dport); @[ustack()] = count(); }'
refuse "many probes" 0 100 3 -eqn 'syscall:::entry { @[probefunc] = count(); } ip:::, udp:::, proc::: { @n[probename] = sum(pid); }'
refuse "errors" 1 20 1 -eqn 'tcp:::send { trace(args[2]->nothing); } x:::y { z }'
refuse "a list" 0 10 1 -ln 'tcp:::'
refuse "a trace" 0 80 1 -qn 'BEGIN { @[execname] = quantize(42); @b = count(); printf("%s\n", probename); exit(0); }'
refuse "ticks" 0 80 2 -qn 'tick-5ms { x++; } tick-20ms { printf("end\n"); exit(0); }'
refuse "owners" 0 200 17 -qn 'tcp:::send /args[1]->cs_netns == 1/ { @[args[2]->ip_daddr, args[1]->cs_execname] = count(); } tick-20ms { exit(0); }'
refuse "a tool's program" 0 20 1 tcplife --program
wait
expect_eq "$began $(cat "$tmp"/said.*)" "18 " "what went wrong"
