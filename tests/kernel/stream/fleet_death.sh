# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# dwire on when things die: the caller, a machine, the way to it; one that stands still, one that writes rubbish.
. "$here/lib/fleet.lib"
fleet_new 3
write_tick
expect_end_with_caller "$FLEET"

# A machine that stands still, and goes on: nobody waits for it longer than two beats.
: >out
"${on[@]}" "$FLEET" -s tick.d >out 2>err &
wait_for out '^beat 3$'
slow=$(there "${NODES[1]}")
kill -STOP "$slow"
wait_for out '^beat 2$'
wait_for err "^dwire: 2 of 3 hosts report; "
expect_eq "$(<err)" "dwire: ${NODES[1]}: silent; its last values stay
dwire: 2 of 3 hosts report; silent: ${NODES[1]}" "a report of the silence"
kill -CONT "$slow"
wait_for err "${NODES[1]}: reports again"
end_on
expect_eq "$STATUS" 0 "status after that: $(<err)"

# A machine whose program is killed is missed, and the others go on. When clush itself is killed, all of them end.
: >out
"${on[@]}" "$FLEET" -s tick.d >out 2>err &
pid=$!
wait_for out '^beat 3$'
kill -KILL "$(there "${NODES[0]}")"
wait_for out '^beat 2$'
kill -KILL "$(pgrep -P $pid -f clush)"
wait $pid
expect_eq $? 1 "status after two deaths"
for n in "${NODES[@]}"; do
	expect_match "$(<err)" "$n: its stream ended early; its last values stay" "a report of $n"
done
expect_match "$(<err)" "0 of 3 sources are complete" "and what is left"
expect_ended

# A machine that writes rubbish, and speaks as another one: it is reported under its name and changes nothing.
cat >rubbish.sh <<'SH'
#!/bin/bash
# rubbish.sh DWIRE ARG…: the second machine is hostile
if [ "$(stat -L -c %i /proc/self/ns/net)" = "$EVIL" ]; then
	echo "a banner"
	head -c 2000 /dev/urandom | base64 -w 0
	printf '\n%s: {"s":"0123456789abcdef","n":0,"f":"hello","v":1,"host":"x","hash":"h"}\n' "$VICTIM"
	printf '{"s":"0123456789abcdef","n":1,"f":"row","clause":0,"t":1,"out":[[0]]}\n'
	echo "a message" >&2
	exit 5
fi
exec ./host.sh "$@"
SH
chmod +x rubbish.sh
: >out
EVIL=${IDS[1]} VICTIM=${NODES[0]} "$dwire" on --by host --through 'ip netns exec %h' --dwire "$PWD/rubbish.sh $dwire" "$FLEET" \
	-s tick.d >out 2>err &
wait_for out " beat 1$"
end_on
expect_eq "$STATUS" 1 "status beside rubbish"
expect_eq "$(awk '$2 == "beat" { print $1 }' out | sort -u)" "${NODES[0]}
${NODES[2]}" "machines that are shown"
expect_match "$(<err)" "dwire: warning: ${NODES[1]}: a line that is no frame is passed over" "a report of the rubbish: $(<err)"
expect_match "$(<err)" "dwire: ${NODES[1]}: a message" "what it says"
expect_eq "$(grep -c "${NODES[0]}" err)" 0 "nothing is said of the one whose name it used: $(<err)"
