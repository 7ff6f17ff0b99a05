# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A script that reads owners and sees TCP's states, or what leaves, has its programs there called by those of the owner
# service (Linux 6.3 and later), not by the kernel, which takes longer; with -x cost, where the kernel counts their runs,
# they are attached by themselves. They miss nothing either way, also beside other traces.
need python3
netns_new after
pids=() names=()
begin() { # NAME CONDITION ARG…
	local name=$1 when=$2
	shift 2
	names+=("$name")
	"$dwire" "$@" -qn "tcp:::state-change
		/args[1]->cs_netns == $NETNS_ID && $when && args[3]->tcps_state == TCP_STATE_ESTABLISHED/ { @[1] = count(); }
		tcp:::send
		/args[1]->cs_netns == $NETNS_ID && $when && args[2]->ip_plength > args[4]->tcp_offset/ { @[2] = count(); }
		tick-100ms /!said++/ { printf(\"armed\\n\"); } END { printa(\"%d %@d\\n\", @); }" \
		>"$tmp/$name" 2>"$tmp/$name.err" &
	pids+=($!)
}
owned='args[1]->cs_pid != -1'
begin one "$owned"
begin two "$owned"
begin cost "$owned" -x cost
begin alone arg0
for name in "${names[@]}"; do
	for _ in {1..400}; do
		grep -q armed "$tmp/$name" && break
		sleep 0.1
	done
	grep -q armed "$tmp/$name" || fail "$name is not armed: $(<"$tmp/$name.err")"
done
ip netns exec "$NETNS" tcp_pingpong -4 -o -n 100 >"$tmp/load" || fail "the load failed"
opens=$(ip netns exec "$NETNS" awk '/^Tcp: [0-9]/ { print $6 + $7 }' /proc/net/snmp) # active and passive, by the kernel
linked() { # NUMBER
	python3 "$PYTHONPATH/linked.py" "${pids[$1]}"
}
read -r own_states own_leaves arrays <<<"$(linked 3)"
expect_eq "$arrays" 0 "arrays without the owner service"
read -r states leaves arrays <<<"$(linked 0)"
expect_eq "$(linked 1)" "$states $leaves $arrays" "links and arrays, of a second trace"
[ "$arrays" -gt 0 ] || own_states=0 own_leaves=0
expect_eq "$(linked 2)" "$((states + own_states)) $((leaves + own_leaves)) $arrays" "links and arrays with -x cost"
expect_ge "$opens" 200 "ends of connections"
bytes=$((2 * $(sed -n 's/^rounds=//p' "$tmp/load")))
arrays=
for pid in "${pids[@]}"; do
	for info in /proc/"$pid"/fdinfo/*; do
		arrays+=" $(awk '/^map_type:/ { array = $2 == 3 } /^map_id:/ && array { print $2 }' "$info")"
	done
done
# Who opens all maps again and again meanwhile must not keep the arrays from being freed.
if hash bpftool 2>/dev/null; then
	while [ ! -e "$tmp/listed" ]; do
		bpftool map show >"$tmp/maps" 2>&1
	done &
	lists=$!
fi
kill -INT "${pids[@]}"
for i in "${!pids[@]}"; do
	wait "${pids[i]}" || fail "${names[i]} ended with $?: $(<"$tmp/${names[i]}.err")"
	expect_eq "$(sed -n '/^1 /p; /^2 /p' "$tmp/${names[i]}" | sort | xargs)" "1 $opens 2 $bytes" \
		"ends of connections, and segments of a byte, that ${names[i]} saw"
done
: >"$tmp/listed"
[ -z "${lists-}" ] || wait "$lists"
[ -z "${lists-}" ] || for id in $arrays; do
	for _ in {1..50}; do
		bpftool map show id "$id" >"$tmp/maps" 2>&1 || continue 2
		sleep 0.1
	done
	fail "the array $id is left"
done
