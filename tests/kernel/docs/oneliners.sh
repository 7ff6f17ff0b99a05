# SPDX-License-Identifier: GPL-2.0-or-later
# Runs every command of docs/ONELINERS.md with traffic of known size, and compares the output with the programs' own
# counts. Commands on kernel functions count if the kernel allows it; otherwise they must be refused with a message.
# timeout: 180

page=$here/../../docs/ONELINERS.md
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$page" >"$tmp/commands"
tested=()

cat >"$tmp/traffic" <<-'END'
	#!/bin/bash
	tcp_echo -4 -q -n 3 -c 2 -k 1000 >"$0.tcp"
	udp_echo -4 -n 3 -k 1020 >"$0.udp"
	tcp_refused -4 >"$0.refused"
END
chmod +x "$tmp/traffic"

# one PATTERN: runs the only command of the page that has these words; its output without the padding is in OUT
one() {
	local line
	line=$(grep -nF -- "$1" "$tmp/commands")
	[ "$(grep -c . <<<"$line")" -eq 1 ] || { fail "$1: not one command of the page: $line" && return; }
	tested+=("${line%%:*}")
	STATUS=0
	(
		dwire() {
			timeout 60 "$dwire_binary" "$@" -q -c "$tmp/traffic"
		}
		eval "${line#*:}"
	) >"$tmp/out" 2>"$tmp/err" || STATUS=$?
	OUT=$(sed 's/  */ /g; s/^ //; s/ *$//; /^$/d' "$tmp/out")
	ERR=$(<"$tmp/err")
}
dwire_binary=$dwire

of() { # FILE KEY
	sed -n "s/^$2=//p" "$tmp/traffic.$1"
}

# line TEXT: a line of the output
line() {
	grep -qxF -- "$1" <<<"$OUT" || fail "${FUNCNAME[1]} ${BASH_LINENO[0]}: no line '$1' in: $OUT $ERR"
}

# rows WORD: lines of a distribution that have a count, of the level WORD
level() {
	local n
	n=$(awk -v level="$1" '$1 == level && $2 ~ /^\|/ { s += $NF } END { print s + 0 }' <<<"$OUT")
	expect_ge "$n" "$2" "line ${BASH_LINENO[0]}: values of $1 and more"
}

# What each replaces is named before it; and all of the book's are there.
expect_eq "$(awk '/^```sh/ { if (!named) print NR; on = 1; next } /^```/ { on = 0; next } on { next }
	/^#/ { named = 0 } /^[^ ].*[(].*`|^`.*[)]/ { named = 1 } /^(Tracepoints|[A-Z.])/ && !/`/ { named = 0 }' "$page")" "" \
	"lines of commands that do not name what they replace"
while read -r old; do
	grep -qF -- "$old" "$page" || fail "$old is not on the page"
