# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# dwire on through clush's own tree (--topology): two gateways, which run ClusterShell, and three machines behind them.
# Rows, a script, the copied program, a machine that refuses, and the caller's SIGKILL.
. "$here/lib/fleet.lib"
fleet_new 3
write_tick
cat >topology.conf <<CONF
[routes]
$(hostname -s): dwt$$-gw[1-2]
dwt$$-gw1: ${NODES[0]},${NODES[1]}
dwt$$-gw2: ${NODES[2]},dwt$$-nosuch
CONF
cat >ssh.sh <<'SH'
#!/bin/sh
# ssh.sh OPTION… NODE COMMAND: as ssh. A gateway is this machine, the others are namespaces.
while [ $# -gt 2 ]; do shift; done
echo "$1" >>"$CALLS"
case $1 in *-gw*) exec sh -c "$2" ;; *) exec ip netns exec "$1" sh -c "$2" ;; esac
SH
cat >scp.sh <<'SH'
#!/bin/sh
# scp.sh OPTION… SOURCE [NODE]:PATH: as scp
while [ $# -gt 2 ]; do shift; done
exec cat "$1" >"${2#*:}"
SH
chmod +x ssh.sh scp.sh
export CALLS=$PWD/calls
# The Python for which ClusterShell is installed need not be the first of the path.
CLUSTERSHELL_GW_PYTHON_EXECUTABLE=$(sed -n '1s/^#! *\([^ ]*python[^ ]*\).*/\1/p' "$(command -v clush)")
export CLUSTERSHELL_GW_PYTHON_EXECUTABLE
tree=(--topology "$PWD/topology.conf" -O "ssh_path=$PWD/ssh.sh" -O "scp_path=$PWD/scp.sh")
on=("$dwire" on "${tree[@]}" --dwire "$PWD/host.sh $dwire")

: >out
"${on[@]}" --by host "$FLEET,dwt$$-nosuch" -s tick.d >out 2>err &
for n in "${NODES[@]}"; do wait_for out "^$n  *beat [0-9]"; done
end_on
expect_eq "$STATUS" 1 "status with a machine that refuses"
expect_match "$(<err)" "nosuch: Cannot open network namespace.*1 of 4 hosts never reported: dwt$$-nosuch" "its report"
expect_eq "$(grep -c gw calls)" 2 "gateways that were called"
expect_ended

mkdir copies
"$dwire" on "${tree[@]}" --copy="$PWD/copies" "$FLEET" -qn 'BEGIN { @["rows"] = sum(14); exit(0); }' >out 2>err
expect_eq "$? $(awk '$1 == "rows" { print $2 }' out) $(ls -A copies)" "0 42 " "a copied dwire through gateways: $(<err)"

expect_end_with_caller "$FLEET"
# A gateway ends behind its traces; one that stays fails the test.
for _ in {1..100}; do
	pgrep -f '[C]lusterShell.Gateway' >left || break
	sleep 0.05
done
expect_eq "$(<left)" "" "gateways left"
