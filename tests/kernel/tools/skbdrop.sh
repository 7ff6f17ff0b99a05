# SPDX-License-Identifier: GPL-2.0-or-later
# skbdrop: drops by reason, with the place in the kernel, and the counters that moved, as in /proc/net/snmp.
need jq
netns_new d
before=$(snmp "$NETNS" Udp NoPorts)
ip netns exec "$NETNS" "$dwire" skbdrop --everyone --command "udp_send -n 7" >"$tmp/out" 2>"$tmp/err" || fail "skbdrop: $(<"$tmp/err")"
moved=$(($(snmp "$NETNS" Udp NoPorts) - before))
expect_eq "$moved" 7 "datagrams that the kernel counts"
expect_eq "$(awk '$1 == "UdpNoPorts" { print $2 }' "$tmp/out")" "$moved" "UdpNoPorts"
expect_eq "$(awk '$1 == "IcmpOutDestUnreachs" { print $2 }' "$tmp/out")" "$(snmp "$NETNS" Icmp OutDestUnreachs)" "IcmpOutDestUnreachs"
expect_eq "$(awk '$1 == "TcpRtoMin" || $1 == "UdpRcvbufErrors"' "$tmp/out")" "" "counters that stand still"
expect_match "$(<"$tmp/out")" 'udp4_lib_rcv\+' "the place"

ip netns exec "$NETNS" "$dwire" skbdrop --netns "$NETNS" --json -s 4 --everyone --command "udp_send -6 -n 5" >"$tmp/all" 2>"$tmp/err" || fail "skbdrop: $(<"$tmp/err")"
grep "^{" "$tmp/all" >"$tmp/out"
expect_eq "$(jq -r 'select(.reason == "NO_SOCKET") | .drops' "$tmp/out")" 5 "drops: $(<"$tmp/out")"
expect_eq "$(jq -r 'select(.reason == "NO_SOCKET") | .stack | split(";") | length' "$tmp/out")" 4 "frames"
expect_match "$(jq -r 'select(.counters) | .counters' "$tmp/out")" 'Udp6NoPorts +5' "counters"

# By rate: datagrams that nobody wants.
"$dwire" skbdrop -r --netns "$NETNS" --json --everyone --command "ip netns exec $NETNS udp_send -n 7" >"$tmp/all" 2>"$tmp/err" || fail "skbdrop -r: $(<"$tmp/err")"
grep "^{" "$tmp/all" >"$tmp/out"
expect_eq "$(jq -r '"\(.drops) \(.reason) \(.place | split("`")[1]) \(.device) \(.saddr) \(.daddr)"' "$tmp/out")" \
	"7 NO_SOCKET __udp4_lib_rcv lo 127.0.0.1 127.0.0.1" "by rate: $(<"$tmp/out")"
expect_ge "$(jq -r .rate_s "$tmp/out")" 1 "drops a second"

# The counters are those of the namespaces that were asked for, each and together.
one=$NETNS
netns_new e
printf '%s >/dev/null\n' "ip netns exec $one udp_send -n 4" "ip netns exec $NETNS udp_send -n 3" "udp_send -n 2" |
	sed '1i#!/bin/sh' >"$tmp/both"
chmod +x "$tmp/both"
for want in "4 $one" "3 $NETNS_ID" "7 $one,$NETNS"; do
	"$dwire" skbdrop --netns "${want#* }" --everyone --command "$tmp/both" >"$tmp/out" 2>/dev/null
	expect_eq "$(awk '$1 == "UdpNoPorts" { print $2 }' "$tmp/out")" "${want% *}" "UdpNoPorts of ${want#* }"
done
"$dwire" skbdrop --netns global --everyone --command "$tmp/both" >"$tmp/out" 2>/dev/null
expect_ge "$(awk '$1 == "UdpNoPorts" { print $2 }' "$tmp/out")" 2 "UdpNoPorts of global"

# Nothing is thrown away, or nothing that is wanted.
"$dwire" skbdrop --netns "$NETNS" --json --everyone --command true >"$tmp/out" 2>/dev/null
expect_eq "$(<"$tmp/out")" "" "without drops"
"$dwire" skbdrop --netns "$NETNS" --host 192.0.2.0/24 --json --everyone --command "ip netns exec $NETNS udp_send -n 2" >"$tmp/out" 2>/dev/null
expect_eq "$(grep -c reason "$tmp/out")" 0 "of another host"

# -x netns= takes names and numbers, beside the program's own.
for want in "4 $one" "7 $one,$NETNS_ID"; do
	"$dwire" -q -x netns="${want#* }" -n 'BEGIN, END { printf("%s", netcounters); }' -c "$tmp/both" >"$tmp/out" 2>/dev/null
	expect_eq "$(awk '$1 == "UdpNoPorts" { print $2 }' "$tmp/out")" "${want% *}" "UdpNoPorts with -x netns=${want#* }"
done
"$dwire" -q -x netns=no-such -n 'BEGIN { printf("%s", netcounters); exit(0); }' >"$tmp/out" 2>&1
expect_match "$(<"$tmp/out")" '^dwire: warning: no counters of the network namespace no-such: it is not there$' "a namespace that is not there"

# What a socket holds that is closed is an ordinary end, also of UNIX sockets.
cat >"$tmp/unread.py" <<'END'
import socket
for _ in range(5):
    a, b = socket.socketpair()
    a.send(b"x")
    b.close()
END
"$dwire" skbdrop --json --everyone --command "python3 $tmp/unread.py" >"$tmp/out" 2>/dev/null
expect_eq "$(grep -c SOCKET_CLOSE "$tmp/out")" 0 "unread data of closed sockets"
