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
# What stands before a constant 0 has its effect all the same; what a constant hides has none, and nothing for it is there.
cat >"$tmp/d.d" <<'END'
inline string device = "";
int n, hidden;
udp:::send / $target == pid && n++ && 0 / { trace("never"); }
udp:::send / $target == pid && (device == "" || hidden++) && !(device != "" && hidden++) / { n += 100; }
END { printf("%d %d\n", n, hidden); }
END
expect_eq "$("$dwire" -qs "$tmp/d.d" -c "udp_send -a 127.0.0.1 -p 9 -n 3" | grep ' ')" "303 0" "effects beside constants"
# Constants are equal where variables of the same values are: all have 64 bits (docs/D.md).
cat >"$tmp/e.d" <<'END'
int minus;
uint32_t top, half;
BEGIN { minus = -1; top = 0xffffffffU; half = 0x80000000U; }
BEGIN { printf("%d%d%d%d ", minus == top, minus != top, -half == half, minus == -1 && half != 3); }
BEGIN / -1 == 0xffffffffU / { printf("1"); }
BEGIN / -1 != 0xffffffffU / { printf("2"); }
BEGIN / -0x80000000U == 0x80000000U / { printf("3"); }
BEGIN / -1 == -1 && 0x80000000U != 3 / { printf("4"); }
BEGIN { exit(0); }
END
expect_eq "$("$dwire" -qs "$tmp/e.d")" "0101 24" "constants and variables"
# The driver's time is noted, and the device only for who reads it: two ways for each, through the table and the hash.
calls() { "$dwire" --dump=bpf -n "net:::transmit-done / $1 / { trace(1); }" | sed -n '/^; notes .*start_xmit/,/exit/p' | grep -c 'call pc'; }
expect_eq "$(calls '"a" == "a" || args[3]->if_name == "b"') $(calls 'args[3]->if_name == "b"')" "2 4" "notes of what a constant hides"
# A connection is requested at a hook and, where a firewall stops the SYN, at kfree_skb: two programs.
expect_eq "$(for o in -a "" -c; do
	# shellcheck disable=SC2086
	"$dwire" tcpconnect --program $o >"$tmp/c.d"
	"$dwire" --dump=bpf -s "$tmp/c.d" | grep -c '^; [ts]'
done | tr '\n' ' ')" "2 5 2 " "programs of tcpconnect by its options"
