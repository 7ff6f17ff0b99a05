# SPDX-License-Identifier: GPL-2.0-or-later
# The icmp provider, superping and ipecn against a peer behind a TUN device that answers echoes, sends one, and
# refuses a datagram.
need_traced icmp:::send,icmp:::receive
clause() {
	cat <<-END
		icmp::: /args[3]->if_ipstack == $NETNS_ID && (args[4]->icmp_typestr != "mldv2-report" &&
		    args[4]->icmp_typestr != "neighbor-solicitation" && args[4]->icmp_typestr != "router-solicitation")/
		{
			printf("%s pid=%d name=%s if=%s sa=%s da=%s ver=%d type=%d kind=%s code=%s id=%d seq=%d len=%d err=%d iproto=%s isa=%s ida=%s isp=%d idp=%d\n",
			    probename, args[1]->cs_pid, args[1]->cs_execname, args[3]->if_name, args[2]->ip_saddr,
			    args[2]->ip_daddr, args[4]->icmp_ver, args[4]->icmp_type, args[4]->icmp_typestr,
			    args[4]->icmp_codestr, args[4]->icmp_id, args[4]->icmp_seq, args[4]->icmp_length,
			    args[4]->icmp_error, args[4]->icmp_iprotostr, args[4]->icmp_isaddr, args[4]->icmp_idaddr,
			    args[4]->icmp_isport, args[4]->icmp_idport);
		}
	END
}

