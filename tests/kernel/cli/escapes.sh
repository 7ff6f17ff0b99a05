# SPDX-License-Identifier: GPL-2.0-or-later
# Control characters of the command line, of names of files and of scripts do not reach the terminal in a message.
. "$here/lib/cli.lib"

e=$'\e[31m' n=0
escaped() { # WHAT-IS-SHOWN ARG...
	local want=$1
	shift
	n=$((n + 1))
	run "$@"
	[ "$STATUS" -gt 0 ] || fail "status $STATUS of: $(printf ' %q' "$@")"
	[[ $ERR == *"$want"* ]] || fail "no '$want' in the messages of$(printf ' %q' "$@"): $(cat -v <<<"$ERR")"
	tr -d '\n' <"$tmp/err" | LC_ALL=C grep -q '[[:cntrl:]]' &&
		fail "control characters in the messages of$(printf ' %q' "$@"): $(cat -v <<<"$ERR")"
}

# The command.
escaped 'cannot read /none/s\x1b[31m.d: No such' -s "/none/s$e.d"
escaped 'no option --a\x1b[31mb' "--a${e}b"
escaped 'no option -\x1b' $'-\e'
escaped 'no option -6\x1b[31m' "-6$e"
escaped 'not a\x1b[31m' -p "a$e"
escaped '    hint: -p $(pgrep -o a\x1b[31m)' -p "a$e"
escaped '-x q\x1b[31mu' -x "q${e}u"
escaped '-b \x1b[31m' -b "$e"
escaped 'no tool a\x1b[31mb; the tools:' "a${e}b"
escaped "dwire -n 'tcp:::\\x1b[31m'" "tcp:::$e"
escaped 'cannot write to /none/\x1b[31m: ' -n BEGIN -o "/none/$e"
escaped 'failed to execute \x1b[31m: No' -n BEGIN -c "$e"
escaped 'tcp:::\x1b[31m' -l -n "tcp:::$e"
# A line feed cannot forge a message.
escaped 'no tool a\x0adwire fine; the tools' $'a\ndwire fine'
expect_eq "$(grep -c '^dwire:' err)" 1 "messages about a name with a line feed"

# The tools.
escaped 'interval must be a number, not a\x1b[31mb' tcptop "a${e}b"
escaped 'unexpected argument a\x1b[31mb' tcplife "a${e}b"
escaped 'no option --a\x1b[31mb' tcptop "--a${e}b"
escaped 'no option -\x1b' tcptop $'-\e'
escaped 'no process a\x1b[31m' tcptop -p "a$e"
escaped 'no user a\x1b[31m' tcptop --user "a$e"
escaped 'no network namespace a\x1b[31m: /run/netns/a\x1b[31m' tcptop --netns "a$e"
escaped 'no cgroup a\x1b[31m: ' tcptop --cgroup "a$e"
escaped 'no container a\x1b[31m"' tcptop --container "a$e\""
escaped 'no address of a\x1b[31m is known' tcptop --host "a$e"

# A tool in a file: its name, its head and its rows.
printf '/* x: a tool.\n * row: A %%d\n */\nBEGIN { row(1, 2); }\n' >"x$e.d"
escaped 'x\x1b[31m: no option --none' "x$e.d" --none
escaped 'x\x1b[31m: row(): 2 values for 1 conversions' "x$e.d"
printf '/* x: a tool.\n * row: A %%d\n * script: \e[31m\n */\n' >y.d
escaped 'y: its interface is wrong:  * script: \x1b[31m' y.d
printf '/* x: a tool.\n * common: \e[31m\n * row: A %%d\n */\n' >z.d
escaped 'z: no group of options \x1b[31m' z.d

expect_eq "$n" 28 "messages"
