#!/bin/bash
# Linux 6.12: devices, queues, buffers, ICMP, DNS, neighbours, sockets: those tests of tests/kernel, whole; and what this
# machine may not have: each kind of queue, with a tool of its name, and delays and losses that the kernel makes (netem);
# what netcheck says of them.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/queues.lib"
. "$here/delays.lib"
. "$here/checks.lib"
in_guest || boot 6.12
modprobe -q tun
for t in net.sh qdisc.sh icmp.sh skb.sh neigh.sh dns.sh sock.sh sock_raw.sh resolver.sh skbdrop.sh; do
	kernel_test "$t"
done

queue_tests codel fq_codel fq red tbf cbs
delay_tests
check_tests

finish
