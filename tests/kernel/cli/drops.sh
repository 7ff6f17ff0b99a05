# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing is lost in silence: printed and dropped events add up to all that happened.
. "$here/lib/cli.lib"
count=20000
d='udp:::send /args[4]->udp_dport == 9754 || args[4]->udp_sport == 9754/ { printf("r %d\n", timestamp); }'

summed() { # WHAT
	local sent printed drops
	sent=$(($(value_of client_datagrams_out) + $(value_of server_datagrams_out)))
	printed=$(grep -c '^r [0-9]*$' "$tmp/out")
	drops=$(awk '/ drops? on CPU [0-9]+$/ { n += $2 } END { print n + 0 }' "$tmp/err")
	expect_eq $((printed + drops)) "$sent" "$1: printed $printed, dropped $drops"
	expect_eq "$(grep -vE '^dwire: [0-9]+ drops? on CPU' "$tmp/err")" "" "$1: messages"
	dropped=$drops
}

# A ring that is far too small for the rate.
dwire_opts=(-q -x bufsize=4k -x switchrate=1s "${tier_opts[@]}")
want_told=drops
trace_with "$d" udp_echo -n $count -p 9754
summed "a full ring"
expect_ge "$dropped" 1 "drops with a full ring"

# A tracer that stands still while the events happen, and goes on later.
traced "$d" -x bufsize=64k
kill -STOP $tracer
trigger udp_echo -n $count -p 9754
kill -CONT $tracer
sleep 0.3
kill -INT $tracer
ended
expect_eq "$STATUS" 0 "status after SIGSTOP and SIGCONT"
summed "stopped"
expect_ge "$dropped" 1 "drops of a stopped tracer"

# Two at once see the same.
d='udp:::send /args[4]->udp_dport == 9754 || args[4]->udp_sport == 9754/ { @ = count(); } END { printa("%@d\n", @); }'
traced "$d"
other=$tracer
mv "$tmp/out" "$tmp/out1"
trace_with "$d" udp_echo -n 1000 -p 9754
expect_eq "${OUT//[[:space:]]/}" 2000 "the second of two traces"
kill -INT "$other"
wait "$other"
expect_eq "$(tr -d '[:space:]' <"$tmp/out1")" 2000 "the first of two traces"
