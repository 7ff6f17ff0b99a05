# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# A tree of dwire on: two gateways, each with machines below it; machines keep their names, and sums are exact.
. "$here/lib/fleet.lib"
fleet_new 3
cat >sent.d <<'D'
#pragma D option quiet
dtrace:::BEGIN { printf("go\n"); }
tcp:::send /args[1]->cs_netns == $1/ { @sent["sent"] = count(); }
dtrace:::END { printa("%s %@d\n", @sent); }
D
cat >gateway.sh <<SH
#!/bin/bash
[ "\$1" = gw1 ] && below="${NODES[0]},${NODES[1]}" || below=${NODES[2]}
shift
exec "$dwire" "\${@/BELOW/\$below}"
SH
chmod +x gateway.sh
: >out
"$dwire" on --through 'env' --dwire "$PWD/gateway.sh %h" 'gw[1-2]' on --by host --through 'ip netns exec %h' \
	--dwire "$PWD/host.sh $dwire" BELOW -s sent.d >out 2>err &
wait_for out '^go$'
echoes
end_on
expect_eq "$STATUS $(grep -v "the whole machine is traced" err)" "0 " "a tree"
expect_eq "$(awk '$2 == "sent" { print $1, $3 }' out | sort | wc -l)" 3 "machines of a tree: $(<out)"
expect_eq "$(awk '$2 == "sent" { n += $3 } END { print n }' out)" "$SEGMENTS" "and their sum"
