# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 100
# Tools warn, but go on, if they wait for a device or a queue that does not exist. An interval may take the place of
# an omitted kind of queue.
netns_new notes
ip -n "$NETNS" link add wan0 type veth peer name uplink || skip "no veth"
tc -n "$NETNS" qdisc add dev wan0 root handle 1: tbf rate 1mbit burst 1600 limit 3000 || skip "no tbf"
in_netns() { # TOOL ARGUMENT...: it ends well, and ERR is what it said
	ip netns exec "$NETNS" "$dwire" "$@" --everyone --command true >"$tmp/out" 2>"$tmp/err" || fail "$*: $?: $(<"$tmp/err")"
	ERR=$(<"$tmp/err")
}

for tool in netsize neighsnoop qdisclat; do
	in_netns $tool -i wan9
	expect_eq "$ERR" "$tool: no device wan9 in this network namespace: did you mean wan0?" "$tool -i wan9"
done
in_netns netsize -i uplink
expect_eq "$ERR" "" "netsize -i uplink"
in_netns netsize -i $'"far\tether"'
expect_match "$ERR" '^netsize: no device \\"far\\011ether\\" in this network namespace$' "a name that no device has"

for tool in qdisc-cbq "qdisclat cbq"; do
	# shellcheck disable=SC2086
	in_netns $tool
	expect_eq "$ERR" "${tool% *}: no device in this network namespace has a queue of the kind cbq; they have noqueue, tbf" "$tool"
done
for tool in qdisc-tbf qdisclat "qdisc-fq --netns $NETNS" "netsize -i wan9 --netns $NETNS"; do
	# shellcheck disable=SC2086
	in_netns $tool
	expect_eq "$ERR" "" "$tool"
done

expect_eq "$(timeout 8 "$dwire" qdisclat --netns "$NETNS" 1 1 | grep -v '^[0-9:]*  interval 1$')" "Tracing qdisc latency. Hit Ctrl-C to end." "an interval and no kind"
expect_match "$("$dwire" qdisclat tbf 2 3 --program)" 'inline string kind = "tbf";.*inline int interval = 2;.*inline int count = 3;' "all three"
expect_eq "$("$dwire" netcheck 0 2>&1; echo $?)" "netcheck: seconds must be more than 0"$'\n'2 "netcheck 0"
expect_eq "$("$dwire" netcheck 99999999999 2>&1; echo $?)" "netcheck: seconds must be a number without a unit, not 99999999999"$'\n'2 "a large number"
expect_eq "$("$dwire" skbdrop -s 0 2>&1; echo $?)" "skbdrop: FRAMES must be more than 0"$'\n'2 "skbdrop -s 0"

# A container may start later; those that run are listed by their name, else by their id.
id=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
cgroup=$(findmnt -rn -t cgroup2 -o TARGET | head -n 1)
if [ -n "$cgroup" ] && mkdir "$cgroup/libpod-$id.scope" 2>/dev/null; then
	sh -c "echo \$\$ >'$cgroup/libpod-$id.scope/cgroup.procs' && exec sleep 30" &
	for i in {1..50}; do [ -s "$cgroup/libpod-$id.scope/cgroup.procs" ] && break || sleep 0.05; done
	in_netns tcplife --container "${id:0:5},$id"
	expect_eq "$(grep -v 'warning: in network namespace' <<<"$ERR")" "" "tcplife --container ${id:0:5},$id"
	in_netns tcplife --container webshop
	expect_match "$ERR" "tcplife: no container webshop is running yet; running: .*${id:0:12}" \
		"tcplife --container webshop"
	kill $!
	wait $! 2>/dev/null
	for i in {1..20}; do rmdir "$cgroup/libpod-$id.scope" 2>/dev/null && break || sleep 0.1; done
fi
