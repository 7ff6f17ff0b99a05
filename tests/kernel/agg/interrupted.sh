# SPDX-License-Identifier: GPL-2.0-or-later
# Where softirqs are off a plain addition counts, unless a program that runs with interrupts off, or a clause of ERROR, fills
# the same aggregation.
. "$here/lib/cli.lib"

atomic() { # NUMBER SCRIPT: so many atomic instructions
	local n
	n=$("$dwire" --dump=ir -n "$2" 2>&1 | grep -c 'xadd8\|cmpxchg8')
	((n == $1)) || fail "$n atomic instructions, not $1: $2"
}
atomic 0 'softnet:::entry { @ = count(); @s = sum(2); @m = max(args[0]->sn_time); @d = stddev(args[0]->sn_time); }'
atomic 2 'softnet:::entry { @a = count(); @b = count(); } softnet:::raise { @b = count(); }'
atomic 4 'softnet:::entry { @a = count(); if (cpu == 0) { @b = sum(1); } } softnet:::raise { if (cpu == 1) { @b = sum(1); } }'
atomic 1 'softnet:::entry { @a = count(); @b = count(); } dtrace:::ERROR { @b = count(); }'
"$dwire" -qn 'softnet:::entry, softnet:::raise { @n = count(); }' -c "udp_echo -4 -n 50" >out || fail "no count"
grep -q '[1-9]' out || fail "nothing was counted"
