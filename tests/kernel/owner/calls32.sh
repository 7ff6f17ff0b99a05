# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# 32-bit programs: whoever accepts a connection owns it, though accept() has other numbers there; on x86-64 accept4, and
# socketcall(), whose arguments are in memory. The acceptor only reads: nothing else shows that the connection is its own.
# On arm64 their other calls fire the native calls' probes, too.
need cc python3
ways="accept4 socketcall"
if [ "$(uname -m)" = aarch64 ]; then
	[ -x "$triggers/server32" ] || skip "the build has no 32-bit program of arm: it needs ld.lld"
	cp "$triggers/server32" "$tmp"
	ways="accept4 accept"
fi
cat >"$tmp/server32.c" <<'C'
/* Listens; a child accepts, by socketcall() if there is an argument, and reads to the end. */
static long call(long nr, long a, long b, long c, long d)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return r;
}
static long accept_one(long fd, int by_socketcall)
{
	long args[] = { fd, 0, 0, 0 };

	return by_socketcall ? call(102, 18, (long)args, 0, 0) : call(364, fd, 0, 0, 0);
}
void serve(const long *stack)
{
	static const unsigned char address[16] = { 2, 0, 7777 >> 8, 7777 & 255, 127, 0, 0, 1 };
	static char buffer[100];
	long fd = call(359, 2, 1, 0, 0), client, n;

	if (call(361, fd, (long)address, 16, 0) || call(363, fd, 8, 0, 0))
		call(1, 2, 0, 0, 0);
	if (!call(2, 0, 0, 0, 0)) {
		client = accept_one(fd, stack[0] > 1);
		while ((n = call(3, client, (long)buffer, sizeof(buffer), 0)) > 0)
			;
		call(1, n || client < 0, 0, 0, 0);
	}
	n = 0;
	call(7, -1, (long)&n, 0, 0);
	call(1, n != 0, 0, 0, 0);
}
__asm__(".globl _start\n_start: mov %esp, %eax\npush %eax\ncall serve\n");
C
[ -e "$tmp/server32" ] || cc -m32 -O1 -nostdlib -static -ffreestanding -fno-pie -no-pie -fno-stack-protector -o "$tmp/server32" "$tmp/server32.c" ||
	skip "the compiler makes no 32-bit programs"
netns_new calls32

# The parent listens; the child is the one that accepts. Segments of 77 bytes come when it has.
cat >"$tmp/talk" <<'END'
import os, socket, subprocess, sys, time
server = subprocess.Popen(sys.argv[1:])
time.sleep(0.5 * int(os.environ.get("DWIRE_TEST_SLOWER", "1"))) # dwire notices that two processes hold the listener
for i in range(200):
    try:
        client = socket.create_connection(("127.0.0.1", 7777))
        break
    except ConnectionRefusedError:
        time.sleep(0.01)
acceptor = open(f"/proc/{server.pid}/task/{server.pid}/children").read().strip()
while not os.path.islink(f"/proc/{acceptor}/fd/4"):
    time.sleep(0.001)
for i in range(3):
    client.send(b"x" * 77)
    time.sleep(0.01)
print("acceptor=" + acceptor)
client.close()
print(f"ended={server.wait()}")
END

for by in $ways; do
	# shellcheck disable=SC2086
	trace_in "$NETNS" "tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_dport == 7777 &&
		args[2]->ip_plength - args[4]->tcp_offset == 77/ { printf(\"receive pid=%d name=%s\\n\", args[1]->cs_pid, args[1]->cs_execname) }" \
		python3 "$tmp/talk" "$tmp/server32" ${by#accept4}
	expect_eq "$(value_of ended)" 0 "$by: the server's status"
	expect_eq "$OUT" "$(for _ in 1 2 3; do echo "receive pid=$(value_of acceptor) name=server32"; done)" "$by: who receives"
done

if [ "$(uname -m)" = aarch64 ]; then
	trace_in "$NETNS" 'syscall:::entry /execname == "server32" && syscall32/ { @[probefunc] = count(); @args[probefunc] = max(arg1); }
		syscall::getppid:return /execname == "server32" && arg0 != ppid/ { @["bad"] = count(); }
		END { printa("%s %@d\n", @); printa("arg1 %s %@d\n", @args); }' python3 "$tmp/talk" "$tmp/server32"
	for want in "getppid 30" "socket 1" "bind 1" "listen 1" "accept4 1" "wait4 1" "arg1 socket 1" "arg1 listen 8"; do
		expect_match $'\n'"$OUT"$'\n' $'\n'"$want"$'\n' "calls of a 32-bit program"
	done
	expect_eq "$(grep ^bad <<<"$OUT")" "" "what getppid() returns"
fi
