#!/bin/bash
# Linux 6.12 on arm64: the providers on each tier, and owners. Only with ./check vm-arm64.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"
in_guest || boot 6.12-arm64
modprobe tun # of ip_kinds.sh
tiers_agree hooks functions kprobes
for t in tcp_states.sh tcp_segments.sh tcp_reset.sh udp.sh ip_kinds.sh sock.sh owner_test.c owner_fork.sh owner_old.sh \
	owner_pass.sh cs_nspid.sh; do
	kernel_test "$t"
done
finish