check() { # FAMILY HOST PEER VERSION REQUEST REPLY UNREACHABLE
	netns_new "icmp$4"
	trace_in "$NETNS" "$(clause)" tun_ping "$1" -n 5
	pid=$(value_of pid) n=$(value_of requests)
	there="v[\"if\"] == \"dwtun\" && v[\"sa\"] == \"$2\" && v[\"da\"] == \"$3\" && v[\"ver\"] == $4"
	back="v[\"if\"] == \"dwtun\" && v[\"sa\"] == \"$3\" && v[\"da\"] == \"$2\" && v[\"ver\"] == $4 && v[\"pid\"] == -1"
	expect_count "p == \"send\" && $there && v[\"type\"] == $5 && v[\"kind\"] == \"echo-request\" && v[\"pid\"] == $pid &&
		v[\"name\"] == \"tun_ping\" && v[\"id\"] == $(value_of id) && v[\"len\"] == 64 && !v[\"err\"]" "$n" "v$4: requests of the socket"
	expect_eq "$(values seq 'p == "send" && v["kind"] == "echo-request"' | tr '\n' ' ')" "100 101 102 103 104 " "v$4: their numbers"
	expect_count "p == \"receive\" && $back && v[\"type\"] == $6 && v[\"kind\"] == \"echo-reply\" && v[\"id\"] == $(value_of id)" \
		"$(value_of answers)" "v$4: answers"
	expect_count "p == \"receive\" && $back && v[\"kind\"] == \"echo-request\" && v[\"id\"] == 4660 && v[\"seq\"] == 7 &&
		v[\"len\"] == 16" "$(value_of peer_requests)" "v$4: the peer's request"
	expect_count "p == \"send\" && $there && v[\"kind\"] == \"echo-reply\" && v[\"id\"] == 4660 && v[\"pid\"] == -1" \
		"$(value_of kernel_answers)" "v$4: the kernel's answer"
	expect_count "p == \"receive\" && $back && v[\"type\"] == $7 && v[\"kind\"] == \"unreachable\" && v[\"code\"] == \"port\" &&
		v[\"err\"] && v[\"iproto\"] == \"UDP\" && v[\"isa\"] == \"$2\" && v[\"ida\"] == \"$3\" &&
		v[\"isp\"] == $(value_of udp_port) && v[\"idp\"] == 4321" "$(value_of errors)" "v$4: an error and what it is about"
	expect_count 1 $((2 * n + 3)) "v$4: nothing else"
}

check -4 10.214.0.1 10.214.0.2 4 8 0 3
here=$NETNS
check -6 fd00:d:2::1 fd00:d:2::2 6 128 129 1

# What an echo takes is what the peer waits, and not much more.
"$dwire" superping --everyone --command "ip netns exec $here tun_ping -4 -n 3 -d 30" >"$tmp/out" 2>"$tmp/err" || fail "superping: $(<"$tmp/err")"
mapfile -t us < <(sed -n 's/^IPv4 ping, ID 48879 seq 10[0-2]: \([0-9]*\) us$/\1/p' "$tmp/out")
expect_eq "${#us[@]}" 3 "superping: lines"
for v in "${us[@]}"; do
	expect_ge "$v" 30000 "superping: time"
	expect_le "$v" 60000 "superping: time"
done
"$dwire" superping --json --everyone --command "ip netns exec $NETNS tun_ping -6 -n 2 -d 5" >"$tmp/out" 2>"$tmp/err" || fail "superping: $(<"$tmp/err")"
expect_eq "$(grep -c '"ip":6,"pid":[0-9]*,"comm":"tun_ping","raddr":"fd00:d:2::2","id":48879,' "$tmp/out")" 2 "superping --json: $(<"$tmp/out")"
"$dwire" superping --netns "$here" --host 10.99.0.0/16 --everyone --command "ip netns exec $here tun_ping -4 -n 2" >"$tmp/out" 2>&1
expect_eq "$(grep -c '^IPv' "$tmp/out")" 0 "superping of another host"

# Two of five requests are lost: one is missed when the next one is sent, the last one at the end.
need nft python3
ip netns exec "$NETNS" nft -f - <<-'END'
	table inet lost {
		chain in {
			type filter hook input priority 0
			icmp type echo-request icmp sequence { 2, 5 } drop
		}
	}
END
cat >"$tmp/series.py" <<-'END'
	import socket, struct, time
	s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
	for seq in range(1, 6):
	    words = (0x0800, 0, 777, seq)
	    check = sum(words)
	    s.sendto(struct.pack("!4H", words[0], ~((check >> 16) + check) & 0xffff, *words[2:]), ("127.0.0.1", 0))
	    time.sleep(0.2)
END
series=(--netns "$NETNS" --everyone --command "ip netns exec $NETNS python3 $tmp/series.py")
"$dwire" superping "${series[@]}" >"$tmp/out" 2>"$tmp/err" || fail "superping: $(<"$tmp/err")"
expect_eq "$(sed -n 's/^IPv4 ping, ID 777 seq \([0-9]\).* us$/\1/p' "$tmp/out" | tr '\n' ' ')" "1 3 4 " "answers: $(<"$tmp/out")"
expect_match "$(grep 'no answer' "$tmp/out")" '^IPv4 ping, ID 777 seq 2: no answer from 127.0.0.1 after [2-9][0-9][0-9] ms$' "the lost one"
expect_eq "$(tail -n 1 "$tmp/out")" "2 of 5 requests were not answered." "the end"
"$dwire" superping --json "${series[@]}" >"$tmp/out" 2>"$tmp/err" || fail "superping: $(<"$tmp/err")"
expect_eq "$(sed 's/.*"seq":\([0-9]\).*"event":"\([a-z-]*\)".*/\1 \2/' "$tmp/out" | tr '\n' ,)" \
	"1 answer,2 no-answer,3 answer,4 answer," "in JSON: $(<"$tmp/out")"

# Congestion marks: each packet of the peer's and each request has one; what the kernel sends has none.
for v in "4 $here 10.214.0" "6 $NETNS fd00:d:2:"; do
	read -r ver ns net <<<"$v"
	"$dwire" ipecn -a --netns "$ns" --everyone --command "ip netns exec $ns tun_ping -$ver -n 3 -e" >"$tmp/out" 2>"$tmp/err" || fail "ipecn: $(<"$tmp/err")"
	case $ver in 4) peer=10.214.0.2 ;; 6) peer=fd00:d:2::2 ;; esac
	expect_eq "$(grep -c "ECN CE from: $peer" "$tmp/out")" 5 "ipecn: IPv$ver in: $(<"$tmp/out")"
	expect_ge "$(grep -c "ECN CE to: $peer" "$tmp/out")" 3 "ipecn: IPv$ver out"
	"$dwire" ipecn --netns "$ns" --everyone --command "ip netns exec $ns tun_ping -$ver -n 3" >"$tmp/out" 2>&1
	expect_eq "$(grep -c 'ECN CE' "$tmp/out")" 0 "ipecn: IPv$ver without marks"
done
