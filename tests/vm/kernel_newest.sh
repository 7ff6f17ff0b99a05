#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The newest kernel that Debian's archive has (sid). It may be newer than any that dwire was run on: then that is said
# first, and what fails below is what changed in it.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/selftest.lib"
. "$here/tiers.lib"
. "$here/preempt.lib"
in_guest || boot newest 1

known=7.2 # the newest kernel on which all of this has passed
release=$(uname -r)
[ "$(printf '%s\n' "$known" "${release%%[-+]*}" | cut -d. -f1,2 | sort -V | tail -n 1)" = "$known" ] ||
	echo "Linux $release is newer than any that dwire was tested on ($known)"

attaches() { # PROBE
	trace -qn "$1 { @ = count(); } BEGIN { exit(0); }"
	[ "$STATUS" -eq 0 ]
}

for tier in hooks functions kprobes; do
	check "segments-$tier" tier_segments $tier
done
for p in udp::: ip::: skb:::drop syscall::openat:entry proc::: sched:::on-cpu io:::start vminfo::: fbt::tcp_sendmsg:entry; do
	check "attaches-$p" attaches "$p"
done
preempt_tests
kernel_test dns/messages.sh # stamps of the hooks tier, where functions can be traced, too
kernel_test net/packet_variables.sh # where the end of an sk_buff is not seen
selftest_tests
finish
