# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of tests/vm share. tests/vm/NAME.sh BUILD runs in two places: outside it starts itself again in an
# emulated machine (boot), there it tests; `in_guest` tells the two apart.
#
#   dwire                  the binary under test
#   boot SERIES [CPUS]     outside: run this test under that kernel, and exit as it does; 2 CPUs take twice the time
#   kernel_test NAME       one of tests/kernel, whole
#   trace ARG…             dwire with these; sets OUT, ERR and STATUS (124: not done in trace_seconds, VM_TRACE_SECONDS)
#   check NAME COMMAND…    a test of its own: ok when the command succeeds; what the last trace said is shown otherwise
#   has TEXT PATTERN       a bash regular expression; lines_of TEXT counts
#   finish                 prints "N passed, N failed, N skipped", exits
set -u
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
build=$(realpath "$1")
dwire=$build/dwire
triggers=$build/tests/triggers
passed=0 failed=0 skipped=0
OUT='' ERR='' STATUS=0
trace_seconds=${VM_TRACE_SECONDS:-120}
trace_in=() # a command that runs it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

boot() {
	VM_CPUS=${VM_CPUS:-${2:-2}} exec "$here/vm" "$1" "$BASH" "$(realpath "$0")" "$build" --guest
}

[ "${2-}" = --guest ] && in_guest=1 || in_guest=0
in_guest() {
	[ $in_guest -eq 1 ]
}

count() { # NAME STATUS OUTPUT
	case $2 in
	0) passed=$((passed + 1)) && echo "ok $1" ;;
	77) skipped=$((skipped + 1)) && echo "skip $1: $(tail -n 1 <<<"$3")" ;;
	*) failed=$((failed + 1)) && echo "FAIL $1" && tail -n 40 <<<"$3" | sed 's/^/    /' ;;
	esac
}

kernel_test() {
	local out status=0
	out=$("$root/tests/kernel/run-kernel" "$build" "$root/tests/kernel/$1" 2>&1) || status=$?
	count "$1" $status "$out"
}

trace() {
	local tmp
	tmp=$(mktemp)
	STATUS=0
	OUT=$("${trace_in[@]}" timeout "$trace_seconds" "$dwire" "$@" 2>"$tmp") || STATUS=$?
	ERR=$(<"$tmp")
	rm "$tmp"
}

check() {
	local name=$1 status=0
	shift
	"$@" || status=1
	count "$name" $status "status $STATUS
output: $OUT
errors: $ERR"
}

has() {
	[[ $1 =~ $2 ]]
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
	exit
}
