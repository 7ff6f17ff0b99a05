# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Where functions can be traced: each way in which a virtual service (IPVS) passes a packet on, with the chosen server,
# against the counters of IPVS and the datagrams that were sent.
need ipvsadm
need nft
need python3
need_functions
modprobe -qa veth nf_tables ip_vs ip_vs_rr
router_new 46 45 46
vs() { ip netns exec "$b" ipvsadm "$@"; }
service() { # ADDRESS REAL WAY
	vs -A -u "$1" -s rr && vs -a -u "$1" -r "$2" "$3"
}
service 10.78.45.2:7581 10.78.46.3:7591 -m || skip "no IPVS"
service 10.78.45.2:7582 10.78.46.3 -g
service 10.78.45.2:7583 10.78.46.3 -i
service 10.78.45.2:7584 10.78.45.2:7584 -m
service 10.78.45.2:7586 10.78.45.2 -g
service '[fd78:45::2]:7584' '[fd78:45::2]:7594' -m
service '[fd78:45::2]:7581' '[fd78:46::3]:7591' -m
service '[fd78:45::2]:7582' '[fd78:46::3]:7582' -g
service '[fd78:45::2]:7583' '[fd78:46::3]:7583' -i
# A packet for another address, which comes in by its mark, and for which there is no server.
ip netns exec "$b" nft -f - <<'END'
table ip m { chain c { type filter hook prerouting priority -150; udp dport 7585 meta mark set 9; }; }
END
ip -n "$b" rule add fwmark 9 lookup 99 && ip -n "$b" route add local default dev lo table 99
vs -A -f 9 -s rr
ip netns exec "$b" sh -c 'echo 1 >/proc/sys/net/ipv4/vs/cache_bypass'
wait_up "$a" va
cat >"$tmp/echo.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
s.bind(("::", 7591))
s.settimeout(60)
open(sys.argv[1], "w").write("ready")
for i in range(6):
    data, who = s.recvfrom(2000)
    s.sendto(data, who)
END
cat >"$tmp/talk" <<END
ip netns exec $c python3 $tmp/echo.py $tmp/ready &
for i in {1..400}; do [ ! -s $tmp/ready ] || break; sleep 0.05; done
for to in 10.78.45.2 fd78:45::2; do
	for p in 7581 7582 7583; do ip netns exec $a udp_send -a \$to -p \$p -n 3 >/dev/null; done
done
ip netns exec $a udp_send -a 10.78.45.2 -p 7584 -n 3 >/dev/null
ip netns exec $a udp_send -a 10.78.45.2 -p 7586 -n 4 >/dev/null
ip netns exec $a udp_send -a fd78:45::2 -p 7584 -n 5 >/dev/null
ip netns exec $a udp_send -a 10.78.46.3 -p 7585 -n 3 >/dev/null
wait
END
"$dwire" "${tier_opts[@]}" -qn 'path:::ipvs /args[4]->path_protostr == "UDP"/ {
		@[args[2]->ip_ver, args[4]->path_verdict, args[4]->path_vaddr, args[4]->path_vport, args[4]->path_raddr,
		    args[4]->path_rport] = count(); }' -c "bash $tmp/talk" 2>"$tmp/err" | sed 's/  */ /g; s/^ //' | grep . | sort >"$tmp/out"
expect_eq "$(<"$tmp/err")" "" "messages"
expect_eq "$(<"$tmp/out")" "4 BYPASS 10.78.46.3 7585 0.0.0.0 0 3
4 LOCAL 10.78.45.2 7584 10.78.45.2 7584 3
4 LOCAL 10.78.45.2 7586 10.78.45.2 7586 4
4 MASQ 10.78.45.2 7581 10.78.46.3 7591 3
4 MASQ 10.78.45.2 7584 10.78.45.2 7584 3
4 NO_SERVER 0.0.0.0 0 0 1
4 REPLY 10.78.45.2 7581 10.78.46.3 7591 3
4 ROUTE 10.78.45.2 7582 10.78.46.3 7582 3
4 ROUTE 10.78.45.2 7586 10.78.45.2 7586 4
4 TUNNEL 10.78.45.2 7583 10.78.46.3 7583 3
6 LOCAL fd78:45::2 7584 fd78:45::2 7594 5
6 MASQ fd78:45::2 7581 fd78:46::3 7591 3
6 MASQ fd78:45::2 7584 fd78:45::2 7594 5
6 REPLY fd78:45::2 7581 fd78:46::3 7591 3
6 ROUTE fd78:45::2 7582 fd78:46::3 7582 3
6 TUNNEL fd78:45::2 7583 fd78:46::3 7583 3" "ways to real servers"
expect_eq "$(vs -Ln --stats | awk '/->.*:758[2-4] / { print $2, $4 }')" "10.78.46.3:7582 3
10.78.46.3:7583 3
10.78.45.2:7584 3
[fd78:46::3]:7582 3
[fd78:46::3]:7583 3" "what IPVS counts"
exit $failed
