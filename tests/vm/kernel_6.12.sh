#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.12: all providers work there. What differs from the newest kernels: an accepted socket's first change of state
# comes before its addresses, the ACKs of TIME_WAIT leave by a socket of the kernel's own, and the receive hook of the
# owner service. So these tests of tests/kernel, whole; they compare with the triggers' own counts.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/selftest.lib"
. "$here/tiers.lib"
. "$here/fbt.lib"
. "$here/sctp.lib"
. "$here/kinds.lib"
. "$here/errors.lib"
. "$here/mib.lib"
. "$here/instruments.lib"
. "$here/wifi.lib"
. "$here/hotplug.lib"
. "$here/missed.lib"
. "$here/preempt.lib"
in_guest || boot 6.12
fbt_tests
check fbt-modules fbt_modules
for tier in functions kprobes; do
	check "refused-exec-success-$tier" refused proc:::exec-success 'it is not seen there' $tier
	check "refused-autoresize-$tier" refused tcp:::receive-autoresize 'it is not seen there' $tier
done
tiers_agree hooks functions kprobes
mib_tests hooks functions:events kprobes:events
kind_tests "hooks kprobes" "hooks functions" hooks functions kprobes
instrument_tests system/io.sh system/lockstat.sh cli/signals.sh
hotplug_test
missed_tests
preempt_tests voluntary:fentry none:fentry full:kprobe
wifi_tests
sctp_tests hooks kprobes
for t in net/path_functions.sh net/path_vlans.sh docs/tiers.sh tcp/segments.sh docs/oneliners.sh owner/owner_test.c; do
	kernel_test "$t"
done
DWIRE_TEST_TIER=functions kernel_test ip/stopped.sh
DWIRE_TEST_TIER=functions kernel_test net/path_data.sh # TCP has no IP header yet where functions show it
selftest_tests
error_tests
finish
