# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# The identity of fragments, of IPv4 and IPv6: conntrack of a router puts them together, forwards the whole and cuts it
# again; the receiver puts them together, too. The whole has the identity of the first fragment, which is that of the
# sender's datagram; each fragment has its own again behind the router. Datagrams that follow are others, though memory is
# used again.
need nft
need python3
modprobe -qa veth nf_tables nft_ct
need_traced path:::output,path:::forward,path:::postrouting,path:::queue,path:::transmit,path:::driver-in,path:::device-in,path:::prerouting,path:::input,path:::socket-in
"$dwire" "${tier_opts[@]}" -qn 'path:::forward { } dtrace:::BEGIN { exit(0); }' >"$tmp/out" 2>&1 || skip "no path:::forward here"
router_new 46 47 48
ip netns exec "$b" nft -f - <<'END' || skip "no conntrack"
table inet f { chain c { type filter hook forward priority 0; ct state new accept; }; }
END
wait_up "$a" va
cat >"$tmp/s.py" <<'END'
import socket, sys, time
to = sys.argv[1]
s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
for i in range(4):
    s.sendto(bytes(4000), (to, 7601))
    time.sleep(0.05)
END
cat >"$tmp/r.py" <<'END'
import socket, sys
to = sys.argv[1]
s = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
s.bind((to, 7601))
s.settimeout(60)
print("ready", flush=True)
for i in range(4):
    s.recv(5000)
END
route=
! functions_traced || route='path:::route { }' # fragments end behind it
ways() { # FROM, TO
	cat >"$tmp/talk" <<-END
		ip netns exec $c python3 $tmp/r.py $2 >$tmp/ready &
		for i in {1..400}; do [ ! -s $tmp/ready ] || break; sleep 0.05; done
		ip netns exec $a python3 $tmp/s.py $2
		wait
	END
	rm -f "$tmp/ready"
	"$dwire" "${tier_opts[@]}" -qn "$route"'path:::output, path:::forward, path:::postrouting, path:::queue,
		path:::transmit, path:::driver-in, path:::device-in, path:::prerouting, path:::input, path:::socket-in
		/args[2]->ip_saddr == "'"$1"'" && args[4]->path_protostr != "ICMPV6"/ {
			printf("stage %d %s %s %s\n", args[4]->path_id, args[4]->path_stagestr, args[3]->if_name, args[4]->path_first); }' \
		-c "bash $tmp/talk" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
	check "$3" >"$tmp/found" || fail "$(<"$tmp/found")"
}
check() {
	python3 - "$tmp/out" "$1" <<'END'
import collections, sys
ways = collections.OrderedDict()
for line in open(sys.argv[1]):
    w = line.split()
    if w and w[0] == "stage":
        ways.setdefault(w[1], []).append(w[2] + " " + w[3])
IN = lambda up, down: [f"queue {up}", f"transmit {up}", f"driver-in {down}", f"device-in {down}", f"prerouting {down}"]
PART = IN("va", "vb") + IN("vr", "vc") + (["input vc"] if sys.argv[2] == "6" else [])
WHOLE = ["output va", "postrouting va"] + IN("va", "vb") + ["forward vr", "postrouting vr"] + IN("vr", "vc") + ["input vc", "socket-in vc"]
kinds = collections.Counter("whole" if w == WHOLE else "part" if w == PART else "other" for w in ways.values())
if kinds != {"whole": 4, "part": 8}:
    print(kinds)
    for n, w in ways.items():
        print(n, w)
    sys.exit(1)
END
}
ways 10.78.47.1 10.78.48.3 4
ways fd78:47::1 fd78:48::3 6
exit $failed
