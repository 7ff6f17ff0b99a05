# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh: what a kernel test (tests/kernel/SUBJECT/NAME.sh) can use. run-kernel sources it before the test.
#
#   dwire              the path of the binary under test
#   tmp                a folder for this test, removed at its end; the test starts in it
#   trigger NAME …     runs a traffic program of tests/triggers, or any command, and keeps its key=value lines
#   trace_with 'D' NAME …  traces with the D program while the trigger runs; sets OUT, ERR and STATUS. The test fails if
#                      dwire does. dwire_opts=(-q) are dwire's options, want_status=0 its expected exit status, and
#                      want_told a pattern of the faults and losses that it may report (none)
#   value_of KEY       the trigger's last value of KEY: $(value_of segments)
#   expect_eq GOT WANT WHAT, expect_match GOT REGEX WHAT, expect_ge GOT MIN WHAT, expect_le GOT MAX WHAT
#   fail WHY, skip REASON, need COMMAND…, need_traced PROBE,…  the tier that the environment forces has these probes
#   since 6.13         true if the kernel is of that version or later
#   netns_new NAME     makes a network namespace with loopback up: $NETNS is its name, $NETNS_ID its number. It is removed
#                      at the end. trace_in NETNS 'D' NAME … is trace_with for a trigger that runs in it; with the predicate
#                      args[1]->cs_netns == $NETNS_ID the script sees no other traffic of the machine
#   wire_new NAME      netns_new with a veth pair: triggers send by device va to themselves and receive by device vb
#   at_exit COMMAND    what undoes the test's own changes, however it ends
#   cannot_send PORT   netfilter drops what $NETNS sends to that port of UDP
#   slow_machine       true in an emulated machine, where TCP sends again what was not answered in time
#   functions_traced   true if the kernel's functions can be traced; need_functions skips the test where they cannot
#   router_new FAMILIES NET1 NET2  three namespaces, $a, $b and $c, with $a_id and so on: b routes between a's device va,
#                      10.78.NET1.1, and c's vc, 10.78.NET2.3. Its own are vb and vr, .2 of each. FAMILIES is 4, or 46: also
#                      fd78:NET::1/64 and so on
#   wait_up NETNS DEV  until the device carries packets: those that are sent before are lost
#   start_waiting NAME …   starts a trigger that waits (-w) in the background, so that its sockets are older than the
#                      trace; trace_waiting 'D' traces from then to its end
#   but_late_ticks FILE  its lines without dwire's message (in JSON: a row) that ticks came too late. For tools whose
#                      tick only ends the trace: it may be late on a slow machine
#   measure COMMAND …  runs it in a subshell, which prints "FAILED: …" where something is not as it should be: again, at
#                      most four times. For events that may come while process 1 runs, which some kernels hide
#   snmp NETNS GROUP NAME  the kernel's counter of a namespace (/proc/net/snmp, netstat, snmp6)
#   capture NETNS DEV FILTER…, captured   starts tcpdump, and ends it: packets are in $tmp/pcap. pcap_segments and
#                      traced_segments PROBE list the segments of the capture and of the trace
# For D programs that print lines "PROBE KEY=VALUE …"; in conditions, in awk, p is the probe and v["KEY"] a value:
#   lines COND, count COND, total KEY COND, values KEY COND of OUT; expect_count COND WANT WHAT;
#   expect_total KEY COND WANT WHAT; segments NETNS_ID prints D that makes such a line of each segment of a namespace
# DWIRE_TEST_TIER forces a tier, by "${tier_opts[@]}" in dwire_opts.
# A test has 60 seconds; a comment line "# timeout: 120" at its head gives it more.

failed=0
namespaces=()
at_exits=()
tier_opts=(${DWIRE_TEST_TIER:+-x tier="$DWIRE_TEST_TIER"})
dwire_opts=(-q "${tier_opts[@]}")
want_status=0
want_told='^$'
PATH=$triggers:/usr/sbin:/sbin:$PATH

