# SPDX-License-Identifier: GPL-2.0-or-later
# Help, version, and messages for wrong options.
. "$here/lib/cli.lib"

run -h
expect_eq "$STATUS" 0 "status of -h"
help=$OUT
for word in usage: -n -s -P -m -f -i -l -q -v -x -o -c -p -Z -e -w -V -b -C -D -U -I -H -L -X -S -F; do
	[[ $OUT == *"$word"* ]] || fail "-h does not tell of $word"
done
for tool in tcptop tcpsnoop udptop udpsnoop; do
	[[ ${help##*tools:} == *"$tool"* ]] || fail "-h does not list $tool"
	gives 0 "$("$dwire" $tool --help)" "" $tool -h
	[[ $OUT == "$tool"*usage:* ]] || fail "$tool -h: $OUT"
done
for args in -h "tcptop -h" "tcpsnoop -h" "udptop -h" "udpsnoop -h"; do
	# shellcheck disable=SC2086
	run $args
	expect_eq "$(awk 'length > 80' <<<"$OUT$ERR")" "" "lines of more than 80 columns in $args"
done

usage=$("$dwire" -y 2>&1 | tail -n +2)
expect_match "$usage" '^usage: dwire ' "after a wrong option"
gives 2 "" "dwire: no option -y
$usage" -y
gives 2 "" "dwire: no option --foo
$usage" --foo
gives 2 "" "dwire: option -n needs a value
$usage" -q -n
gives 2 "" "dwire: dtrace's option -A is not here: Linux has no anonymous tracing
$usage" -A
gives 2 "" "dwire: to run a script: dwire -s bogus.d" bogus.d
gives 2 "" "dwire: to trace a probe: dwire -n 'tcp:::send'" tcp:::send
gives 2 "" "dwire: no tool tcptpo: did you mean tcptop?" tcptpo
gives 2 "" "dwire: to list probes: dwire -l; tools: dwire help" list
run bogus
expect_eq "$STATUS" 2 "status of a tool that is not there"
expect_match "$ERR" $'^dwire: no tool bogus; the tools:\n  .*tcptop' "a tool that is not there"
run tcptop -y
expect_eq "$STATUS" 2 "status of a tool's unknown option"
expect_match "$ERR" '^tcptop: no option -y' "a tool's unknown option"
run tcptop five
expect_eq "$STATUS:$ERR" "2:tcptop: interval must be a number, not five" "a tool's bad number"
run -V
expect_match "$STATUS $OUT" '^0 dwire [0-9]+\.[0-9]+' "-V"

# Options: mistyped, refused, without a value; as -x and in the program.
gives 1 "" "dwire: failed to set -x aggsortkye: Invalid option name
    hint: did you mean aggsortkey?" -x aggsortkye -n BEGIN
gives 1 "" "dwire: failed to set -b 1z: Invalid value for specified option
    hint: it takes bytes, as in 512k, 8m or 1g" -b 1z -n BEGIN
gives 0 "1" "" -x switchrate -qn 'BEGIN { printf("1"); exit(0); }' # without a value: the default
gives 1 "" "dwire: failed to set -x switchrate=1000000000d: Invalid value for specified option
    hint: it takes a rate or a time, as in 10hz, 100ms or 1s" -x switchrate=1000000000d -n BEGIN
gives 1 "" "dwire: failed to set -x grabanon: Option is not supported on this system" -x grabanon -n BEGIN
gives 1 "" "dwire: failed to set -x version=3.0: Invalid value for specified option
    hint: it takes a version of D such as 1.2" -x version=3.0 -n BEGIN
gives 3 "" "" -64 -qn 'BEGIN { exit(3); }'
gives 1 "" "dwire: dtrace's option -32 is not here: addresses have 64 bits" -32 -n BEGIN
gives 1 "" "dwire: no option -31" -31 -n BEGIN
gives 0 "" "" -x version=1.6.3 -eqn BEGIN
run -qx tree=1 -n 'BEGIN { exit(3); }'
expect_match "$STATUS $ERR" '^3 .*clause' "-x tree"
run -qSn 'BEGIN { exit(3); }'
expect_match "$STATUS $ERR" $'^3 ; dtrace:::BEGIN.*\n0: ' "-S"
expect_match "$(run -h -s x.d; echo "$STATUS $ERR")" '^1 dwire: cannot read x.d' "-h -s of no file"
gives 2 "" "dwire: -G needs the declaration of a provider: -s FILE
$usage" -G
run -w -n 'BEGIN { exit(0); }'
expect_match "$ERR" $'matched 1 probe\ndwire: allowing destructive actions$' "-w"
run -n $'#pragma D option quite\nBEGIN'
expect_match "$STATUS $ERR" '^1 -n:1:1: error\[D_PRAGMA_OPTSET\]: failed to set option .quite. to ..: Invalid option name.*did you mean quiet\?' "a pragma"
gives 0 "" "" -w -n $'#pragma D option quiet\n#pragma D option bufsize = 64k\nBEGIN { exit(0); }'

# Installed as dtrace, and under names that end so, it is dtrace to those who read its messages.
for name in dtrace my-dtrace; do
	ln -s "$dwire" "$tmp/$name"
	for args in "-y" "-p 99999999 -n BEGIN" "-x bogus -n BEGIN" "-n BEGIN{exit(0)}" "nothing" "-n BEGIN -c true" "-qn BEGIN x" ""; do
		# shellcheck disable=SC2086
		"$tmp/$name" $args >"$tmp/out" 2>"$tmp/err"
		grep -n dwire "$tmp/err" && fail "$name $args calls itself dwire"
		grep -q dtrace: "$tmp/err" || [ -z "$args" ] || fail "$name $args: $(<"$tmp/err")"
	done
done
expect_match "$("$tmp/dtrace" -V)" '^dtrace [0-9]' "dtrace -V"

# A tool's source is run as the tool, where dtrace's users look for it too; with other options it is said how.
cat >"$tmp/mytop.d" <<'END'
/* mytop: one number.
 *
 * -n NUMBER   number = 5   which
 * row: NUMBER %6d
 */
dtrace:::BEGIN { header(); row(number); exit(0); }
END
gives 0 "NUMBER
     5" "" -s "$tmp/mytop.d"
gives 0 "NUMBER
     7" "" "$tmp/mytop.d" -n 7
gives 1 "" "dwire: $tmp/mytop.d is a tool: dwire $tmp/mytop.d [option ...]" -q -s "$tmp/mytop.d"
