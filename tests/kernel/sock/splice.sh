# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# splice(2) takes another path in the kernel; what it reads counts as read.
need_ipv6
for family in -4 -6; do
	trace_with 'sock:::receive /pid == $target && execname == "dw_splice"/ {
			@[probename, args[0]->so_ip, args[0]->so_fd] = count();
			@bytes["bytes", args[0]->so_ip, args[0]->so_fd] = sum(args[2]->sr_bytes); }
		sock:::first-byte /pid == $target/ { @[probename, args[2]->sr_bytes, args[0]->so_fd] = count(); }' splice "$family"
	read -r tcp tcp_bytes tcp_calls <<<"$(value_of tcp)"
	read -r unix unix_bytes unix_calls <<<"$(value_of unix)"
	expect_eq "$(tr -s ' \n' ' ' <<<"$OUT" | sed 's/^ //')" "first-byte 1000 $tcp 1 receive 0 $unix $unix_calls \
receive ${family#-} $tcp $tcp_calls bytes 0 $unix $unix_bytes bytes ${family#-} $tcp $tcp_bytes " "$family"
done
