# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# conntrack's state and both of its tuples, in both directions of flows whose addresses are translated, against the kernel's
# own table. A router between two namespaces translates destinations, sources, and both.
need nft
need python3
need_traced path:::forward
modprobe -qa veth nf_tables nft_chain_nat nft_nat nft_masq nf_nat nf_conntrack
router_new 46 47 48
ip netns exec "$b" nft -f - <<'END' || skip "no address translation"
table ip n {
	chain d { type nat hook prerouting priority -100; meta l4proto { tcp, udp } th dport 7600 dnat to 10.78.48.3:7601; }
	chain s { type nat hook postrouting priority 100; meta l4proto { tcp, udp } th sport 7602-7604 masquerade; }
}
table ip6 n {
	chain s { type nat hook postrouting priority 100; udp sport 7602 masquerade; }
}
END
wait_up "$a" va
# The server answers each datagram, and one connection. The client waits for each answer.
cat >"$tmp/server.py" <<'END'
import socket, sys, threading
def tcp():
    c, who = t.accept()
    c.sendall(c.recv(100))
    c.recv(100)
t = socket.create_server(("::", 7601), family=socket.AF_INET6, dualstack_ipv6=True)
threading.Thread(target=tcp, daemon=True).start()
u = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
u.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
u.bind(("::", 7601))
open(sys.argv[1], "w").write("ready")
while True:
    data, who = u.recvfrom(100)
    if data == b"end":
        break
    u.sendto(data, who)
END
cat >"$tmp/client.py" <<'END'
import socket
def talk(kind, family, port, to, n):
    s = socket.socket(family, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("", port))
    s.settimeout(60)
    s.connect(to)
    for i in range(n):
        s.send(b"x")
        s.recv(100)
    return s
talk(socket.SOCK_DGRAM, socket.AF_INET, 7605, ("10.78.47.2", 7600), 2)
talk(socket.SOCK_DGRAM, socket.AF_INET, 7602, ("10.78.48.3", 7601), 2)
talk(socket.SOCK_DGRAM, socket.AF_INET, 7603, ("10.78.47.2", 7600), 2)
talk(socket.SOCK_DGRAM, socket.AF_INET, 7606, ("10.78.48.3", 7601), 2)
talk(socket.SOCK_DGRAM, socket.AF_INET6, 7602, ("fd78:48::3", 7601), 2)
talk(socket.SOCK_STREAM, socket.AF_INET, 7604, ("10.78.47.2", 7600), 1)
talk(socket.SOCK_DGRAM, socket.AF_INET, 7607, ("10.78.48.3", 7601), 0).send(b"end")
END
cat >"$tmp/talk" <<END
ip netns exec $c timeout 100 python3 $tmp/server.py $tmp/ready &
for i in {1..400}; do [ ! -s $tmp/ready ] || break; sleep 0.05; done
ip netns exec $a timeout 100 python3 $tmp/client.py
wait
END
"$dwire" "${tier_opts[@]}" -qn 'path:::postrouting /args[0]->pkt_zonename == "'"$b"'" && args[4]->path_protostr == "UDP" && args[4]->path_osport != 7607/ {
	@["udp", args[4]->path_ct, args[4]->path_nat, args[4]->path_osaddr, args[4]->path_osport, args[4]->path_odaddr, args[4]->path_odport,
	    args[4]->path_rsaddr, args[4]->path_rsport, args[4]->path_rdaddr, args[4]->path_rdport] = count(); }
path:::postrouting /args[0]->pkt_zonename == "'"$b"'" && args[4]->path_protostr == "TCP" && (args[4]->path_flags & 2) != 0/ {
	@[args[4]->path_ctstate, args[4]->path_ct, args[4]->path_nat, args[4]->path_osaddr, args[4]->path_osport, args[4]->path_odaddr, args[4]->path_odport,
	    args[4]->path_rsaddr, args[4]->path_rsport, args[4]->path_rdaddr, args[4]->path_rdport] = count(); }' \
	-c "bash $tmp/talk" 2>"$tmp/err" | sed 's/  */ /g; s/^ //' | grep . | sort >"$tmp/out"
expect_eq "$(<"$tmp/err")" "" "messages"

# What the kernel has: a line a connection, and what it makes of its packets. Two datagrams each way: the first is NEW, and
# a connection's packets are REPLY in the direction of answers.
ip netns exec "$b" cat /proc/net/nf_conntrack >"$tmp/table" 2>/dev/null || skip "the kernel does not show its connections"
python3 - "$tmp/table" >"$tmp/want" <<'END'
import ipaddress, re, sys
nat = {7605: "DNAT", 7602: "SNAT", 7603: "SNAT+DNAT", 7606: "", 7604: "SNAT+DNAT"}
for line in open(sys.argv[1]):
    ends = re.findall(r"src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)", line)
    if len(ends) != 2 or int(ends[0][2]) not in nat:
        continue
    kind = nat[int(ends[0][2])]
    a, b = (f"{ipaddress.ip_address(s)} {sp} {ipaddress.ip_address(d)} {dp}" for s, d, sp, dp in ends)
    if " tcp " in line:
        print("SYN_SENT NEW", kind, a, b, 1)
        print("SYN_RECV REPLY", kind, b, a, 1)
    else:
        for state, one, other, n in ("NEW", a, b, 1), ("ESTABLISHED", a, b, 1), ("REPLY", b, a, 2):
            print(" ".join(f"udp {state} {kind} {one} {other} {n}".split()))
END
expect_eq "$(grep -c . "$tmp/want")" 17 "connections in the kernel's table, in lines"
expect_eq "$(<"$tmp/out")" "$(sort "$tmp/want")" "connections"
exit $failed
