#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.12 on arm64: the providers on each tier, and owners. Only with ./check vm-arm64.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"
. "$here/missed.lib"
in_guest || boot 6.12-arm64
modprobe tun # of ip_kinds.sh
missed_tests
tiers_agree hooks functions kprobes
for t in tcp/states.sh tcp/segments.sh tcp/reset.sh udp/datagrams.sh ip/kinds.sh sock/calls.sh owner/owner_test.c owner/fork.sh owner/older_sockets.sh \
	owner/pass.sh owner/nspid.sh owner/calls32.sh; do
	kernel_test "$t"
done
finish
