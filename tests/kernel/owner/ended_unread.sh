# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The owners of connections in TIME_WAIT are kept only for a script that can look one up: not for one that reads owners of
# sockets alone, though its probes also show connections in TIME_WAIT.
need python3 bpftool
since 5.17 || skip "before Linux 5.17 they are always kept"
netns_new unread
cat >"$tmp/closes" <<-'END'
	import json, os, socket, subprocess
	def maps(*args): return json.loads(subprocess.run(["bpftool", "-j", "map", *args], capture_output=True, check=True).stdout)
	l = socket.create_server(("127.0.0.1", 0))
	for i in range(5):
	    c = socket.create_connection(l.getsockname())
	    s = l.accept()[0]
	    c.close()
	    s.recv(1)
	    s.close()
	dwire, ids = os.getppid(), set()
	for fd in os.listdir(f"/proc/{dwire}/fdinfo"):
	    for line in open(f"/proc/{dwire}/fdinfo/{fd}"):
	        if line.startswith("map_id:"): ids.add(int(line.split()[1]))
	ring = {m["id"] for m in maps("show") if m["id"] in ids and m.get("name") == "ended_owners"}
	print("maps=%d" % len(ring))
	value = maps("lookup", "id", str(min(ring)), "key", "0", "0", "0", "0")["value"]
	print("kept=%d" % int.from_bytes(bytes(int(b, 16) for b in value[:8]), "little")) # ever: the number of the last
END
none() { # PROGRAM
	trace_in "$NETNS" "$1" python3 "$tmp/closes"
	expect_eq "$(value_of maps)" 1 "the service's map, for $1"
	expect_eq "$(value_of kept)" 0 "kept for $1"
}
some() { # PROGRAM
	trace_in "$NETNS" "$1" python3 "$tmp/closes"
	expect_eq "$(value_of maps)" 1 "the service's map, for $1"
	expect_ge "$(value_of kept)" 5 "kept for $1"
}
mine="args[1]->cs_netns == $NETNS_ID"
shows='{ printf("owner pid=%d\n", args[1]->cs_pid); }'
none "tcp:::state-change /args[1]->cs_addr && $mine/ $shows"
none "tcp:::detach /$mine/ $shows"
"$dwire" tcplife --program >"$tmp/tcplife.d"
none "$(<"$tmp/tcplife.d")"
# Before, a helper reads the state of what is listed, which dwire does not take for the same when it is read again.
if since 6.2; then
	none "sockets:::tcp-open /args[0]->os_whole && $mine/ $shows"
	none "sockets:::tcp-open /args[0]->os_whole/ { this->whole = 1; } sockets:::tcp-open /this->whole && $mine/ $shows"
	"$dwire" tcptop --program >"$tmp/tcptop.d"
	none "$(<"$tmp/tcptop.d")"
fi
some "tcp:::state-change /$mine/ $shows"
some "sockets:::tcp-open /$mine/ $shows"
some "sockets:::tcp-open /args[0]->os_whole == 0 && $mine/ $shows"
some "sockets:::tcp-open /args[0]->os_whole/ { this->whole = 1; } sockets:::tcp-open /$mine/ $shows"
some "tcp:::send /$mine/ $shows"
