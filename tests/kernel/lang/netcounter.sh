# SPDX-License-Identifier: GPL-2.0-or-later
# netcounter() and netcounter_moved(): the kernel's own numbers of a namespace, as its files have them, now and again.
need python3
netns_new counters
inside() { ip netns exec "$NETNS" "$@"; }
cat >"$tmp/traffic" <<-'END'
	#!/bin/bash
	exec ip netns exec "$1" udp_send -n 7
END
chmod +x "$tmp/traffic"
inside udp_send -n 3 >/dev/null
"$dwire" -q -x netns="$(stat -Lc %i "/run/netns/$NETNS")" -c "$tmp/traffic $NETNS" -n '
	BEGIN { printf("begin %d %d\n", netcounter("UdpNoPorts"), netcounter_moved("UdpNoPorts")); }
	END {
		printf("end %d %d\n", netcounter("UdpNoPorts"), netcounter_moved("UdpNoPorts"));
		printf("sysctl %d %d %d\n", netcounter("sysctl.net.ipv4.ip_local_port_range[0]"),
		    netcounter("sysctl.net.ipv4.ip_local_port_range[1]"), netcounter("sysctl.net.core.somaxconn"));
		printf("unknown %d %d\n", netcounter("NoSuchCounter"), netcounter_moved("sysctl.net.no_such_file"));
		printf("lo %d\n", netcounter("dev.rx_packets"));
	}' >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(sed -n 's/^begin //p' "$tmp/out")" "3 0" "before"
expect_eq "$(sed -n 's/^end //p' "$tmp/out")" "10 7" "after"
expect_eq "$(sed -n 's/^sysctl //p' "$tmp/out")" \
	"$(inside cat /proc/sys/net/ipv4/ip_local_port_range | tr '\t' ' ') $(inside cat /proc/sys/net/core/somaxconn)" "settings"
expect_eq "$(sed -n 's/^unknown //p' "$tmp/out")" "-1 -1" "names that the kernel does not have"

# Small files are read again, not taken from a buffer.
"$dwire" -q -x switchrate=50ms -n '
	BEGIN { printf("%d\n", netcounter("softnet.processed")); }
	tick-1s { exit(0); }
	END { printf("%d %d\n", netcounter("softnet.processed"), netcounter_moved("softnet.processed")); }' \
	-c 'udp_echo -4 -n 100' >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
read -r first <"$tmp/out"
read -r last moved < <(grep -E '^[0-9]+ [0-9]+$' "$tmp/out")
expect_ge "$moved" 100 "packets of the CPUs"
expect_eq "$((first + moved))" "$last" "the difference"
