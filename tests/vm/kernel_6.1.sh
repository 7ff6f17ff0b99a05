#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.1: no bpf_cast_to_kern_ctx(), no bpf_rdonly_cast(), no kprobe.multi. There the network providers are on functions
# of the kernel, and on kprobes when asked; a tier that cannot see a probe refuses it before anything runs.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/selftest.lib"
. "$here/tiers.lib"
. "$here/fbt.lib"
. "$here/sctp.lib"
. "$here/modules.lib"
. "$here/kinds.lib"
. "$here/errors.lib"
. "$here/mib.lib"
. "$here/instruments.lib"
. "$here/delays.lib"
. "$here/checks.lib"
. "$here/first.lib"
in_guest || boot 6.1 1

ticks() {
	trace -qn 'BEGIN { n = 0 } tick-50ms { n++ } tick-50ms /n == 4/ { exit(0) } END { printf("%d %s\n", n, execname) }'
	[ "$STATUS" -eq 0 ] && [ "$OUT" = "4 dwire" ]
}

# One CPU that works all the time fires at the rate asked for, or the loss is said.
sampled() {
	local fired missed
	trace -qn 'profile-197 { @ = count() } tick-2s { exit(0) } END { printa("fired %@d\n", @) }'
	fired=$(sed -n 's/^fired //p' <<<"$OUT")
	missed=$(sed -n 's/^dwire: \([0-9]*\) profile firings\? missed.*/\1/p' <<<"$ERR")
	[ "$STATUS" -eq 0 ] && [ "${fired:-0}" -gt 0 ] && [ $((fired + ${missed:-0})) -ge 394 ]
}

# The packets of a trigger come in through the loopback device: there is no other traffic in its namespace.
packets_in() {
	local ns=vm$$ id out datagrams
	ip netns add $ns
	ip -n $ns link set lo up
	id=$(stat -L -c %i "/run/netns/$ns")
	out=$(mktemp)
	printf '#!/bin/sh\nexec ip netns exec %s %s/udp_echo -6 -n 7 >%s\n' "$ns" "$triggers" "$out" >"$out.sh"
	chmod +x "$out.sh"
	trace -qn "ip:::receive /args[3]->if_ipstack == $id && args[5]->ipv6_nexthdr == 17/ {
		@[args[2]->ip_saddr, args[2]->ip_daddr, args[3]->if_name] = count() }
		END { printa(\"%s %s %s %@d\n\", @) }" -c "$out.sh"
	datagrams=$(($(sed -n 's/^client_datagrams_out=//p' "$out") + $(sed -n 's/^server_datagrams_out=//p' "$out")))
	ip netns del $ns
	[ "$STATUS" -eq 0 ] && [ $datagrams -eq 14 ] && [ "$OUT" = "::1 ::1 lo $datagrams" ]
}

details() { # -lv says of each site whether it is there, and which are used
	trace -lvvn 'tcp:::'
	[ "$STATUS" -eq 0 ] && has "$OUT" $'cgroup_skb/egress \\(not on this kernel\\)' &&
		has "$OUT" $'fentry ip_finish_output\n' && has "$OUT" $'tp_btf inet_sock_set_state\n' &&
		has "$OUT" $'tcp_send_reset \\(not on this kernel\\)'
}

# The process that detaches probes behind dwire has ended.
await_detached() {
	local waited=0
	while pgrep -x dwire >/dev/null && [ $((waited += 1)) -lt 300 ]; do sleep 0.2; done
	[ $waited -lt 300 ]
}

# Many probes of a process, each an event of its own here, are taken away when dwire has ended, and all of them.
detached_behind() {
	local left
	trace -qn 'pid$target:libc:mem*:entry,pid$target:libc:str*:entry { @ = count(); }' -c true
	left=$(pgrep -cx dwire)
	await_detached && [ "$STATUS" -eq 0 ] && [ "$left" -eq 1 ] && [ "$(bpftool prog show | grep -c ': kprobe')" -eq 0 ]
}

# Each function takes a descriptor. If there can never be enough, nothing is attached: taking hundreds away again takes
# minutes, and another process would be at it behind dwire.
too_many() {
	local left trace_in=(bash -c 'ulimit -n 300 && exec "$@"' -)
	trace -qn 'fbt:vmlinux:a*:entry { @ = count(); }' -c true
	left=$(pgrep -cx dwire)
	await_detached && [ "$STATUS" -eq 1 ] && [ "$left" -eq 0 ] &&
		has "$ERR" 'cannot attach fbt:vmlinux:a[a-z_0-9.]*:entry and [0-9]{3,} other probes: each function needs a' &&
		has "$ERR" 'may not have so many \(ulimit -n\)'
}

# Programs that take scratch memory before the site's condition may end before that: other CPUs are not traced.
one_cpu() {
	trace -x cpu=0 -qn 'path:::output /args[4]->path_dport == 7001/ { @ = count() } END { printa("%@d\n", @) }' \
		-c "sh -c 'ip link set lo up; $triggers/udp_send -a 127.0.0.1 -p 7001 -n 3 >/dev/null'"
	[ "$STATUS" -eq 0 ] && [ "$OUT" = 3 ]
}

# The largest programs: guarded calls take stack from them, and beside a firewall there is more to read.
wide() {
	ip link set lo up
	nft -f - <<<'table ip t { chain in { type filter hook input priority 0; ct state new accept; }; }' || return
	trace pktpath --wide -P 7001 -n 1 --command "$triggers/udp_send -a 127.0.0.1 -p 7001 -n 1"
	[ "$STATUS" -eq 0 ] && [[ $OUT == *' udp-out '*' output '*' driver-in '* ]]
}

check BEGIN-tick-END ticks
check one-cpu one_cpu
check detached-behind detached_behind
check too-many too_many
check profile sampled
check ip-receive packets_in
for p in tcp:::send udp:::receive; do
	check "refused-$p" refused $p 'bpf_cast_to_kern_ctx\(\)'
done
check refused-tcp:::accept-refused refused tcp:::accept-refused 'tracepoint tcp_send_reset with 3 arguments'
check refused-proc:::exec-success refused proc:::exec-success 'it is not seen there' functions
check list details
fbt_tests
tiers_agree functions kprobes
mib_tests default functions:events kprobes
kind_tests functions kprobes functions kprobes
module_tests
instrument_tests system/io.sh system/vminfo.sh system/sched.sh user/usdt.sh failure/programs.sh
first_tests
check_tests short
sctp_tests functions
for t in net/path_functions.sh docs/tiers.sh tcp/states.sh udp/datagrams.sh sock/calls.sh dns/messages.sh owner/daemon.sh owner/fork.sh owner/owner_test.c ip/stopped.sh \
	lang/arrays.cases lang/faults.d lang/fault_addresses.d; do
	kernel_test "$t"
done
check wide wide
selftest_tests
error_tests # the last: they lock the kernel down
finish
