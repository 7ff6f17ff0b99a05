# SPDX-License-Identifier: GPL-2.0-or-later
# Every packet counted once at the highest rates: counts and sums of tcp, udp and ip against the kernel's own counters
# of a network namespace that has no other traffic, with several aggregations, and two traces, at once.
[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
netns_new counts

# What the kernel's counters have grown by while the traffic ran, as key=value lines.
cat >"$tmp/counters" <<'EOF2'
cat /proc/net/snmp /proc/net/netstat | awk '{ name = substr($1, 1, length($1) - 1) }
	NR % 2 { for (i = 2; i <= NF; i++) key[i] = name "_" $i; next }
	{ for (i = 2; i <= NF; i++) print key[i], $i }'
cat /proc/net/snmp6
EOF2
cat >"$tmp/traffic" <<'EOF2'
pids=()
"$BASH" "$tmp/counters" >"$tmp/before"
for v in -4 -6; do
	tcp_pingpong $v -n 20000 -c 0 -C 1 >"$tmp/pp$v" & pids+=($!)
	tcp_pingpong $v -n 20000 -c 1 -C 1 -k 700 >"$tmp/pq$v" & pids+=($!)
	tcp_pingpong $v -n 20000 -k 100 >"$tmp/pr$v" & pids+=($!)
	udp_flood $v -n 60000 -j 2 -P -k 20 >"$tmp/uf$v" & pids+=($!)
done
for p in "${pids[@]}"; do wait "$p" || exit; done
sleep 0.3 # a delayed acknowledgement
"$BASH" "$tmp/counters" >"$tmp/after"
awk 'FNR == NR { before[$1] = $2; next } { print $1 "=" $2 - before[$1] }' "$tmp/before" "$tmp/after"
echo "datagrams4=$(sed -n 's/^datagrams=//p' "$tmp/uf-4")"
echo "datagrams6=$(sed -n 's/^datagrams=//p' "$tmp/uf-6")"
EOF2

counting() { # D for a namespace
	cat <<-END
		tcp:::send /args[1]->cs_netns == $1/
		{
			@ts = count(); @tsv[args[2]->ip_ver] = count(); @tsb = sum(args[2]->ip_plength - args[4]->tcp_offset);
			@tsd["tcp", args[1]->cs_pid] = count(); @q = quantize(args[2]->ip_plength);
		}
		tcp:::receive /args[1]->cs_netns == $1/ { @tr = count(); @trv[args[2]->ip_ver] = count(); }
		tcp:::receive /args[1]->cs_netns == $1/ { @trb = sum(args[2]->ip_plength - args[4]->tcp_offset); }
		udp:::send /args[1]->cs_netns == $1/ { @us[args[2]->ip_ver] = count(); @ub = sum(args[4]->udp_length - 8); }
		udp:::receive /args[1]->cs_netns == $1/ { @ur[args[2]->ip_ver] = count(); n++; }
		ip:::send /args[1]->cs_netns == $1/ { @is[args[2]->ip_ver] = count(); @isb[args[2]->ip_ver] = sum(args[2]->ip_plength); }
		ip:::receive /args[1]->cs_netns == $1/ { @ir[args[2]->ip_ver] = count(); @irb[args[2]->ip_ver] = sum(args[2]->ip_plength); }
		END {
			printa("tcp_send %@d\n", @ts); printa("tcp_send%d %@d\n", @tsv); printa("tcp_send_bytes %@d\n", @tsb);
			printa("by_%s_%d %@d\n", @tsd);
			printa("tcp_receive %@d\n", @tr); printa("tcp_receive%d %@d\n", @trv); printa("tcp_receive_bytes %@d\n", @trb);
			printa("udp_send%d %@d\n", @us); printa("udp_send_bytes %@d\n", @ub); printa("udp_receive%d %@d\n", @ur);
			printa("ip_send%d %@d\n", @is); printa("ip_receive%d %@d\n", @ir);
			printa("ip_send_bytes%d %@d\n", @isb); printa("ip_receive_bytes%d %@d\n", @irb);
			printf("global %d\n", n);
			printa("quantized %@d\n", @q);
		}
	END
}

got() {
	awk -v k="$1" '$1 == k { print $2 }' <<<"$OUT"
}

check() { # WHO; OUT is its output
	local who=$1 segs bytes=$((2 * 2 * (20000 + 20000 * 700 + 20000 * 100)))
	segs=$(value_of Tcp_OutSegs)
	expect_ge "$segs" 240000 "$who: there was traffic"
	expect_eq "$(value_of Tcp_RetransSegs)" 0 "$who: nothing was retransmitted"
	expect_eq "$(got tcp_send)" "$segs" "$who: segments sent"
	expect_eq $(($(got tcp_send4) + $(got tcp_send6))) "$segs" "$who: segments sent, by version"
	expect_eq "$(awk '/^by_tcp_/ { n += $2 } END { print n }' <<<"$OUT")" "$segs" "$who: segments sent, by process"
	expect_eq "$(awk '/@/ && $NF ~ /^[0-9]+$/ { n += $NF } $(NF - 1) ~ /\|@*$/ { m += $NF } END { print m }' <<<"$OUT")" \
		"$segs" "$who: segments in all buckets of quantize"
	expect_eq "$(got tcp_receive)" "$(value_of Tcp_InSegs)" "$who: segments received"
	expect_eq $(($(got tcp_receive4) + $(got tcp_receive6))) "$(value_of Tcp_InSegs)" "$who: segments received, by version"
	expect_eq "$(got tcp_send_bytes)" "$bytes" "$who: bytes sent"
	expect_eq "$(got tcp_receive_bytes)" "$bytes" "$who: bytes received"
	expect_eq "$(got udp_send4)" "$(value_of datagrams4)" "$who: datagrams sent"
	expect_eq "$(got udp_send4)" "$(value_of Udp_OutDatagrams)" "$who: datagrams sent, as the kernel counts"
	expect_eq "$(got udp_send6)" "$(value_of Udp6OutDatagrams)" "$who: datagrams sent over IPv6"
	expect_eq "$(got udp_receive4)" "$(value_of datagrams4)" "$who: datagrams received"
	expect_eq "$(got udp_receive6)" "$(value_of datagrams6)" "$who: datagrams received over IPv6"
	expect_eq "$(got global)" $(($(value_of datagrams4) + $(value_of datagrams6))) "$who: datagrams, in a global variable"
	expect_eq "$(got udp_send_bytes)" $((20 * ($(value_of datagrams4) + $(value_of datagrams6)))) "$who: bytes of datagrams"
	expect_eq "$(got ip_send4)" "$(value_of Ip_OutRequests)" "$who: packets sent"
	expect_eq "$(got ip_receive4)" "$(value_of Ip_InReceives)" "$who: packets received"
	expect_eq "$(got ip_send6)" "$(value_of Ip6OutRequests)" "$who: IPv6 packets sent"
	expect_eq "$(got ip_receive6)" "$(value_of Ip6InReceives)" "$who: IPv6 packets received"
	# the kernel's bytes include the headers
	expect_eq $(($(got ip_receive_bytes4) + 20 * $(got ip_receive4))) "$(value_of IpExt_InOctets)" "$who: bytes received"
	expect_eq $(($(got ip_send_bytes4) + 20 * $(got ip_send4))) "$(value_of IpExt_OutOctets)" "$who: bytes sent by IP"
	expect_eq $(($(got ip_receive_bytes6) + 40 * $(got ip_receive6))) "$(value_of Ip6InOctets)" "$who: IPv6 bytes received"
}

# The second trace runs inside of the first.
D=$(counting "$NETNS_ID")
{
	declare -p PATH tmp
	printf '%q -q -n %q -c %q >%q 2>%q\n' "$dwire" "$D" "ip netns exec $NETNS $BASH $tmp/run" "$tmp/inner" "$tmp/inner.err"
	printf 'cat %q\n' "$tmp/deltas"
} >"$tmp/nested"
printf '%s\n' "$(declare -p PATH tmp)" "$BASH $tmp/traffic >$tmp/deltas" >"$tmp/run"
sed -i "1i$(declare -p PATH tmp | tr '\n' ';')" "$tmp/traffic"
trace_with "$D" "$BASH" "$tmp/nested"
expect_eq "$(grep -v 'has exited$' <<<"$ERR")" "" "outer: nothing was dropped"
expect_eq "$(grep -v 'has exited$' "$tmp/inner.err")" "" "inner: nothing was dropped"
check outer
OUT=$(<"$tmp/inner")
check inner
