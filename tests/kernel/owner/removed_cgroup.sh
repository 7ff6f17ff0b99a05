# SPDX-License-Identifier: GPL-2.0-or-later
# A container's cgroup that was removed while a connection made in it lives on still has a name; so does a network
# namespace without a name. The cgroup programs of another tracer: neither disturbs the other.
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip "no cgroup2"
netns_new gone
id=fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210
dir=$root/docker-$id.scope
mkdir "$dir" || skip "cannot make a cgroup"
at_exit 'for i in 1 2 3 4 5; do rmdir "$dir" 2>/dev/null && break; sleep 0.05; done'
cat >"$tmp/inside" <<-END
	#!/bin/bash
	echo \$\$ >"$dir/cgroup.procs" || exit 1
	exec ip netns exec "$NETNS" old_socket "\$@"
END
chmod +x "$tmp/inside"
start_waiting "$tmp/inside"
mapfile -t inside <"$dir/cgroup.procs"
for pid in "${inside[@]}"; do echo "$pid" >"$root/cgroup.procs"; done
for i in 1 2 3 4 5 6 7 8 9 10; do rmdir "$dir" 2>/dev/null && break || sleep 0.05; done
[ -d "$dir" ] && fail "the cgroup is still there"
trace_waiting "tcp:::send, tcp:::receive, udp:::send /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ {
	@[args[1]->cs_runtime, args[1]->cs_container, args[1]->cs_cgroupname] = count(); }"
expect_eq "$(awk 'NF { print $1, $2, $3 }' <<<"$OUT")" "docker fedcba987654 docker-$id.scope" "a container that is gone"

# a namespace without a name that ends during the trace
trace_with 'tcp:::send /args[1]->cs_execname == "dw_ns_client" || args[1]->cs_execname == "dw_ns_server"/ {
	@[args[1]->cs_netns == args[1]->cs_zoneid, args[1]->cs_zonename != "global"] = count(); }' netns_pair -4 -n 1
expect_eq "$(awk 'NF { print $1, $2 }' <<<"$OUT")" "1 1" "namespaces that come and go"

# two tracers at once, the first one's programs at the same hooks
"$dwire" -q -n "tcp:::send /args[1]->cs_netns == $NETNS_ID/ { @ = sum(args[2]->ip_plength - args[4]->tcp_offset); }
	tick-1ms /!ready++/ { printf(\"ready\n\"); }" >"$tmp/first" 2>&1 &
first=$!
until grep -qs ready "$tmp/first"; do sleep 0.02; done
sum="tcp:::send /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ { @ = sum(args[2]->ip_plength - args[4]->tcp_offset); }"
trace_in "$NETNS" "$sum" tcp_echo -q -n 2
one=$(($(value_of client_bytes_out) + $(value_of server_bytes_out)))
expect_eq "${OUT//[[:space:]]/}" "$one" "the second tracer"
trace_in "$NETNS" "$sum" tcp_echo -q -n 2
expect_eq "${OUT//[[:space:]]/}" "$one" "a third one"
kill -INT $first
wait $first
expect_eq "$(awk '/^ *[0-9]+$/ { print $1 }' "$tmp/first")" $((2 * one)) "the first tracer saw both"