fail() {
	printf 'FAILED: %s\n' "$*"
	failed=1
}

skip() {
	printf 'skip: %s\n' "$*"
	exit 77
}

need() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || skip "needs $c"
	done
}

not_in_tier='\([^ ]* cannot be traced in the tier .*\|this needs .*, which this kernel does not have\)'
# For tests that call dwire themselves: a forced tier may not have these probes.
need_traced() { # PROBE,…
	local said
	[ -n "${DWIRE_TEST_TIER-}" ] || return 0
	! said=$("$dwire" "${dwire_opts[@]}" -e -n "$1 { }" 2>&1 | grep -m 1 -o "$not_in_tier") || skip "$said"
}

cannot_send() { # PORT
	ip netns exec "$NETNS" nft "add table inet t; add chain inet t o { type filter hook output priority 0; };
		add rule inet t o udp dport $1 drop"
}

slow_machine() {
	[ "${DWIRE_TEST_SLOWER:-1}" -gt 1 ]
}

functions_traced() {
	"$dwire" -lvvn path:::route | grep -q 'Site: fentry ip_route_input_noref$'
}

need_functions() {
	functions_traced || skip "no functions of the kernel can be traced"
}

need_ipv6() { # of this namespace's loopback
	grep -qs ' lo$' /proc/net/if_inet6 || skip "no IPv6 here"
}

but_late_ticks() {
	local late='[0-9]+ tick firings? missed \(too late\)'
	sed -E "/^(dwire: $late|\{\"drops\":[0-9]+,\"message\":\"$late\"\})\$/d" "$1"
}

measure() {
	local said i
	for i in 1 2 3 4 5; do
		said=$("$@")
		printf '%s: %s\n' "$*" "$said"
		[[ $said == *FAILED:* ]] || return 0
	done
	fail "$*: $said"
}

expect_eq() {
	[ "$1" = "$2" ] || fail "$3: got '$1', want '$2'"
}

expect_match() {
	[[ $1 =~ $2 ]] || fail "$3: got '$1', want a match of '$2'"
}

is_number() {
	[[ $1 =~ ^-?[0-9]+$ ]]
}

expect_ge() {
	{ is_number "$1" && is_number "$2" && [ "$1" -ge "$2" ]; } || fail "$3: got '$1', want at least '$2'"
}

expect_le() {
	{ is_number "$1" && is_number "$2" && [ "$1" -le "$2" ]; } || fail "$3: got '$1', want at most '$2'"
}

