# SPDX-License-Identifier: GPL-2.0-or-later
# More sockets than the table of owners has places: those in the hash have the right owner as well, and so have new
# sockets of another process where the kernel uses the memory of closed ones again.
need python3
netns_new crowded

cat >"$tmp/crowd" <<-'END'
	import os, resource, socket
	EACH = 9000
	resource.setrlimit(resource.RLIMIT_NOFILE, (EACH + 100, EACH + 100))
	to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	to.bind(("127.0.0.1", 0))
	class Crowd:
	    def __init__(self):
	        (self.orders, w), (r, answers) = os.pipe(), os.pipe()
	        self.pid = os.fork()
	        if self.pid == 0:
	            os.close(w), os.close(r)
	            all = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(EACH)]
	            os.write(answers, b"+")
	            while os.read(self.orders, 1) == b"+":
	                for s in all: s.sendto(b"x", to.getsockname())
	                os.write(answers, b"+")
	            os._exit(0)
	        os.close(self.orders), os.close(answers)
	        self.w, self.r, self.sent = w, r, 0
	        assert os.read(r, 1)
	    def send(self):
	        os.write(self.w, b"+")
	        assert os.read(self.r, 1)
	        self.sent += EACH
	    def end(self):
	        os.write(self.w, b"-")
	        os.waitpid(self.pid, 0)
	        print(f"crowd={self.pid} {self.sent}", flush=True)
	a, b = Crowd(), Crowd()
	a.send(), b.send()
	a.end()
	c = Crowd()
	b.send(), c.send()
	b.end(), c.end()
END
trace_in "$NETNS" "
	udp:::send /args[1]->cs_netns == $NETNS_ID/ { @[args[1]->cs_pid] = count() }
	END { printa(\"%@d pid=%d\\n\", @) }" python3 "$tmp/crowd"
expect_eq "$(grep -c ^crowd= "$tmp/trigger")" 3 "processes with many sockets"
while read -r pid sent; do
	expect_eq "$(sed -n "s| pid=$pid\$||p" <<<"$OUT")" "$sent" "packets of process $pid"
done < <(sed -n 's/^crowd=//p' "$tmp/trigger")
expect_eq "$(grep -c " pid=" <<<"$OUT")" 3 "owners"