done <<'END'
argdist -C 't:syscalls:sys_exit_connect
stackcount -U t:syscalls:sys_enter_connect
argdist -H 'p::tcp_sendmsg
argdist -H 'r::tcp_recvmsg
funccount 'tcp_*'
argdist -H 'p::udp_sendmsg
argdist -H 'r::udp_recvmsg
funccount 'udp_*'
stackcount t:net:net_dev_xmit
funccount 'ieee80211_*'
funccount 'ixgbevf_*'
t:syscalls:sys_enter_accept*
`t:syscalls:sys_enter_connect
t:syscalls:sys_exit_connect
k:sock_sendmsg,k:sock_recvmsg
kr:sock_sendmsg,kr:sock_recvmsg
k:tcp_v*_connect
k:inet_csk_accept
k:tcp_sendmsg,k:tcp*recvmsg
k:tcp_sendmsg,k:tcp_recvmsg
`k:tcp_sendmsg`
kr:tcp_recvmsg
t:tcp:tcp_retransmit_*
`k:tcp_*`
k:udp*_sendmsg,k:udp*_recvmsg
`k:udp_sendmsg`
kr:udp_recvmsg
`k:udp_*`
t:net:net_dev_xmit
t:net:netif_receive_skb
k:ieee80211_*
k:ixgbevf_*
t:iwlwifi:*,t:iwlwifi_io:*
END

refused=$(errno ECONNREFUSED 2>/dev/null | awk '{ print $2 }')
: "${refused:=111}"

one 'syscall::connect:return /errno/ { @[errno]'
line "$refused 1"
one 'syscall::connect:return /errno/ { @[execname'
line "dw_refused $refused 1"
one '@[ustack()]'
expect_match "$OUT" 'connect' "a program's stack"
one 'syscall::accept*:entry'
line "$(of tcp server_pid) dw_server 3"
one 'syscall::connect:entry { @[pid'
line "$(of tcp client_pid) dw_client 3"
line "$(of refused pid) dw_refused 1"

one 'sock:::send, sock:::receive { @[probename'
line "send $(of tcp client_pid) dw_client 6"
line "send $(of udp client_pid) dw_udp_client 3"
one 'sum(args[2]->sr_bytes)'
line "$(of tcp client_pid) dw_client 12000"
line "$(of udp server_pid) dw_udp_server 6120"

one 'tcp:::connect-request'
line "$(of tcp client_pid) dw_client 3"
one 'sock:::accept-done'
line "$(of tcp server_pid) dw_server 3"
one 'tcp:::accept-established'
line "$(of tcp server_pid) dw_server 3"
one 'IPPROTO_TCP/ { @[probename] '
line "send 12"
expect_match "$OUT" 'receive (1[2-9]|[2-9][0-9])' "calls that receive"
one 'IPPROTO_TCP/ { @[probename, pid'
line "send $(of tcp client_pid) dw_client 6"
line "send $(of tcp server_pid) dw_server 6"
one 'tcp:::send, tcp:::receive { @[probename] '
sent=$(sed -n 's/^send //p' <<<"$OUT")
expect_ge "$sent" 30 "segments sent"
expect_eq "$(sed -n 's/^receive //p' <<<"$OUT")" "$sent" "segments received"
one 'tcp:::send, tcp:::receive { @[probename, '
expect_match "$OUT" "send $(of tcp client_pid) dw_client [1-9][0-9]+" "segments of the client"
one 'sock:::send /args[0]->so_protocol == IPPROTO_TCP'
level 512 12
one "-n 'sock:::receive /args[0]->so_protocol == IPPROTO_TCP"
expect_match "$OUT" '\|@+' "bytes received"
one 'tcp:::retransmit'
expect_eq "$STATUS$(grep -v '^\(rto\|fast\|tlp\|syn\|syn-ack\) ' <<<"$OUT")" 0 "retransmits, if there were any"

one 'udp:::send, udp:::receive'
line "send $(of udp client_pid) dw_udp_client 3"
line "receive $(of udp server_pid) dw_udp_server 3"
one 'IPPROTO_UDP/ { @[probename'
line "send $(of udp client_pid) dw_udp_client 3"
line "send $(of udp server_pid) dw_udp_server 3"
line "receive $(of udp client_pid) dw_udp_client 3"
line "receive $(of udp server_pid) dw_udp_server 3"
one "-n 'sock:::send /args[0]->so_protocol == IPPROTO_UDP/"
level 512 6
one 'IPPROTO_UDP && !args[2]->sr_errno'
level 512 6

one 'net:::transmit'
expect_match "$OUT" '`(__)?dev_queue_xmit' "the way to a device"
one 'net:::receive'
expect_match "$OUT" 'lo[[:space:]]+value .* count' "devices"

one 'sdt:iwlwifi'
expect_eq "$STATUS" 0 "tracepoints of a driver that is not there"

# functions TEXT NAME: counts of functions, or a refusal
functions() {
	one "$1"
	if [ $STATUS -eq 0 ]; then
		expect_match "$OUT" "$2" "$1"
	else
		expect_match "$ERR" 'D_PDESC_ZERO|needs|cannot' "$1: refused"
		expect_match "$ERR" 'fbt|function' "$1: refused"
	fi
}
functions 'fbt::tcp_*' '(^|.)tcp_v4_connect 4'
functions 'fbt::udp_*' '(^|.)udp_sendmsg 6'
functions 'fbt:mac80211' ''
functions 'fbt:ixgbevf' ''

expect_eq "$(printf '%s\n' "${tested[@]}" | sort -n | tr '\n' ' ')" "$(seq -s ' ' "$(wc -l <"$tmp/commands")") " "commands tested"
