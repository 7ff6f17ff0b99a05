# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# dwire on over ssh: each machine is a namespace behind a wire, with an sshd of the test's (its port, keys and user list).
# Rows, the copied program, the caller's SIGKILL, and a wire that is cut in the midst of a trace.
# DWIRE_TEST_SSHD: the server, where it is not in the path.
. "$here/lib/fleet.lib"
. "$here/lib/ssh.lib"
ssh_fleet 3
write_tick

rows() { # WORD: the lines with it, their columns one blank apart
	grep -w "$1" out | awk '{ $1 = $1; print }' | sort
}

# Exact counts of three machines. The connection to the machine itself is not of the trace.
cat >sent.d <<D
#pragma D option quiet
dtrace:::BEGIN { printf("go\n"); }
tcp:::send
/ args[1]->cs_netns == \$1 && args[3]->tcps_lport != $SSH_PORT && args[3]->tcps_rport != $SSH_PORT /
{ @sent["sent"] = count(); }
dtrace:::END { printa("%s %@d\n", @sent); }
D
: >out
"${on[@]}" "$FLEET" -s sent.d >out 2>err &
wait_for out '^go$'
echoes
end_on
expect_eq "$STATUS $(grep -v '^$' out)" "0 go
sent $SEGMENTS" "three machines by ssh: $(<err)"

# The program is sent, makes rows, and is removed.
"${copying[@]}" --copy="$PWD/copies" --by host "$FLEET" -qn 'BEGIN { @["rows"] = sum(42); exit(0); }' >out 2>err
expect_eq "$? $(rows rows)" "0 $(printf '%s rows 42\n' "${HOSTS[@]}" | sort)" "rows of a copied dwire: $(<err)"
for pid in "${SSHDS[@]}"; do
	expect_eq "$(nsenter -m -t "$pid" ls -A "$PWD/copies")" "" "a machine's copy is gone"
done

expect_end_with_caller "$FLEET"

# A wire is cut and mended: the others go on, the machine's last state stays, and it reports again.
: >out
"${on[@]}" "$FLEET" -s tick.d >out 2>err &
wait_for out '^beat 3$'
wire_set 2 down
wait_for out '^beat 2$'
expect_eq "$(grep -c "^dwire: ${HOSTS[1]}: silent; its last values stay$" err) $(all_there | wc -l)" "1 3" \
	"a report of the cut wire: $(<err)"
wire_set 2 up
wait_for err "${HOSTS[1]}: reports again"
end_on
expect_eq "$STATUS" 0 "status after that: $(<err)"
expect_ended

# A wire is cut and stays so: there the trace ends all the same, and the others go on.
: >out
"${on[@]}" --cut 4 "$FLEET" -s tick.d >out 2>err &
wait_for out '^beat 3$'
wire_set 2 down
begin=${EPOCHREALTIME/./}
while [ -n "$(there "${NODES[1]}")" ] && [ $((${EPOCHREALTIME/./} - begin)) -lt 20000000 ]; do sleep 0.1; done
expect_le 2500000 $((${EPOCHREALTIME/./} - begin)) "microseconds from the cut to the end: beats were sent before it"
expect_le $((${EPOCHREALTIME/./} - begin)) 7000000 "... and not much longer than four seconds"
expect_eq "$(all_there | wc -l)" 2 "machines that trace"
: >out
wait_for out '^beat 2$'
end_on
expect_eq "$STATUS" 1 "status"
expect_match "$(<err)" "dwire: warning: ${HOSTS[1]}: its stream ended early; its last values stay" "a report of it"
expect_ended
