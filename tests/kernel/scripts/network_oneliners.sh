# SPDX-License-Identifier: GPL-2.0-or-later
# The one-liners and listings of an article on network probes, unmodified, against the trigger's counts.
dwire_opts=("${tier_opts[@]}")

row() { # KEY…
	awk -v want="$*" '{ last = $NF; $NF = ""; sub(/ $/, ""); if ($0 == want) print last }' <<<"$OUT"
}

plot() {
	awk -v want="$1" 'NF == 1 { on = $1 == want } on && /\|/ && $NF != "count" && $NF > 0 { print $1, $NF }' <<<"$OUT"
}

trace_with 'ip:::receive {@[args[2]->ip_saddr] = count();}' netns_pair -4 -n 1 -c 3
expect_eq "$(row "$(value_of client_addr)")" "$(value_of client_segs_out)" "packets from the client"
expect_eq "$(row "$(value_of server_addr)")" "$(value_of server_segs_out)" "packets from the server"

trace_with 'ip:::send { @[args[2]->ip_daddr] = quantize(args[2]->ip_plength);}' netns_pair -4 -n 1 -c 2 -k 1000
data=$(value_of client_data_segs_out)
expect_eq "$(plot "$(value_of server_addr)")" "32 $(($(value_of client_segs_out) - data))
1024 $data" "sizes to the server"

trace_with 'tcp:::accept-established { @[args[3]->tcps_raddr, args[3]->tcps_lport] = count();;}' netns_pair -4 -n 2
expect_eq "$(row "$(value_of client_addr)" "$(value_of port)")" "$(value_of server_connections)" "who connects to what"

trace_with 'udp:::send {@[args[4]->udp_dport] = count();}' udp_echo -4 -n 7
expect_eq "$(row "$(value_of port)")" "$(value_of client_datagrams_out)" "datagrams to the server's port"
expect_eq "$(row "$(value_of client_port)")" "$(value_of server_datagrams_out)" "datagrams to the client's port"

"$dwire" -l -P tcp -P ip -P udp >"$tmp/list" || fail "-l fails"
expect_eq "$(head -n 1 "$tmp/list" | tr -s ' ' | sed 's/ $//')" " ID PROVIDER MODULE FUNCTION NAME" "the listing's head"
for probe in tcp:accept-established tcp:accept-refused tcp:connect-established tcp:connect-refused tcp:connect-request \
	tcp:receive tcp:send tcp:state-change ip:receive ip:send udp:receive udp:send; do
	expect_eq "$(awk -v p="${probe%%:*}" -v n="${probe#*:}" '$2 == p && $NF == n' "$tmp/list" | wc -l)" 1 "$probe is listed"
done
expect_eq "$("$dwire" -l | awk '{ print $2 }' | head -n 4 | tr '\n' ' ')" "PROVIDER dtrace dtrace dtrace " "all probes"

# Counts of the whole machine, to which other traffic can only add: one of some tries is exact, unless it never stops.
# State changes: the client's CLOSE..FIN_WAIT2..CLOSE and the server's LISTEN..LAST_ACK..CLOSE, five each, the listener's.
for try in 1 2 3 4 5; do
	trace_with 'tcp::: { @[probename] = count();}' tcp_echo -4 -n 1
	segments=$(($(value_of client_segs_out) + $(value_of server_segs_out)))
	want="$segments $segments 1 1 1 12"
	got="$(row send) $(row receive) $(row accept-established) $(row connect-established) $(row connect-request)"
	got+=" $(row state-change)"
	[ "$got" = "$want" ] && break
done
more=$(paste <(xargs -n 1 <<<"$got") <(xargs -n 1 <<<"$want") | awk '$1 < $2 { less = 1 } END { print !less }')
[ "$failed$more" = 01 ] && [ "$got" != "$want" ] && skip "other TCP traffic on this machine never stopped: $got"
expect_eq "$got" "$want" "probes by name, try $try"
