# SPDX-License-Identifier: GPL-2.0-or-later
# Namespaces that appear and vanish during the trace: segments, datagrams and packets of each, as its counters and
# the trigger have them, with the right number and owner; also of namespaces that have a name only for a moment.
need unshare python3
n=30
cat >"$tmp/one" <<-'END'
	ip link set lo up
	echo "netns=$(stat -L -c %i /proc/self/ns/net)"
	tcp_echo -4 -n 2 -c 2 | sed -n 's/^\(client_pid\|server_pid\|client_segs_out\|server_segs_out\)=/&/p'
	udp_echo -6 -n 3 | sed -n 's/^\(client_datagrams_out\|server_datagrams_out\)=/&/p'
	awk '$1 == "Tcp:" && n++ { print "insegs=" $11 }' /proc/net/snmp
	awk '$1 == "Udp6OutDatagrams" { print "udp6=" $2 }' /proc/net/snmp6
END
cat >"$tmp/many" <<-END
	for ((i = 0; i < $n; i += 2)); do
		unshare -n "$BASH" "$tmp/one" >"$tmp/ns.\$i" &
		{ ip netns add dwtm$$-\$i; ip netns exec dwtm$$-\$i "$BASH" "$tmp/one" >"$tmp/ns.\$((i + 1))"; ip netns del dwtm$$-\$i; } &
		((i % 6)) || wait
	done
	wait
	sleep 0.1
END
trace_with 'tcp:::send, tcp:::receive /args[1]->cs_execname == "dw_client" || args[1]->cs_execname == "dw_server" ||
		args[3]->tcps_state == TCP_STATE_TIME_WAIT/ {
		@[probename, args[1]->cs_netns] = count();
		@pids[args[1]->cs_netns, args[1]->cs_pid] = count(); }
	udp:::send, udp:::receive /args[1]->cs_execname == "dw_udp_client" || args[1]->cs_execname == "dw_udp_server"/ {
		@[probename == "send" ? "udp-send" : "udp-receive", args[1]->cs_netns] = count(); }
	ip:::send /args[2]->ip_ver == 6 && args[5]->ipv6_nexthdr == IPPROTO_UDP/ { @["ip-send", args[3]->if_ipstack] = count(); }
	END { printa("%s %d %@d\n", @); printa("pid %d %d %@d\n", @pids); }' "$BASH" "$tmp/many"
expect_eq "$(cat "$tmp"/ns.* | grep -c ^netns=)" $n "namespaces that were made"

# A number may be given again to a later namespace: what is of one number is added. In a slow machine TCP sends again after
# the trigger has counted: then the namespace's own counter is the most that there can be.
: >"$tmp/late"
cat "$tmp"/ns.* | awk -F= -v late="$tmp/late" '$1 == "netns" { ns = $2 } { v[$1] = $2; sum[ns " " $1] += $2; of[ns] = 1; if ($1 ~ /_pid$/) print "pid", ns, $2 }
	END { for (i in of) { t = sum[i " client_segs_out"] + sum[i " server_segs_out"]; if (t != sum[i " insegs"]) { print i, t, sum[i " insegs"] >late; t = "late" }
		print "send", i, t; print "receive", i, t
		d = sum[i " client_datagrams_out"] + sum[i " server_datagrams_out"]; print "udp-send", i, d; print "udp-receive", i, d
		print "ip-send", i, sum[i " udp6"] } }' | sort >"$tmp/want"
slow_machine || expect_eq "$(wc -l <"$tmp/late")" 0 "namespaces whose segments are counted late: $(<"$tmp/late")"
numbers=$(awk '$1 == "udp-send" { print $2 }' "$tmp/want")
awk -v numbers="$numbers" -v late="$(<"$tmp/late")" 'BEGIN { split(numbers, a, "\n"); for (i in a) mine[a[i]] = 1
		n = split(late, a, "[ \n]"); for (i = 1; i < n; i += 3) { least[a[i]] = a[i + 1]; most[a[i]] = a[i + 2] } }
	($1 == "send" || $1 == "receive") && ($2 in most) && $3 >= least[$2] + 0 && $3 <= most[$2] + 0 { $3 = "late" }
	$2 in mine && !($1 == "pid" && $3 == -1) { if ($1 == "pid") print $1, $2, $3; else print }' <<<"$OUT" | sort >"$tmp/got"
diff -u "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "namespaces (< the trigger): $(head -n 20 "$tmp/diff")"
