# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# parallel: yes
# The path provider and pktpath: datagrams and a TCP connection from one namespace through a second, which routes and
# translates addresses, to a third. Each packet has one identity and each of its stages once, and time that was spent on
# purpose (a slow queue, a neighbour that answers late, a reader that sleeps) is at the stage where it was spent.
need python3
need nft
need jq
router_new 4 5 6
ip netns exec "$b" nft -f - <<'END' || skip "no nft"
table ip nat { chain post { type nat hook postrouting priority 100; oifname vr masquerade; }; }
END
ip netns exec "$c" nft -f - <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport 7003 drop; }; }
END
tc -n "$a" qdisc add dev va root tbf rate 100kbit burst 1600 limit 30000 || skip "no tbf"
# questions for neighbours are repeated each 50 ms, and not answered at first
ip netns exec "$a" sh -c 'echo 50 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms; echo 20 >/proc/sys/net/ipv4/neigh/va/mcast_solicit'
ip netns exec "$b" sh -c 'echo 8 >/proc/sys/net/ipv4/conf/vb/arp_ignore'

cat >"$tmp/reader.py" <<'END'
import socket, sys, time
socket.setdefaulttimeout(10)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.78.6.3", 7001))
t = socket.socket()
t.bind(("10.78.6.3", 7002))
t.listen()
print("ready", flush=True)
c = t.accept()[0]
time.sleep(0.5)
while c.recv(65536):
    pass
END
traffic() {
	ip netns exec "$c" python3 "$tmp/reader.py" >"$tmp/ready" &
	until grep -qs ready "$tmp/ready"; do sleep 0.05; done
	(sleep 0.4 && ip netns exec "$b" sh -c 'echo 0 >/proc/sys/net/ipv4/conf/vb/arp_ignore') &
	ip netns exec "$a" udp_send -a 10.78.6.3 -p 7001 -n 1 -k 1000 # waits for the neighbour
	sleep 0.7
	ip netns exec "$a" udp_send -a 10.78.6.3 -p 7001 -n 3 -k 1000 # the queue
	ip netns exec "$a" udp_send -a 10.78.6.3 -p 7003 -n 2 -k 10   # the rule
	sleep 0.4
	tc -n "$a" qdisc del dev va root
	ip netns exec "$a" python3 -c 'import socket; socket.create_connection(("10.78.6.3", 7002)).sendall(bytes(300000))'
	wait
	sleep 0.2
}
declare -p a b c tmp >"$tmp/traffic"
declare -f traffic >>"$tmp/traffic"
echo traffic >>"$tmp/traffic"
"$dwire" pktpath --netns "$a,$b,$c" -4 --json --everyone --command "$BASH $tmp/traffic" >"$tmp/all" 2>"$tmp/err" || fail "pktpath: $(head -n 5 "$tmp/err")"
expect_eq "$(but_late_ticks "$tmp/err")" "" "messages"
but_late_ticks "$tmp/all" >"$tmp/rows"
# Only functions show these stages. path_functions.sh tests them.
more='udp-out tcp-out neigh-wait gro route filter backlog socket-queue'
python3 "$here/net/path.py" "$tmp/rows" "$a" "$b" "$c" "$more" >"$tmp/out" 2>&1 || fail "$(<"$tmp/out")"

stages() { # PACKET: those that any tier sees
	awk -v n="$1" '$1 == n { print $2 }' "$tmp/rows" | grep -vxE "${more// /|}" | tr '\n' ','
}

# Steps between stages: as many as packets that take them, and the time of the queue at its step.
tc -n "$a" qdisc add dev va root tbf rate 100kbit burst 1600 limit 30000
"$dwire" pktlat --netns "$a" -4 -D 7001 --json --everyone --command "ip netns exec $a sh -c 'udp_send -a 10.78.6.3 -p 7001 -n 3 -k 1000; sleep 0.5'" \
	>"$tmp/rows" 2>"$tmp/err" || fail "pktlat: $(<"$tmp/err")"
tc -n "$a" qdisc del dev va root
expect_eq "$(grep '^{' "$tmp/rows" | jq -r 'select(.from == "output" or .from == "queue" or .to == "transmit") | "\(.from) \(.to) \(.packets)"' | sort | tr '\n' ',')" \
	"dequeue transmit 3,output postrouting 3,queue enqueue 3," "pktlat: steps"
least=100000
! slow_machine || least=20000 # the process is slow, too, so that less is in the queue
expect_ge "$(grep '^{' "$tmp/rows" | jq 'select(.to == "dequeue") | .sum_us')" $least "pktlat: the queue's time"

# A process's packets, all stages of them; the reason of a drop in text
"$dwire" pktpath -p udp_send --host 10.78.6.3 -L 1-65535 -D 7003 --everyone --command "ip netns exec $a sh -c '
	udp_send -a 10.78.6.3 -p 7003 -n 1; python3 -c \"import socket; socket.socket(2, 2).sendto(b\\\"x\\\", (\\\"10.78.6.3\\\", 7003))\"; sleep 0.2'" \
	>"$tmp/rows" 2>"$tmp/err" || fail "-p: $(<"$tmp/err")"
expect_eq "$(stages 1)" \
	"send,output,postrouting,queue,transmit,driver-in,device-in,prerouting,forward,postrouting,queue,transmit,driver-in,device-in,prerouting,drop:," "-p"
expect_eq "$(grep -c '^ *2 ' "$tmp/rows") $(grep -c ' drop: NETFILTER_DROP ' "$tmp/rows")" "0 1" "-p: another process, the reason"
expect_eq "$(awk 'length > 80' "$tmp/rows")" "" "long lines"

# The first packet only, to a device whose packets a process reads
cat >"$tmp/tun.py" <<'END'
import fcntl, os, struct
fd = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH", b"tunp", 0x1001))    # TUNSETIFF: IFF_TUN | IFF_NO_PI
print("ready", flush=True)
while os.read(fd, 2000):
    pass
END
ip netns exec "$a" timeout 60 python3 "$tmp/tun.py" >"$tmp/link" &
tun=$!
until grep -qs ready "$tmp/link"; do kill -0 $tun || skip "no TUN"; sleep 0.05; done
dev=tunp
ip -n "$a" addr add 10.78.7.1 peer 10.78.7.2 dev "$dev"
ip -n "$a" link set "$dev" up
"$dwire" pktpath -i "$dev" -4 -n 1 --everyone --command "ip netns exec $a sh -c 'udp_send -a 10.78.7.2 -p 7004 -n 5; sleep 1'" >"$tmp/rows" 2>"$tmp/err" ||
	fail "-n: $(<"$tmp/err")"
expect_eq "$(stages 1 | sed 's/[a-z]*queue,//g')" "send,output,postrouting,transmit,read,sent," "-n 1"
expect_eq "$(grep -c "^ *2 " "$tmp/rows")" 0 "-n 1: a second packet"
kill $tun
