# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts in the style of Solaris' tcptop.d, tcpstat.d and udpstat.d: counters of mib, `hp_avenrun[0], columns of
# text. Compared with what the other side counted and the kernel's load average.
netns_new sol

cat >"$tmp/tcpstat.d" <<-'END'
	#!/usr/sbin/dtrace -s
	#pragma D option quiet
	dtrace:::BEGIN { out = 0; outre = 0; in = 0; indup = 0; inun = 0; printf("%10s %10s\n", "OUT", "IN"); }
	mib:::tcpOutDataBytes /args[1]->cs_netns == $1/ { out += arg0; }
	mib:::tcpRetransBytes /args[1]->cs_netns == $1/ { outre += arg0; }
	mib:::tcpInDataInorderBytes /args[1]->cs_netns == $1/ { in += arg0; }
	mib:::tcpInDataDupBytes /args[1]->cs_netns == $1/ { indup += arg0; }
	mib:::tcpInDataUnorderBytes /args[1]->cs_netns == $1/ { inun += arg0; }
	profile:::tick-1sec { printf("%10d %10d %d %d %d\n", out, in, outre, indup, inun); out = 0; in = 0; }
	dtrace:::END { printf("%10d %10d %d %d %d\n", out, in, outre, indup, inun); }
END
cat >"$tmp/tcptop.d" <<-'END'
	#!/usr/sbin/dtrace -s
	#pragma D option quiet
	dtrace:::BEGIN { TCP_out = 0; TCP_in = 0; }
	mib:::tcpOutDataBytes /args[1]->cs_netns == $1/ { TCP_out += args[0]; }
	mib:::tcpInDataInorderBytes /args[1]->cs_netns == $1/ { TCP_in += args[0]; }
	tcp:::send /args[1]->cs_netns == $1 && args[1]->cs_pid != -1/
	{
		@out[args[1]->cs_pid, args[2]->ip_saddr, args[4]->tcp_dport] = sum(args[2]->ip_plength - args[4]->tcp_offset);
	}
	dtrace:::END
	{
		this->load1a = `hp_avenrun[0] / 65536;
		this->load1b = ((`hp_avenrun[0] % 65536) * 100) / 65536;
		printf("load: %d.%02d,  TCPin: %6d,  TCPout: %6d %d\n", this->load1a, this->load1b, TCP_in, TCP_out,
		    unix`hp_avenrun[2] > 0);
		printa("%6d %-15s %5d %9@d\n", @out);
	}
END
scripted() { # SCRIPT COMMAND…
	local script=$1
	shift
	command_file ip netns exec "$NETNS" "$@"
	"$dwire" -s "$tmp/$script" -c "$tmp/cmd" "$NETNS_ID" >"$tmp/out" 2>"$tmp/err" || fail "$script: $(<"$tmp/err")"
	OUT=$(<"$tmp/out")
}

scripted tcpstat.d tcp_echo -n 3 -c 4 -k 300
sum=$(($(value_of client_bytes_out) + $(value_of server_bytes_out)))
expect_eq "$(awk 'NR > 1 { o += $1; i += $2; r += $3 + $4 + $5 } END { print o, i, r + 0 }' <<<"$OUT")" "$sum $sum 0" "tcpstat.d"

before=$(cut -d' ' -f1 /proc/loadavg)
scripted tcptop.d tcp_echo -n 3 -c 4 -k 300
after=$(cut -d' ' -f1 /proc/loadavg)
sum=$(($(value_of client_bytes_out) + $(value_of server_bytes_out)))
expect_match "$OUT" "TCPin: +$sum,  TCPout: +$sum 1"$'\n' "tcptop.d: the sums"
expect_eq "$(awk 'NR > 1 { s += $4 } END { print s }' <<<"$OUT")" "$sum" "tcptop.d: the lines"
load=$(sed -n 's/^load: \([0-9.]*\),.*/\1/p' <<<"$OUT")
awk -v a="$before" -v b="$after" -v l="$load" 'BEGIN { if (a > b) { t = a; a = b; b = t }
	exit !(l >= a - 0.011 && l <= b + 0.011) }' || fail "tcptop.d: load $load, and /proc/loadavg said $before, $after"
