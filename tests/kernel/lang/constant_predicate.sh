# SPDX-License-Identifier: GPL-2.0-or-later
# A clause whose predicate is a constant 0 has no program. A script of such clauses alone traces nothing and is no
# error.
programs() { "$dwire" --dump=bpf -s "$1" | grep -c '^; .*:::.* at '; }

printf 'inline int on = 0;\nsyscall:::entry / on && pid == 5 / { trace(1); }\nproc:::lwp-exit / !on / { trace(2); }\n' >"$tmp/a.d"
expect_eq "$(programs "$tmp/a.d")" 1 "programs with an option off"
sed -i 's/on = 0/on = 1/' "$tmp/a.d"
expect_eq "$(programs "$tmp/a.d")" 1 "programs with it on"
printf 'inline int a = 3;\nsyscall:::entry / a == 4 || !a / { trace(1); }\ntick-100ms { exit(0); }\n' >"$tmp/b.d"
expect_eq "$("$dwire" -qs "$tmp/b.d"; echo $?)" $'\n0' "a trace of what never happens"
# A connection is requested at a hook and, where a firewall stops the SYN, at kfree_skb: two programs.
expect_eq "$(for o in -a "" -c; do
	# shellcheck disable=SC2086
	"$dwire" tcpconnect --program $o >"$tmp/c.d"
	"$dwire" --dump=bpf -s "$tmp/c.d" | grep -c '^; [ts]'
done | tr '\n' ' ')" "2 5 2 " "programs of tcpconnect by its options"
