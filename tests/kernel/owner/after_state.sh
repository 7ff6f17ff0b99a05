# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A script that reads owners and sees TCP's states has its program there called by that of the owner service (Linux 6.3
# and later), not by the kernel, which takes longer; with -x cost, where the kernel counts its runs, it is attached by
# itself. It misses nothing either way, also beside other traces.
need python3
netns_new after
pids=() names=()
begin() { # NAME ARG…
	local name=$1
	shift
	names+=("$name")
	"$dwire" "$@" -qn "tcp:::state-change
		/args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1 && args[3]->tcps_state == TCP_STATE_ESTABLISHED/
		{ @ = count(); } tick-100ms /!said++/ { printf(\"armed\\n\"); } END { printa(\"%@d\\n\", @); }" \
		>"$tmp/$name" 2>"$tmp/$name.err" &
	pids+=($!)
}
begin one
begin two
begin cost -x cost
for name in "${names[@]}"; do
	for _ in {1..400}; do
		grep -q armed "$tmp/$name" && break
		sleep 0.1
	done
	grep -q armed "$tmp/$name" || fail "$name is not armed: $(<"$tmp/$name.err")"
done
ip netns exec "$NETNS" tcp_pingpong -4 -o -n 100 >"$tmp/load" || fail "the load failed"
opens=$(ip netns exec "$NETNS" awk '/^Tcp: [0-9]/ { print $6 + $7 }' /proc/net/snmp) # active and passive, by the kernel
read -r links array <<<"$(python3 "$PYTHONPATH/linked.py" "${pids[0]}")"
expect_eq "$(python3 "$PYTHONPATH/linked.py" "${pids[1]}")" "$links $array" "links and arrays, of a second trace"
expect_eq "$(python3 "$PYTHONPATH/linked.py" "${pids[2]}")" "$((links + array)) $array" "links and arrays with -x cost"
expect_ge "$opens" 200 "ends of connections"
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
	expect_eq "$(grep -m1 '^[0-9]' "$tmp/${names[i]}")" "$opens" "ends of connections that ${names[i]} saw"
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
