#!/bin/bash
# Linux 6.12 on arm64: what depends on the machine (registers, calling convention, system calls, stacks, instructions),
# and the providers on each tier. Only with ./check vm-arm64.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"
. "$here/fbt.lib"
in_guest || boot 6.12-arm64
for t in "$build"/tests/test_*; do
	[ ! -f "$t" ] || check "unit/${t##*/test_}" "$t"
done
fbt_tests
tiers_agree hooks functions kprobes
for t in syscall.sh stack_user.sh stack_kernel.sh stack_dwarf.sh pid.sh usdt.sh sdt.sh tcp_states.sh tcp_segments.sh \
	udp.sh ip_kinds.sh sock.sh owner_test.c; do
	kernel_test "$t"
done
finish
