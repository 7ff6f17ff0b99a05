# What a kernel test (tests/kernel/NAME.sh) has at hand; run-kernel sources it before the test.
#
#   dwire              the binary under test (a path); $tmp a folder of this test, removed at its end
#   trigger NAME …     runs a traffic program of tests/triggers (any command will do); its key=value lines are kept
#   trace_with 'D' NAME …  traces with the D program while the trigger runs: sets OUT, ERR and STATUS, and fails the
#                      test if dwire fails. dwire_opts=(-q) is what dwire gets besides; want_status=0 what it returns
#   value_of KEY       the trigger's value of KEY (the last one), e.g. $(value_of segments)
#   expect_eq GOT WANT WHAT, expect_match GOT REGEX WHAT, expect_ge GOT MIN WHAT, expect_le GOT MAX WHAT
#   fail WHY, skip REASON, need COMMAND…
#   netns_new NAME     a network namespace with loopback up; its full name in $NETNS; removed at the end
# A test has 20 seconds; a comment line "# timeout: 60" at its head gives it more.

failed=0
namespaces=()
dwire_opts=(-q)
want_status=0
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

# After STATUS, OUT and ERR are set: a trace that failed ends the test, for nothing after it can be right.
check_status() {
	[ "$STATUS" -eq "$want_status" ] && return
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

value_of() {
	local v
	v=$(sed -n "s/^$1=//p" "$tmp/trigger" | tail -n 1)
	[ -n "$v" ] || echo "the trigger said no $1" >&2
	printf '%s' "$v"
}

netns_new() {
	NETNS=dwt$$-$1
	ip netns add "$NETNS" || skip "cannot make a network namespace"
	namespaces+=("$NETNS")
	ip -n "$NETNS" link set lo up
}

finish() {
	local status=$? ns pids
	trap - EXIT
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
trap 'exit 1' INT TERM HUP
