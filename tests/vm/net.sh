#!/bin/bash
# Linux 6.12: devices, queues, buffers, ICMP, DNS, neighbours: those tests of tests/kernel, whole; and what this machine may
# not have: each kind of queue, with a tool of its name, and a delay that the kernel makes (netem).
. "$(dirname "$(realpath "$0")")/lib.sh"
in_guest || boot 6.12
modprobe -q tun
for t in net.sh qdisc.sh icmp.sh skb.sh neigh.sh dns.sh; do
	kernel_test "$t"
done

ip netns add q
ip -n q link add va type veth peer name vb
ip netns exec q sh -c 'for f in /proc/sys/net/ipv6/conf/v[ab]/disable_ipv6; do echo 1 >$f; done'
ip -n q addr add 10.78.2.1/24 dev va
ip -n q link set va up
ip -n q link set vb up
ip -n q neigh add 10.78.2.2 lladdr 02:00:00:00:00:02 dev va
cat >/tmp/send <<END
ip netns exec q $triggers/udp_send -a 10.78.2.2 -n 20 -d 10
sleep 0.3
END

# KIND OPTIONS...: twenty packets go through it one by one
queue() {
	tc -n q qdisc replace dev va root "$@" || return
	trace "qdisc-$1" --json --command "$BASH /tmp/send"
	[ "$(grep -o '"count":[0-9]*' <<<"$OUT" | awk -F: "{ n += \$2 } END { print n }")" = 20 ] && has "$OUT" "\"qdisc\":\"$1\""
}
for kind in fq "red limit 100000 min 20000 max 60000 avpkt 1000 burst 30" "tbf rate 10mbit burst 10000 limit 100000"; do
	# shellcheck disable=SC2086
	check "qdisc-${kind%% *}" queue $kind
done

delayed() {
	tc -n q qdisc replace dev va root netem delay 30ms || return
	trace qdisclat netem --json --command "$BASH /tmp/send"
	has "$OUT" '"usecs":\[(\{"value":16384,"count":[0-9]*\},?)?(\{"value":32768,"count":[0-9]*\})?' && ! has "$OUT" '"value":(8192|4096|65536),'
}
check "netem: 30 ms" delayed

finish
