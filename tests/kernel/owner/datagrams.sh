# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A script that reads owners where datagrams pass, not where connections are seen, has no programs of the owner service
# that follow connections: the owners of datagram sockets are the same, also of one that a child has inherited, and its
# own programs at TCP's states run.
need python3
since 5.17 || skip "before Linux 5.17 connections are followed all the same"
netns_new datagrams
cat >"$tmp/roles.py" <<'END'
import os, socket, subprocess, sys
linked = [sys.executable, os.environ["PYTHONPATH"] + "/linked.py", str(os.getppid())] # of dwire
print(f"links={subprocess.check_output(linked).split()[0].decode()}\nparent={os.getpid()}", flush=True)
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(("127.0.0.1", 0))
print(f"to={to.getsockname()[1]}")
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(f"from={s.getsockname()[1]}", flush=True)
for i in range(3):
    s.sendto(b"x", to.getsockname())
    to.recv(10)
pid = os.fork()
if pid == 0:
    for i in range(4):
        s.sendto(b"y", to.getsockname())
    os._exit(0)
print(f"child={pid}", flush=True)
os.waitpid(pid, 0)
listener = socket.create_server(("127.0.0.1", 0))
for i in range(20):
    c = socket.create_connection(listener.getsockname())
    a = listener.accept()[0]
    c.close()
    a.close()
END
senders() { # of the datagrams that left: how many of which process
	lines 'p == "udp" && v["sp"] == '"$(value_of from)" | sed 's/.*pid=\([-0-9]*\) .*/\1/' | uniq -c | awk '{ print $1, $2 }' | xargs
}
udp="udp:::send /args[1]->cs_netns == $NETNS_ID/ { printf(\"udp pid=%d sp=%d\\n\", args[1]->cs_pid, args[4]->udp_sport); }"
states="tcp:::state-change /args[1]->cs_netns == $NETNS_ID && args[3]->tcps_state == TCP_STATE_ESTABLISHED/"
trace_in "$NETNS" "$states { @ = count(); }" python3 "$tmp/roles.py"
alone=$(value_of links) # in some tiers the probe is elsewhere
for more in '' "$states { @ = count(); } END { printa(\"tcp n=%@d\\n\", @); }" \
	"$states { printf(\"owner pid=%d\\n\", args[1]->cs_pid); }"; do
	trace_in "$NETNS" "$udp $more" python3 "$tmp/roles.py"
	expect_eq "$(senders)" "3 $(value_of parent) 4 $(value_of child)" "who sent the datagrams${more:+, with $more}"
	case $more in
	'') expect_eq "$(value_of links)" 0 "programs at TCP's states" ;;
	*count*)
		expect_eq "$(value_of links)" "$alone" "programs at TCP's states, of the script alone"
		expect_eq "$(lines 'p == "tcp"')" "tcp n=40" "ends of connections"
		;;
	*)
		expect_ge "$(value_of links)" "$alone" "programs at TCP's states"
		expect_eq "$(lines 'p == "owner"' | sort | uniq -c | awk '{ print $1, $3 }')" "40 pid=$(value_of parent)" \
			"owners of connections"
		;;
	esac
done
