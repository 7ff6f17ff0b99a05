# SPDX-License-Identifier: GPL-2.0-or-later
# mib: datagrams that cannot be sent, against the trigger's count: once each, also where a socket of IPv6 sends to an IPv4
# address, and of their process.
need python3 nft
netns_new sends
cannot_send 7777
cat >"$tmp/send" <<-'END'
	#!/usr/bin/env python3
	import os, socket
	failed = 0
	for family, to in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::ffff:127.0.0.1"):
	    s = socket.socket(family, socket.SOCK_DGRAM)
	    for size, port in [(10, 7777)] * 5 + [(10, 7778)] * 3 + [(70000, 7778)] * 2:
	        try:
	            s.sendto(bytes(size), (to, port))
	        except OSError:
	            failed += 1
	print(f"failed={failed}\npid={os.getpid()}")
END
chmod +x "$tmp/send"
trace_in "$NETNS" "mib:::udpOutErrors /args[1]->cs_netns == $NETNS_ID/ { @[args[1]->cs_pid, args[1]->cs_execname] = sum(args[0]); }
	END { printa(\"%d %s %@d\\n\", @); }" "$tmp/send"
expect_ge "$(value_of failed)" 15 "datagrams that cannot be sent"
expect_eq "$(grep . <<<"$OUT")" "$(value_of pid) python3 $(value_of failed)" "udpOutErrors"