since() {
	[[ $(</proc/sys/kernel/osrelease) =~ ^([0-9]+)\.([0-9]+) ]]
	[ $((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2])) -ge $((${1%.*} * 1000 + ${1#*.})) ]
}

# A script that becomes the command, with its output kept: dwire -c splits its argument at blanks, and the trigger's
# output must not mix with the trace.
command_file() {
	{
		printf '#!/bin/bash\nexec'
		printf ' %q' "$@"
		printf ' >%q\n' "$tmp/trigger"
	} >"$tmp/cmd"
	chmod +x "$tmp/cmd"
}

trigger() {
	"$@" >"$tmp/trigger" || fail "the trigger failed ($?): $*"
}

# Checks STATUS, OUT and ERR. A trace that failed ends the test, because nothing after it can be right. A trace that
# reported a fault or a loss has not seen everything, and fails the test unless it is expected.
check_status() {
	local told
	told=$(grep -E '^dwire: (error on enabled probe|up to [0-9]+ |[0-9]+ .*(drop|error|missed (in|for)))' <<<"$ERR")
	[ -z "$told" ] || [[ $told =~ $want_told ]] || fail "dwire reports what it has not seen: $told"
	[ "$STATUS" -eq "$want_status" ] && return
	told=$(grep -o "$not_in_tier" <<<"$ERR")
	[ -z "${DWIRE_TEST_TIER-}" ] || [ -z "$told" ] || [ "$failed" -ne 0 ] || skip "$told"
	fail "dwire returned $STATUS, not $want_status: $1"
	printf '%s\n%s\n' "$OUT" "$ERR"
	exit 1
}

trace_with() {
	local program=$1
	shift
	command_file "$@"
	: >"$tmp/trigger"
	STATUS=0
	"$dwire" "${dwire_opts[@]}" -n "$program" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err" || STATUS=$?
	OUT=$(<"$tmp/out")
	ERR=$(<"$tmp/err")
	check_status "$program"
}

value_of() { # in bash alone: to start a program takes an emulated machine 70 ms, and a test asks often
	local v='' line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line != "$1="* ]] || v=${line#*=}
	done <"$tmp/trigger"
	[ -n "$v" ] || echo "the trigger said no $1" >&2
	printf '%s' "$v"
}

netns_new() {
	NETNS=dwt$$-$1
	ip netns add "$NETNS" || skip "cannot make a network namespace"
	namespaces+=("$NETNS")
	NETNS_ID=$(stat -L -c %i "/run/netns/$NETNS")
	ip -n "$NETNS" link set lo up
}

router_new() {
	local n ns dev net host off=1
	[ "$1" = 4 ] || off=0
	for n in a b c; do netns_new "$n" && declare -g "$n=$NETNS" "${n}_id=$NETNS_ID"; done
	ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
	ip -n "$b" link add vr type veth peer name vc netns "$c"
	for n in "$a va $2 1" "$b vb $2 2" "$b vr $3 2" "$c vc $3 3"; do
		read -r ns dev net host <<<"$n"
		ip netns exec "$ns" sh -c "cd /proc/sys/net/ipv6/conf/$dev; echo $off >disable_ipv6; echo 0 >accept_dad"
		ip -n "$ns" addr add "10.78.$net.$host/24" dev "$dev"
		[ $off = 1 ] || ip -n "$ns" addr add "fd78:$net::$host/64" dev "$dev" nodad
		ip -n "$ns" link set "$dev" up
	done
	ip -n "$a" route add default via "10.78.$2.2"
	ip netns exec "$b" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	[ $off = 0 ] || return 0
	ip -n "$c" route add default via "10.78.$3.2"
	ip -6 -n "$a" route add default via "fd78:$2::2"
	ip -6 -n "$c" route add default via "fd78:$3::2"
	ip netns exec "$b" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
}

wait_up() {
	local i
	for i in {1..100}; do
		[ "$(ip netns exec "$1" cat "/sys/class/net/$2/operstate")" != up ] || return 0
		sleep 0.1
	done
	fail "$2 has no carrier"
}

# A namespace in $NETNS whose address $WIRE4, $WIRE6 is behind a wire, va, though it is its own: what goes there leaves by
# va and comes in by vb, both ways of a connection. Triggers use these addresses where they would use loopback.
WIRE4=10.99.0.1 WIRE6=fd00:d:99::1
wire_new() { # NAME
	local mac
	netns_new "$1"
	# IPv6 tells of its groups when a device comes up, and again within this time: at once, not in the midst of a test.
	ip netns exec "$NETNS" sysctl -qw net.ipv6.conf.default.mldv2_unsolicited_report_interval=10
	ip -n "$NETNS" link add va type veth peer name vb || skip "no veth"
	ip -n "$NETNS" addr add $WIRE4/32 dev vb
	ip -n "$NETNS" -6 addr add $WIRE6/128 dev vb nodad
	ip netns exec "$NETNS" sysctl -qw net.ipv4.conf.vb.accept_local=1 net.ipv4.conf.all.rp_filter=0 \
		net.ipv4.conf.vb.rp_filter=0
	ip -n "$NETNS" link set va up
	ip -n "$NETNS" link set vb up
	mac=$(ip -n "$NETNS" -br link show vb | awk '{ print $3 }')
	for family in -4 -6; do
		ip -n "$NETNS" $family rule add pref 10 iif lo lookup 10
		ip -n "$NETNS" $family rule add pref 20 lookup local
		ip -n "$NETNS" $family rule del pref 0
	done
	ip -n "$NETNS" route add $WIRE4/32 dev va src $WIRE4 table 10
	ip -n "$NETNS" -6 route add $WIRE6/128 dev va src $WIRE6 table 10
	ip -n "$NETNS" neigh add $WIRE4 lladdr "$mac" dev va
	ip -n "$NETNS" neigh add $WIRE6 lladdr "$mac" dev va
	export TRIG_ADDR4=$WIRE4 TRIG_ADDR6=$WIRE6
}

trace_in() {
	local ns=$1 program=$2
	shift 2
	trace_with "$program" ip netns exec "$ns" "$@"
}

start_waiting() {
	local i
	: >"$tmp/waiting" # the one before has said that it is ready
	"$@" -w >"$tmp/waiting" &
	WAITING=$!
	for ((i = 0; i < 500; i++)); do
		grep -qs '^ready=1' "$tmp/waiting" && return
		sleep 0.01
	done
	fail "the trigger is not ready: $*"
	exit 1
}

# A command (see trace_with): the waiting trigger goes on, and its lines become this one's.
go_on() {
	kill -USR1 "$1"
	while kill -0 "$1" 2>/dev/null; do sleep 0.02; done
	cat "$2"
}

trace_waiting() {
	declare -f go_on >"$tmp/go"
	printf 'go_on %q %q\n' "$WAITING" "$tmp/waiting" >>"$tmp/go"
	trace_with "$1" "$BASH" "$tmp/go"
	wait "$WAITING" || fail "the waiting trigger failed"
}

# The kernel's own counter of a namespace: GROUP as in /proc/net/snmp or netstat ("Tcp", "TcpExt", "Ip"), or Ip6, Udp6,
# Icmp6, UdpLite6 with the names of /proc/net/snmp6 (without the group).
snmp() { # NETNS GROUP NAME
	local line names=() i
	while read -ra line; do
		case ${line[0]} in
		"$2$3") echo "${line[1]}" && return ;;
		"$2:")
			for i in "${!names[@]}"; do
				[ "${names[i]}" != "$3" ] || { echo "${line[i]}" && return; }
			done
			names=("${line[@]}")
			;;
		esac
	done < <(nsenter --net="/run/netns/$1" cat /proc/net/snmp /proc/net/netstat /proc/net/snmp6)
}

