# SPDX-License-Identifier: GPL-2.0-or-later
# A structure of the kernel without one of its members: a script that uses it is refused with its name, everything
# else works, as the trigger counts. The test renames the member in a copy of the kernel's BTF.
netns_new lost

types_without() { # MEMBER
	LC_ALL=C sed "s/\\x00$1\\x00/\\x00${1/?/_}\\x00/" /sys/kernel/btf/vmlinux >"$tmp/btf"
	expect_eq "$(cmp -l /sys/kernel/btf/vmlinux "$tmp/btf" | wc -l)" 1 "the types without $1"
	cat >"$tmp/dwire" <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind $tmp/btf /sys/kernel/btf/vmlinux && exec "\$@"' - $real "\$@"
	END
	chmod +x "$tmp/dwire"
	dwire=$tmp/dwire
}

refused() { # STRUCTURE MEMBER 'D'
	local status=0
	rm -f "$tmp/ran"
	"$dwire" -qn "$3" -c "touch $tmp/ran" >"$tmp/out" 2>"$tmp/err" || status=$?
	expect_eq "$status $(<"$tmp/out")" "1 " "without $2"
	expect_match "$(<"$tmp/err")" "D_TYPE_MEMBER\\]: struct $1 has no member $2" "without $2"
	[ ! -e "$tmp/ran" ] || fail "without $2: the command ran"
}

real=$dwire
types_without srtt_us
refused tcp_sock srtt_us 'tcp:::send { @[args[3]->tcps_state] = count(); @srtt = max(args[3]->tcps_srtt) }'
expect_match "$(<"$tmp/err")" 'D_XLATE_MEMB\]: tcpsinfo_t.tcps_srtt cannot be had from this kernel' "the member of the argument"
trace_in "$NETNS" "tcp:::send /args[1]->cs_netns == $NETNS_ID &&
	(args[3]->tcps_rto > 0 || args[3]->tcps_state == TCP_STATE_TIME_WAIT)/ { @ = count() }
	END { printa(\"%@d\\n\", @) }" tcp_echo -4 -n 3
expect_eq "$OUT" $(($(value_of client_segs_out) + $(value_of server_segs_out))) "segments, with another member of that structure"

# One that sites of TCP need: those of UDP do not.
types_without skc_state
refused sock_common skc_state 'tcp:::receive { @ = count() }'
trace_in "$NETNS" "udp:::receive /args[3]->udps_lport > 0/ { @[args[2]->ip_saddr] = count() }
	END { printa(\"%s %@d\\n\", @) }" udp_echo -4 -n 3
expect_eq "$OUT" "127.0.0.1 $(($(value_of client_datagrams_in) + $(value_of server_datagrams_in)))" "datagrams"
