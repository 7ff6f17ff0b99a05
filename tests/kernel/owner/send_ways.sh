# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A child that sends on sockets that it inherited owns what it sends, by whatever call: also where the call does not
# name the socket in its first argument (splice, asynchronous I/O, io_uring and its threads, 32-bit programs). What
# the kernel sends while such a process runs is not the process's: an ICMP message.
netns_new ways

check() { # FAMILY
	local way pid bytes want="" parent
	trace_in "$NETNS" "udp:::send /args[1]->cs_netns == $NETNS_ID && args[4]->udp_length > 9/ {
		printf(\"udp pid=%d len=%d\\n\", args[1]->cs_pid, args[4]->udp_length - 8) }
	tcp:::send /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"tcp pid=%d len=%d\\n\", args[1]->cs_pid, args[2]->ip_plength - args[4]->tcp_offset) }
	ip:::send /args[1]->cs_netns == $NETNS_ID && args[4]->ipv4_protocol == IPPROTO_ICMP/ {
		printf(\"icmp pid=%d\\n\", args[1]->cs_pid) }" send_ways "$1"
	! grep -q '^way_uring=' "$tmp/trigger" || expect_eq "$(grep '^icmp' <<<"$OUT" | sort -u)" "icmp pid=-1" "$1: ICMP"
	parent=$(value_of pid)
	expect_ge "$(grep -c '^way_' "$tmp/trigger")" 5 "$1: ways that this kernel has"
	while IFS='= ' read -r way pid bytes; do
		want="pid=$parent len=10"$'\n'"pid=$pid len=$bytes"
		for p in udp tcp; do # TCP may send a segment again
			expect_eq "$(grep "^$p " <<<"$OUT" | uniq | grep -B 1 "len=$bytes$" | sed "s/^$p //")" "$want" "$1 $p: ${way#way_}"
		done
	done < <(grep '^way_' "$tmp/trigger")
}

check -4
check -6
