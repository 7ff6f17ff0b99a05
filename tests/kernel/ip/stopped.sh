# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# What a firewall of this machine stops on its way out, at OUTPUT or POSTROUTING: TCP, UDP and IP have sent it, as the
# kernel's counters say, and the owner is known, of the segment or datagram as well as of the drop.
need python3
need nft
netns_new stopped
ip -n "$NETNS" addr add 10.88.0.1/24 dev lo
cat >"$tmp/send.py" <<'E2'
import os, socket, sys, time
print(f"pid={os.getpid()}", file=open(sys.argv[1], "a"))
family, address = (socket.AF_INET, "10.88.0.1") if sys.argv[2] == "4" else (socket.AF_INET6, "::1")
u = socket.socket(family, socket.SOCK_DGRAM)
for n in range(3):
    try:
        u.sendto(b"hello", (address, 7777))
    except PermissionError:
        pass
t = socket.socket(family, socket.SOCK_STREAM)
t.settimeout(0.3)
try:
    t.connect((address, 7777))
except OSError:
    pass
E2
clause="ip:::drop /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ {
	printf(\"at %s %d %s\n\", args[3]->if_name, args[6]->drop_in, args[6]->drop_reason); }
tcp:::drop /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ {
	printf(\"state %d %d\n\", args[3]->tcps_state, args[3]->tcps_rport); }
ip:::send, ip:::drop, udp:::send, tcp:::send, tcp:::connect-request, tcp:::drop /args[1]->cs_netns == $NETNS_ID &&
	args[1]->cs_pid != -1/ { printf(\"%s:%s %s %d %s\n\", probeprov, probename, args[1]->cs_execname, args[1]->cs_pid,
	args[2]->ip_daddr); }
mib:::ipOutRequests, mib:::tcpActiveOpens, mib:::tcpOutSegs, mib:::udpOutDatagrams /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s:%s %d\n\", probeprov, probename, (int)args[0]); }"

stopped() { # HOOK FAMILY ADDRESS
	local group before after pid want what="stopped at $1, IPv$2"
	ip netns exec "$NETNS" nft -f - <<-END || skip "no nft"
		flush ruleset
		table inet t {
			chain c {
				type filter hook $1 priority 0;
				meta l4proto { tcp, udp } th dport 7777 drop
			}
		}
	END
	before=$(snmp "$NETNS" Tcp OutSegs)
	trace_in "$NETNS" "$clause" python3 "$tmp/send.py" "$tmp/trigger" "$2"
	after=$(snmp "$NETNS" Tcp OutSegs)
	pid=$(value_of pid)
	want=$((after - before))
	expect_eq "$(grep -c "^udp:send python3 $pid $3\$" <<<"$OUT")" 3 "$what: datagrams"
	expect_eq "$(grep -c "^tcp:send python3 $pid $3\$" <<<"$OUT")" $want "$what: segments"
	expect_eq "$(grep -c "^tcp:connect-request python3 $pid $3\$" <<<"$OUT")" 1 "$what: the first SYN"
	expect_eq "$(grep -c "^tcp:drop python3 $pid $3\$" <<<"$OUT")" $want "$what: segments thrown away"
	expect_eq "$(grep -c "^ip:send python3 $pid $3\$" <<<"$OUT")" $((3 + want)) "$what: packets"
	expect_eq "$(grep -c "^ip:drop python3 $pid $3\$" <<<"$OUT")" $((3 + want)) "$what: packets thrown away"
	expect_eq "$(grep -c "^at lo 0 NETFILTER_DROP\$" <<<"$OUT")" $((3 + want)) "$what: the device of its route"
	expect_eq "$(grep -c "^state 2 7777\$" <<<"$OUT")" $want "$what: the state of the sender"
	expect_eq "$(grep -c "^mib:tcpOutSegs 1\$" <<<"$OUT")" $want "$what: the counter of segments"
	expect_eq "$(grep -c "^mib:tcpActiveOpens 1\$" <<<"$OUT")" 1 "$what: the counter of connections"
	expect_ge "$want" 1 "$what: what the kernel has counted"
	[ "$2" = 6 ] || expect_eq "$(grep -c "^mib:ipOutRequests 1\$" <<<"$OUT")" $((3 + want)) "$what: the counter of packets"
}
stopped output 4 10.88.0.1
stopped output 6 ::1
stopped postrouting 4 10.88.0.1
stopped postrouting 6 ::1

# What is not stopped is counted once.
ip netns exec "$NETNS" nft flush ruleset
trace_in "$NETNS" "$clause" python3 "$tmp/send.py" "$tmp/trigger" 4
pid=$(value_of pid)
expect_eq "$(grep -c "^udp:send python3 $pid 10" <<<"$OUT")" 3 "datagrams that are not stopped"
expect_eq "$(grep -c "^tcp:connect-request python3 $pid" <<<"$OUT")" 1 "a SYN that is not stopped"
