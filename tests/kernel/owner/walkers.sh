# SPDX-License-Identifier: GPL-2.0-or-later
# A tracer that walks over all open files holds each for a moment. If a socket is closed meanwhile, the walker
# closes it and sends its FIN, which still belongs to the process that had the socket.
need python3 bpftool
netns_new walkers
id=$(bpftool btf dump file /sys/kernel/btf/vmlinux | sed -n "s/^\[\([0-9]*\)\] FUNC 'bpf_iter_task_file' .*/\1/p")
[ -n "$id" ] || skip "no iterator over files"

# The system call bpf(2): a program of no effect for each file; the walk is done by read(2).
cat >"$tmp/walk" <<-'END'
	import ctypes, os, struct, sys, time
	nr = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
	libc = ctypes.CDLL(None, use_errno=True)
	def bpf(command, attr):
	    attr = ctypes.create_string_buffer(attr.ljust(144, b"\0"), 144)
	    fd = libc.syscall(nr, command, attr, 144)
	    if fd < 0: sys.exit("bpf %d: %s" % (command, os.strerror(ctypes.get_errno())))
	    return fd
	insns = ctypes.create_string_buffer(struct.pack("<QQ", 0xb7, 0x95)) # return 0
	gpl = ctypes.create_string_buffer(b"GPL")
	attr = struct.pack("<IIQQ", 26, 2, ctypes.addressof(insns), ctypes.addressof(gpl)).ljust(68, b"\0") # BPF_PROG_TYPE_TRACING
	attr += struct.pack("<I", 28).ljust(40, b"\0") + struct.pack("<I", int(sys.argv[1])) # BPF_TRACE_ITER, attach_btf_id
	link = bpf(28, struct.pack("<III", bpf(5, attr), 0, 28))
	walks = 0
	for i in range(int(sys.argv[2])): os.fork()
	while not os.path.exists(sys.argv[3]):
	    fd = bpf(33, struct.pack("<II", link, 0))
	    while os.read(fd, 4096): pass
	    os.close(fd)
	    walks += 1
	os.write(1, b"walks=%d\n" % walks)
END
# Each side of a connection sends one FIN, not counting those that are sent again.
cat >"$tmp/closers" <<-'END'
	import os, socket, sys, time
	n, many = 0, int(sys.argv[1])
	l = socket.create_server(("127.0.0.1", 0), backlog=200)
	end = time.time() + 2
	while time.time() < end or n < 500:
	    c = [socket.create_connection(l.getsockname()) for i in range(many)]
	    s = [l.accept()[0] for i in range(many)]
	    for x in c: x.close()
	    for x in s: x.close()
	    n += many
	print("pid=%d\nconnections=%d" % (os.getpid(), n))
END
ulimit -l unlimited 2>/dev/null # before Linux 5.11 programs count
python3 "$tmp/walk" "$id" 1 "$tmp/stop" >>"$tmp/walks" &
trace_in "$NETNS" "tcp:::send /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags & TH_FIN && !args[3]->tcps_retransmit/ {
		@[args[1]->cs_pid, args[1]->cs_execname] = count(); }
	END { printa(\"pid=%d name=%s n=%@d\\n\", @); }" python3 "$tmp/closers" 50
: >"$tmp/stop"
wait
expect_eq "$(grep . <<<"$OUT")" "pid=$(value_of pid) name=python3 n=$((2 * $(value_of connections)))" "whose all FINs are"
expect_ge "$(value_of connections)" 500 "connections"
expect_ge "$(sed -n 's/^walks=//p' "$tmp/walks" | sort -n | head -n 1)" 50 "walks"
