#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 5.10, the oldest kernel: functions and kprobes only, no owner service. BPF's memory counts against
# RLIMIT_MEMLOCK there (64 KiB at first), the current task is a number, links of perf events and their cookies do not
# exist. What is missing is named when the script is compiled.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"
in_guest || boot 5.10 1

begins() {
	trace -qn 'BEGIN { printf("begun\n"); exit(0); }'
	[ "$STATUS" -eq 0 ] && has "$OUT" '^begun'
}

# Without CAP_SYS_RESOURCE the limit stays, and the message names it.
limited() {
	ERR=$(setpriv --bounding-set -sys_resource prlimit --memlock=65536:65536 \
		"$dwire" -qn 'BEGIN { exit(0); }' 2>&1) && return 1
	has "$ERR" 'RLIMIT_MEMLOCK\): it is 64 KiB'
}

calls() {
	trace -qn 'syscall::openat:entry /pid == $target/ { @[execname] = count(); } END { printa("%s %@d\n", @); }' -c "ls /"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\nls [1-9]'
}

names_missing() { # PROBE TEXT
	trace -qn "$1 { @ = count(); }"
	[ "$STATUS" -ne 0 ] && has "$ERR" "$2"
}

check BEGIN begins
check memory-limit limited
for tier in functions kprobes; do
	check "segments-$tier" tier_segments $tier
done
check system-calls calls
check no-owners names_missing 'tcp:::send /args[1]->cs_pid == 1/' 'Linux 5.17 or later'
finish