capture() {
	local i
	: >"$tmp/tcpdump"
	ip netns exec "$1" tcpdump -i "$2" -n -s 128 -B 65536 --immediate-mode -U -w "$tmp/pcap" "${@:3}" 2>"$tmp/tcpdump" &
	CAPTURE=$!
	for ((i = 0; i < 500; i++)); do
		grep -q 'listening on' "$tmp/tcpdump" && return
		sleep 0.01
	done
	skip "tcpdump does not start: $(<"$tmp/tcpdump")"
}

captured() {
	kill -INT "$CAPTURE"
	wait "$CAPTURE"
	expect_match "$(<"$tmp/tcpdump")" '(^|[^0-9])0 packets dropped by kernel' "the capture is whole"
}

# The segments of a capture, sorted: "SA SP DA DP FLAGS WIN LEN"; and the same of OUT's lines with these keys and fl= for p.
# IP 127.0.0.1.54126 > 127.0.0.1.44435: Flags [S.], seq 1:2, ack 7, win 65483, options [...], length 0
pcap_segments() {
	tcpdump -n -r "$tmp/pcap" tcp 2>/dev/null | awk '{
		from = $3; to = $5; sub(/:$/, "", to)
		sp = from; sub(/.*\./, "", sp); sub(/\.[0-9]*$/, "", from)
		dp = to; sub(/.*\./, "", dp); sub(/\.[0-9]*$/, "", to)
		flags = $0; sub(/.*Flags \[/, "", flags); sub(/\].*/, "", flags); if (flags == "none") flags = ""
		win = $0; sub(/.* win /, "", win); sub(/[^0-9].*/, "", win)
		len = $0; sub(/.* length /, "", len); sub(/[^0-9].*/, "", len)
		print from, sp, to, dp, flags, win, len
	}' | sort
}

