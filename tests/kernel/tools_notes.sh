# timeout: 100
# What tools say before they wait for what cannot come: a device or a queue that is not there; and it is no refusal. An
# interval may stand where a kind of queue was left out.
netns_new notes
ip -n "$NETNS" link add wan0 type veth peer name uplink || skip "no veth"
tc -n "$NETNS" qdisc add dev wan0 root handle 1: tbf rate 1mbit burst 1600 limit 3000 || skip "no tbf"
in_netns() { # TOOL ARGUMENT...: it ends well, and ERR is what it said
	ip netns exec "$NETNS" "$dwire" "$@" --command true >"$tmp/out" 2>"$tmp/err" || fail "$*: $?: $(<"$tmp/err")"
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

expect_eq "$(timeout 8 "$dwire" qdisclat 1 1)" "Tracing qdisc latency. Hit Ctrl-C to end." "an interval and no kind"
expect_match "$("$dwire" qdisclat tbf 2 3 --program)" 'inline string kind = "tbf";.*inline int interval = 2;.*inline int count = 3;' "all three"
expect_eq "$("$dwire" netcheck 0 2>&1; echo $?)" "netcheck: seconds must be more than 0"$'\n'2 "netcheck 0"
expect_eq "$("$dwire" netcheck 99999999999 2>&1; echo $?)" "netcheck: seconds must be a number, not 99999999999"$'\n'2 "a large number"
expect_eq "$("$dwire" skbdrop -s 0 2>&1; echo $?)" "skbdrop: FRAMES must be more than 0"$'\n'2 "skbdrop -s 0"
