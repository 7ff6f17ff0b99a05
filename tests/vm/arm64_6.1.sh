#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.1 on arm64: no fentry (ftrace calls no programs directly there before 6.4), and no bpf_cast_to_kern_ctx(): the
# probes of the network are on kprobes. Only with ./check vm-arm64.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"
in_guest || boot 6.1-arm64 1
modprobe tun
tiers_agree kprobes
check refused-functions refused tcp:::send 'fentry' functions
for t in system/syscall.sh stack/kernel.sh user/pid.sh owner/calls32.sh owner/owner_test.c; do
	kernel_test "$t"
done
for t in tcp/states.sh udp/datagrams.sh tcp/refused.sh; do
	DWIRE_TEST_TIER=kprobes kernel_test "$t"
done
finish
