# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A script that sees no packets, only steps of connections and lists of them, needs no hook where packets leave: who sends
# on a connection, receives on it or closes it owns it, also after SCM_RIGHTS, after a fork, and of a listener that
# processes share.
need python3
netns_new steps
cat >"$tmp/roles.py" <<'END'
import array, ctypes, os, socket, time
def connection():
    c = socket.create_connection(listener.getsockname())
    return c, listener.accept()[0]
def fork(fn):
    pid = os.fork()
    if pid == 0:
        fn()
        os._exit(0)
    return pid
def note(name, s, pid):
    print(f"{name}={pid}\n{name}_port={s.getsockname()[1]}", flush=True)
slower = min(int(os.environ.get("DWIRE_TEST_SLOWER") or 1), 6)
listener = socket.create_server(("127.0.0.1", 0))
me = os.getpid()

c, s = connection()
note("own", c, me)
c.sendall(b"x" * 10)
s.recv(10)
c.close()
s.close()

# A process that is passed a connection sends on it; its first owner holds it, too, and closes it last.
here, there = socket.socketpair()
def passed():
    data = here.recvmsg(1, socket.CMSG_SPACE(4))[1]
    mine = socket.socket(fileno=array.array("i", data[0][2][:4])[0])
    mine.sendall(b"y" * 20)
    time.sleep(0.5 * slower)     # it is listed meanwhile
    mine.close()
pid = fork(passed)
c, s = connection()
there.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [c.fileno()]))])
s.recv(20, socket.MSG_WAITALL)
note("sent", c, pid)
os.waitpid(pid, 0)
c.close()
s.close()

# A child closes it last, and does nothing else.
c, s = connection()
def closes():
    s.close()
    time.sleep(0.2)
    c.close()
pid = fork(closes)
note("closed", c, pid)
c.close()
os.waitpid(pid, 0)
s.close()

# A child receives on it, and does nothing else.
c, s = connection()
until = time.time() + 2
def receives():
    c.close()
    while s.recv(100):
        pass
pid = fork(receives)
note("received", s, pid)
s.close()
while time.time() < until:
    c.sendall(b"z" * 100)
    time.sleep(0.02)
c.close()
os.waitpid(pid, 0)

# Workers accept from a listener that they share, without asking for the peer's address.
shared = socket.create_server(("127.0.0.1", 0))
def works():
    for _ in range(3):
        w = socket.socket(fileno=ctypes.CDLL(None).accept(shared.fileno(), None, None))
        w.sendall(str(os.getpid()).encode())
        w.close()
workers = [fork(works), fork(works)]
time.sleep(0.5)                  # dwire looks who shares it
for i in range(6):
    c = socket.create_connection(shared.getsockname())
    note(f"worker{i}", shared, int(c.recv(20)))
    print(f"worker{i}_peer={c.getsockname()[1]}", flush=True)
    c.recv(1)
    c.close()
for pid in workers:
    os.waitpid(pid, 0)
END
trace_in "$NETNS" "#pragma D option walkrate=100ms
	tcp:::state-change /args[1]->cs_netns == $NETNS_ID &&
		(args[3]->tcps_state == TCP_STATE_FIN_WAIT_1 || args[3]->tcps_state == TCP_STATE_LAST_ACK)/ {
		printf(\"closes pid=%d sp=%d dp=%d\\n\", args[1]->cs_pid, args[3]->tcps_lport, args[3]->tcps_rport) }
	sockets:::tcp-open /args[1]->cs_netns == $NETNS_ID && args[0]->os_whole && args[0]->os_listens == 0/ {
		printf(\"open pid=%d sp=%d dp=%d\\n\", args[1]->cs_pid, args[2]->tcps_lport, args[2]->tcps_rport) }" \
	python3 "$tmp/roles.py"
owners() { # PROBE PORT [PEER]: in their order, each once while it stays the same
	lines "p == \"$1\" && v[\"sp\"] == $2 ${3:+&& v[\"dp\"] == $3}" | sed 's/.*pid=\([-0-9]*\) .*/\1/' | uniq | xargs
}
me=$(value_of own)
expect_eq "$(owners closes "$(value_of own_port)")" "$me" "its own connection: who closes"
expect_match " $(owners open "$(value_of sent_port)") " " $(value_of sent) " "passed on: who has sent owns it"
if since 5.17; then
	expect_eq "$(owners closes "$(value_of sent_port)")" "$me" "passed on: who closes last"
	expect_eq "$(owners closes "$(value_of closed_port)")" "$(value_of closed)" "inherited: who closes"
fi
expect_match "$(owners open "$(value_of received_port)")" "(^| )$(value_of received)\$" "inherited: who receives"
for i in {0..5}; do
	expect_eq "$(owners closes "$(value_of worker"${i}"_port)" "$(value_of worker"${i}"_peer)")" "$(value_of worker"$i")" \
		"connection $i of a shared listener: who closes"
done
