# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# portuse: ports by destination, TIME_WAIT, and 100 % when connect() finds none any more; ports that were asked for are left
# out.
need python3
netns_new ports
ip netns exec "$NETNS" sysctl -qw net.ipv4.ip_local_port_range="41000 41049"
cat >"$tmp/ports.py" <<'END'
import errno, socket, time
a, b = (socket.create_server(("127.0.0.1", p)) for p in (7001, 7002))
six = socket.create_server(("::1", 7003), family=socket.AF_INET6)
keep, n = [], 0
while True:                                  # all of them to one destination
    c = socket.socket()
    try:
        c.connect(("127.0.0.1", 7001))
    except OSError as e:
        assert e.errno == errno.EADDRNOTAVAIL
        break
    keep.append((c, a.accept()[0]))
    n += 1
keep += [(socket.create_connection(("127.0.0.1", 7002)), b.accept()[0]) for i in range(10)]
keep += [(socket.create_connection(("::1", 7003)), six.accept()[0]) for i in range(3)]
for c, s in keep[n:n + 4]:                   # the client first
    c.close()
    s.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 0))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
v.bind(("127.0.0.1", 7004))
print("connected", n, flush=True)
time.sleep(50)
END
ip netns exec "$NETNS" python3 "$tmp/ports.py" >"$tmp/said" 2>"$tmp/err" &
for ((i = 0; i < 400; i++)); do
	grep -qs connected "$tmp/said" && break
	sleep 0.05
done
expect_eq "$(<"$tmp/said")" "connected 50" "connections until there was no port: $(<"$tmp/err")"
"$dwire" portuse --csv --netns "$NETNS" >"$tmp/out" 2>"$tmp/err" || fail "portuse: $(<"$tmp/err")"
expect_eq "$(cut -d, -f2,4- "$tmp/out" | sed 1d | sort)" '"tcp","127.0.0.1","127.0.0.1",7001,100,50,0
"tcp","127.0.0.1","127.0.0.1",7002,20,10,4
"tcp","::1","::1",7003,6,3,0
"udp","127.0.0.1","0.0.0.0",0,2,1,0' "ports by destination"
expect_match "$("$dwire" portuse --netns "$NETNS" -D 7002)" ' 7002 +20 +10 +4$' "in text"
expect_eq "$("$dwire" portuse -n 1 --netns "$NETNS" | awk 'NR == 2 { print $5 }')" 7001 "the fullest one first"
expect_eq "$("$dwire" portuse --json --netns "$NETNS" -4 -D 7003)" "" "of the other family"
kill %1
wait
