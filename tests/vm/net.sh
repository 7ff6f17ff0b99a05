#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.12: devices, queues, buffers, ICMP, DNS, neighbours, sockets: those tests of tests/kernel, whole; and what this
# machine may not have: each kind of queue, with a tool of its name, and delays and losses that the kernel makes (netem);
# what netcheck says of them.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/queues.lib"
. "$here/delays.lib"
. "$here/checks.lib"
in_guest || VM_DEVICES="-netdev user,id=card,restrict=on -device e1000,netdev=card" boot 6.12 1
modprobe -q tun
for t in net/devices.sh net/qdisc.sh net/skb.sh net/neigh.sh tools/devices.sh; do
	kernel_test "$t"
done

# What Linux 6.1 and the newest kernels are asked of in whole: this one's verifier takes every probe, with its arguments.
loads() { # PROVIDER ARGUMENTS
	trace -qn "$1::: { @[$2] = count() }" -c true
	[ "$STATUS" -eq 0 ] && [ -z "$ERR" ]
}
check loads-sock loads sock 'args[1]->cs_pid, args[1]->cs_container'
check loads-dns loads dns 'args[1]->cs_pid, args[2]->ip_saddr'
check loads-icmp loads icmp 'args[1]->cs_pid, args[2]->ip_daddr, args[4]->icmp_typestr'
check loads-udp loads udp 'args[1]->cs_pid, args[2]->ip_daddr, args[4]->udp_length'

# What paces and what queues: fq, and a network card with byte queue limits.
for t in net/netfilter.sh tools/pacinglat.sh tools/skblife.sh; do
	kernel_test "$t"
done
for t in tools/bqllat.sh net/path_bql.sh; do
	modprobe -q e1000 && kernel_test "$t"
done

queue_tests codel fq_codel fq red tbf cbs
delay_tests
check_tests

finish
