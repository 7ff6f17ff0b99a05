# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A connection that waits already when a worker accepts it is the worker's from then on, though its parent made the listener
# and the worker has not used the connection when data come.
need python3
netns_new waiting
cat >"$tmp/accept" <<-'END'
	#!/usr/bin/env python3
	import os, socket
	for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
	    l = socket.socket(family)
	    l.bind((host, 0))
	    l.listen()
	    ask, told = os.pipe(), os.pipe()
	    worker = os.fork()
	    if not worker:
	        for i in range(4):
	            os.read(ask[0], 1)
	            c, _ = l.accept()
	            os.write(told[1], b"a")
	            while c.recv(10): pass
	        os._exit(0)
	    for i in range(4):
	        c = socket.create_connection(l.getsockname()[:2])
	        os.write(ask[1], b"a")
	        os.read(told[0], 1)
	        c.send(b"hello")
	        c.close()
	    os.waitpid(worker, 0)
	    print(f"accepted={l.getsockname()[1]} {worker}", flush=True)
END
chmod +x "$tmp/accept"
trace_in "$NETNS" "tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
	printf(\"%d %d\\n\", args[4]->tcp_dport, args[1]->cs_pid); }" "$tmp/accept"
while read -r port worker; do
	expect_eq "$(grep -cx "$port $worker" <<<"$OUT")" 4 "segments that worker $worker takes"
done < <(sed -n 's/^accepted=//p' "$tmp/trigger")
expect_eq "$(grep -c . <<<"$OUT")" 8 "segments"
[ $failed -eq 0 ] || echo "$OUT"
