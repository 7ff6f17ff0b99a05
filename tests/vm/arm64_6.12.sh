#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.12 on arm64: what depends on the machine (registers, calling convention, system calls, stacks, instructions).
# Only with ./check vm-arm64.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/fbt.lib"
in_guest || boot 6.12-arm64
fbt_tests
for t in stack/kernel.sh stack/sites.sh stack/user.sh stack/dwarf.sh system/syscall.sh user/pid.sh user/usdt.sh system/sdt.sh lang/kernel_values.sh; do
	kernel_test "$t"
done
for t in base consume format functions insn knames load sdtargs symtext tpformat usyms; do
	check "unit/$t" "$build/tests/test_$t"
done
finish
