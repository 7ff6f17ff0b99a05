# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# -x pathdata: the probes of path see the TCP segments with data, each at all its stages with one identity, all packets
# of other protocols, and no segment without data. Without the option they see these, too.
need python3
stages="output queue transmit driver-in prerouting input socket-in"
[ "${DWIRE_TEST_TIER:-hooks}" = hooks ] || stages="tcp-out output prerouting input socket-in" # tcp-out: before IP's header is made
probes=$(printf 'path:::%s,' $stages)
need_traced "${probes%,}"
netns_new a
cat >"$tmp/talk.py" <<'EOF'
import socket
listener = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(listener.getsockname())
s = listener.accept()[0]
for end in c, s:
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(50):
    c.sendall(b"question")
    s.recv(100)
    s.sendall(b"answer")
    c.recv(100)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 0))
for _ in range(20):
    u.sendto(b"", u.getsockname())
EOF
traced() { # OPTION...
	"$dwire" "${dwire_opts[@]}" -q "$@" -n "
${probes%,} /args[0]->pkt_netns == $NETNS_ID/ {
	@[probename, args[4]->path_protostr, args[4]->path_payload != 0] = count(); }
path:::socket-in /args[0]->pkt_netns == $NETNS_ID && (args[4]->path_payload || args[4]->path_protostr == \"UDP\") &&
    (args[4]->path_midway || args[4]->path_last != \"input\" ||
    args[4]->path_first != (args[4]->path_payload ? \"${stages%% *}\" : \"output\"))/ { @lost = count(); }
END { printa(\"%s %s %d %@d\n\", @); printa(\"lost %@d\n\", @lost); }" \
		-c "ip netns exec $NETNS python3 $tmp/talk.py" >"$tmp/out" 2>"$tmp/err" || echo "FAILED: $(<"$tmp/err")"
	[ -z "$(grep '^lost [1-9]' "$tmp/out")" ] || echo "FAILED: identities: $(<"$tmp/out")"
}
data() {
	traced -x pathdata
	for stage in $stages; do
		echo "$stage TCP 1 100"
		[ "$stage" = tcp-out ] || echo "$stage UDP 0 20"
	done | sort >"$tmp/want"
	diff "$tmp/want" <(sort "$tmp/out" | grep ' ') || echo "FAILED: with pathdata: $(<"$tmp/out")"
}
whole() {
	traced
	for stage in $stages; do
		[ "$(sed -n "s/^$stage TCP 1 //p" "$tmp/out")" = 100 ] &&
			[[ $stage == tcp-out || $(sed -n "s/^$stage UDP 0 //p" "$tmp/out") == 20 ]] &&
			[ "$(sed -n "s/^$stage TCP 0 //p" "$tmp/out")" -ge 4 ] || echo "FAILED: without: $stage: $(<"$tmp/out")"
	done
}
measure data
measure whole
