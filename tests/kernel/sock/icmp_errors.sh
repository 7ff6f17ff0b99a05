# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# connect() to an address that ICMP reports unreachable while the call still holds its socket: a router of this
# machine answers at once. The process learns it by poll() and SO_ERROR; connect-done reports it, and also that a
# process gave up.
need python3
netns_new router
router=$NETNS
netns_new client
ip link add vc netns "$NETNS" type veth peer name vr netns "$router" || skip "no veth"
ip -n "$NETNS" addr add 10.78.8.1/24 dev vc
ip -n "$router" addr add 10.78.8.2/24 dev vr
ip -n "$NETNS" link set vc up
ip -n "$router" link set vr up
ip -n "$NETNS" route add default via 10.78.8.2
ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0
ip -n "$router" route add unreachable 10.78.100.0/24
ip -n "$router" route add prohibit 10.78.101.0/24
ip -n "$router" route add blackhole 10.78.102.0/24
cat >"$tmp/ask" <<-'END'
	import socket

	for n in 100, 101, 99, 102:
	    s = socket.socket()
	    s.settimeout(0.3)
	    try:
	        s.connect(("10.78.%d.1" % n, 7777))
	    except OSError as e:
	        print("told%d=%s" % (n, e.errno))
	    s.close()
END
trace_in "$NETNS" "sock:::connect-done /args[1]->cs_netns == $NETNS_ID/
	{ printf(\"done to=%s errno=%d\\n\", args[0]->so_raddr, args[2]->sr_errno); }" python3 "$tmp/ask"
for n in 100 101 99; do # EHOSTUNREACH, EACCES or EHOSTUNREACH, ENETUNREACH
	expect_count "v[\"to\"] == \"10.78.$n.1\" && v[\"errno\"] == $(value_of told$n)" 1 "10.78.$n.1: as the process saw it"
done
expect_eq "$(value_of told102)" None "no answer at all"
expect_count 'v["to"] == "10.78.102.1" && v["errno"] == 125' 1 "given up"
expect_count 1 4 "nothing else"