traced_segments() { # PROBE
	over_lines "p == \"$1\" {
		split(\"F S R P . U E W\", letter, \" \"); flags = \"\"; rest = v[\"fl\"]
		for (i = 1; i <= 8; i++) { if (rest % 2) flags = flags letter[i]; rest = int(rest / 2) }
		print v[\"sa\"], v[\"sp\"], v[\"da\"], v[\"dp\"], flags, v[\"win\"], v[\"len\"]
	}" | sort
}

# All from OUT with a condition and an action of awk. A number from split is a number where it looks like one. With
# over=exec awk takes the place of the subshell.
over=
over_lines() {
	$over awk '{ split("", v); p = $1; for (i = 2; i <= NF; i++) { split($i, pair, "="); v[pair[1]] = pair[2]; pair[2] = "" } }
		'"$1" <<<"$OUT"
}

lines() {
	over_lines "($1)"
}

count() {
	over_lines "($1) { n++ } END { print n + 0 }"
}

total() {
	over_lines "($2) { n += v[\"$1\"] } END { printf \"%.0f\\n\", n }"
}

values() {
	over_lines "($2) { print v[\"$1\"] }"
}

# Another count comes with the lines: one that is there with other values is not one that is missing.
expect_count() {
	local n
	n=$(over=exec && count "$1")
	expect_eq "$n" "$2" "$3"
	[ "$n" = "$2" ] || head -n 60 <<<"$OUT"
}

expect_total() {
	expect_eq "$(over=exec && total "$1" "$2")" "$3" "$4"
}

# D: a line a segment of the namespace. sp, dp, sa, da: of the segment; fl: flags; len: payload.
segments() {
	cat <<-END
		tcp:::send, tcp:::receive
		/args[1]->cs_netns == $1/
		{
			printf("%s pid=%d name=%s cid=%d ver=%d sa=%s da=%s sp=%d dp=%d fl=%d len=%d st=%d\\n", probename,
			    args[1]->cs_pid, args[1]->cs_execname, args[1]->cs_cid, args[2]->ip_ver, args[2]->ip_saddr,
			    args[2]->ip_daddr, args[4]->tcp_sport, args[4]->tcp_dport, args[4]->tcp_flags,
			    args[2]->ip_plength - args[4]->tcp_offset, args[3]->tcps_state);
		}
	END
}

at_exit() { # COMMAND, as one word
	at_exits+=("$1")
}

finish() {
	local status=$? ns pids undo
	trap - EXIT
	for undo in "${at_exits[@]}"; do eval "$undo"; done
	mapfile -t pids < <(jobs -p)
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
	for ns in "${namespaces[@]}"; do
		ip netns pids "$ns" 2>/dev/null | xargs -r kill 2>/dev/null
		ip netns del "$ns"
	done
	[ "$status" -eq 0 ] && status=$failed
	exit "$status"
}
trap finish EXIT
trap 'trap "" INT TERM HUP; exit 1' INT TERM HUP # timeout(1) sends it twice

# C, on standard output: RAW_GETPPID(r) is the system call without the C library, which keeps no frame pointers. A macro,
# as a function would be one more frame of an inlined one.
raw_getppid() {
	cat <<-'C'
		#if defined(__x86_64__)
		#define RAW_GETPPID(r) __asm__ volatile("syscall" : "=a"(r) : "0"(110L) : "rcx", "r11", "memory")
		#else
		#define RAW_GETPPID(r) do { \
			register long x8 __asm__("x8") = 173, x0 __asm__("x0"); \
			__asm__ volatile("svc 0" : "=r"(x0) : "r"(x8) : "memory"); \
			(r) = x0; \
		} while (0)
		#endif
	C
}
