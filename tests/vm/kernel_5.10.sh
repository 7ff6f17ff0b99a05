#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 5.10, the oldest kernel: functions and kprobes only, the owner service of old kernels. BPF's memory counts against
# RLIMIT_MEMLOCK there (64 KiB at first), the current task is a number, links of perf events and their cookies do not
# exist. What is missing is named when the script is compiled.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/selftest.lib"
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

# The segments of each process, those of TIME_WAIT too. A socket without a cookie is known by its address; the ACK that each
# connection sends in TIME_WAIT leaves through a socket of the kernel, and has no id.
owners() {
	trace -qn 'tcp:::send /args[2]->ip_saddr == "127.0.0.1"/ {
			@[args[1]->cs_pid, args[1]->cs_execname] = count(); @ids[args[1]->cs_cid] = count(); }
		END { printa("sent %d %s %@d\n", @); printa("id %d %@d\n", @ids); }' -c "$triggers/tcp_echo -4 -n 3"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\nsent '"$(said server_pid) dw_server $(said server_segs_out)"$'(\n|$)' &&
		has "$OUT" $'\nsent '"$(said client_pid) dw_client $(said client_segs_out)"$'(\n|$)' &&
		has "$OUT" $'\nid 0 '"$(said client_connections)"$'(\n|$)'
}

said() { # KEY: of the trigger
	sed -n "s/^$1=//p" <<<"$OUT" | tail -n 1
}

# A listener and its connection that are there before the trace; data come half a second after its begin.
older() {
	local pid
	python3 -c '
import socket, time
l = socket.create_server(("127.0.0.1", 7799)); c = socket.create_connection(("127.0.0.1", 7799)); s = l.accept()[0]
while True: c.send(b"x" * 77); time.sleep(0.5)' &
	pid=$!
	sleep 2
	trace -qn 'tcp:::receive /args[4]->tcp_dport == 7799 && args[2]->ip_plength > 77/ { printf("of %d\n", args[1]->cs_pid); exit(0); }'
	kill $pid
	[ "$STATUS" -eq 0 ] && has "$OUT" "^of $pid"
}

datagrams() {
	trace -qn 'udp:::send, udp:::receive { @[probename, args[1]->cs_execname] = count(); }
		END { printa("%s %s %@d\n", @); }' -c "$triggers/udp_echo -4 -n 3"
	[ "$STATUS" -eq 0 ] && for p in receive send; do
		has "$OUT" $'\n'"$p dw_udp_client 3" && has "$OUT" $'\n'"$p dw_udp_server 3" || return 1
	done
}

sockets() {
	trace -qn 'sock::: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c "$triggers/tcp_echo -4 -n 1"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\naccept-done 1\n' && has "$OUT" $'\nfirst-byte 2\n' && has "$OUT" $'\nsend 2\n'
}

drops() {
	trace -qn 'skb:::drop { @[args[5]->drop_reason, func(args[5]->drop_location)] = count(); } END { printa("<%s> %a %@d\n", @); }' \
		-c "$triggers/udp_send -n 3"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'<> vmlinux`__udp4_lib_rcv(\\+0x[0-9a-f]*)? 3'
}

# What a datagram's buffer has where its device was is no address: a program that loads through it must not end the machine.
bad_pointers() {
	trace -qn 'path::: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c "$triggers/udp_echo -4 -n 40"
	[ "$STATUS" -eq 0 ] && has "$OUT"$'\n' $'\ntransmit 80\n'
}

stack() {
	trace -qn 'fbt::tcp_sendmsg:entry { @[stack()] = count(); }' -c "$triggers/tcp_echo -4 -n 1"
	[ "$STATUS" -eq 0 ] && has "$OUT" 'vmlinux`__x64_sys_sendto'
}

statistics() {
	trace -qn 'sysinfo:::syscall, vminfo:::zfod, vminfo:::maj_fault { @[probename] = count(); } END { printa("%s %@d\n", @); }' \
		-c "$triggers/pages"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\nzfod [1-9][0-9][0-9]' && has "$OUT" $'\nsyscall [1-9]'
}

profile() {
	trace -qn 'profile-97 { @[execname] = count(); } END { printa("%s %@d\n", @); }' -c "$triggers/burn -m 400"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\n?[a-z_]*burn[a-z_]* [1-9]'
}

registers() { # write(1, ...)
	trace -qn 'syscall::write:entry /pid == $target/ { @[uregs[R_RDI]] = count(); } END { printa("to %d %@d\n", @); }' -c "/bin/echo hi"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'to 1 1(\n|$)'
}

check BEGIN begins
check memory-limit limited
for tier in functions kprobes; do
	check "segments-$tier" tier_segments $tier
done
check system-calls calls
check owners owners
check older-sockets older
check datagrams datagrams
check sockets sockets
check no-reason drops
check bad-pointers bad_pointers
check stack stack
check statistics statistics
check profile profile
check registers registers
check no-exchange names_missing 'fbt::tcp_sendmsg:entry { @m = max(arg2) } BEGIN' 'atomic exchanges'
check no-exchange-packet names_missing 'path:::output { pkt->x = 1; } BEGIN' 'atomic exchanges'
check no-cache names_missing skb:::free 'tracepoint kmem_cache_free with 3 arguments'
check no-cookie names_missing resolver:::lookup-done 'it needs the BPF helper bpf_get_attach_cookie'
for t in lang/arrays.cases lang/faults.d lang/fault_addresses.d; do
	kernel_test $t
done
selftest_tests
finish
