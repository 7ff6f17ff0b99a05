# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# cs_execname and cs_uid are those that the process has at the moment: it renames itself, executes another program, also
# out of a thread, and gives up its user, with sockets that it never sends on: a listener, a connection and a UDP socket
# that it only reads.
need python3
netns_new follow
ln -s "$(command -v python3)" "$tmp/dw_exec"
ln -s "$(command -v python3)" "$tmp/dw_thread"

# Each step: the name and user to be, then a datagram, a connection's bytes and a new connection by another process.
cat >"$tmp/follow" <<-'END'
	import ctypes, os, socket, sys, threading
	# After an exec: the step that it was, and the descriptors.
	resumed, udp, listener, out, back = ([int(a) for a in sys.argv[1:]] + [0] * 5)[:5]
	libc = ctypes.CDLL(None)
	def prctl(name):
	    libc.prctl(15, name)
	def comm(name):
	    with open("/proc/self/comm", "w") as f:
	        f.write(name)
	def run(step, name):
	    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
	    os.execv(path, [path, __file__, *(str(n) for n in (step, udp, listener, out, back))])
	def run_in_thread(step, name):
	    threading.Thread(target=run, args=(step, name)).start()
	    threading.Event().wait()
	def serve():
	    to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    prctl(b"dw_sender")
	    while n := os.read(here, 1):
	        to.sendto(b"x" * n[0], udp.getsockname())
	        sender.sendall(b"x" * n[0])
	        socket.create_connection(listener.getsockname()).close()
	        os.write(back, b"x")
	    os._exit(0)
	if not resumed:
	    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    udp.bind(("127.0.0.1", 0))
	    listener = socket.create_server(("127.0.0.1", 0))
	    sender = socket.create_connection(listener.getsockname())
	    reader, _ = listener.accept()
	    (here, out), (there, back) = os.pipe(), os.pipe()
	    if os.fork() == 0:
	        os.close(out)
	        serve()
	    print(f"pid={os.getpid()}", flush=True)
	    sender.close()
	    back = there
	    udp, listener, keep = udp.detach(), listener.detach(), reader.detach()
	    for fd in (udp, listener, keep, out, back): os.set_inheritable(fd, True)
	ways = (lambda: prctl(b"dw_prctl"), lambda: comm("dw_comm"), lambda: run(3, "dw_exec"),
	    lambda: run_in_thread(4, "dw_thread"), lambda: os.setresuid(12345, 12345, 12345))
	for step in range(max(resumed, 1), 6):
	    if step != resumed:
	        ways[step - 1]()
	    print(f"step{step}={open('/proc/self/comm').read().strip()} {os.getuid()}", flush=True)
	    os.write(out, bytes([step]))
	    os.read(back, 1)
END
trace_in "$NETNS" "udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"udp step=%d name=%s uid=%d pid=%d\\n\", args[4]->udp_length - 8, args[1]->cs_execname, args[1]->cs_uid,
		    args[1]->cs_pid) }
	tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"tcp step=%d name=%s uid=%d pid=%d\\n\", args[2]->ip_plength - args[4]->tcp_offset, args[1]->cs_execname,
		    args[1]->cs_uid, args[1]->cs_pid) }
	tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags == 2/ {
		printf(\"syn step=0 name=%s uid=%d pid=%d\\n\", args[1]->cs_execname, args[1]->cs_uid, args[1]->cs_pid) }" \
	python3 "$tmp/follow"
pid=$(value_of pid)
for step in 1 2 3 4 5; do
	read -r name uid <<<"$(value_of "step$step")"
	for p in udp tcp; do
		expect_eq "$(grep "^$p step=$step " <<<"$OUT" | if slow_machine; then uniq; else cat; fi)" "$p step=$step name=$name uid=$uid pid=$pid" "step $step: $p"
	done
	# the first SYN was the connection's own
	expect_eq "$(grep '^syn ' <<<"$OUT" | sed -n "$((step + 1))p")" "syn step=0 name=$name uid=$uid pid=$pid" "step $step: listener"
done
expect_eq "$(grep -o '^step.*' "$tmp/trigger" | tr '\n' ' ')" \
	"step1=dw_prctl 0 step2=dw_comm 0 step3=dw_exec 0 step4=dw_thread 0 step5=dw_thread 12345 " "the trigger"
