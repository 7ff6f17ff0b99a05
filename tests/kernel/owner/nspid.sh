# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# cs_nspid: the process id in the process's own pid namespace, seen from inside and outside.
need unshare
netns_new nspid

line="tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ {
	printf(\"%s inside=%d outside=%d name=%s\\n\", probename, args[1]->cs_nspid, args[1]->cs_pid, args[1]->cs_execname); }"

trace_in "$NETNS" "$line" unshare --pid --fork tcp_echo -q
for side in client server; do
	of="v[\"name\"] == \"dw_$side\""
	expect_ge "$(count "$of")" 4 "the $side's segments"
	expect_count "$of && v[\"inside\"] != $(value_of ${side}_pid)" 0 "the $side as it knows itself"
	expect_count "$of && v[\"inside\"] == v[\"outside\"]" 0 "the $side as others know it"
done

trace_in "$NETNS" "$line" tcp_echo -q
for side in client server; do
	of="v[\"name\"] == \"dw_$side\""
	expect_ge "$(count "$of")" 4 "the $side's segments"
	expect_count "$of && (v[\"inside\"] != v[\"outside\"] || v[\"inside\"] != $(value_of ${side}_pid))" 0 "the $side without a namespace"
done
