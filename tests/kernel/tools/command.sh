# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# --command shows its processes only, or with --everyone all, and gives its status; fractions of seconds; -m and
# --failed; each tool compiles with the filter for the command's processes.
netns_new command
in=(ip netns exec "$NETNS")
status() { # COMMAND OPTION...: the exit status of a tool that runs it
	local command=$1
	shift
	"$dwire" soconnect --command "$command" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	echo $?
}
printf '#!/bin/sh\nexit 7\n' >"$tmp/seven"
printf '#!/bin/sh\nkill -TERM $$\n' >"$tmp/killed"
chmod +x "$tmp/seven" "$tmp/killed"
expect_eq "$(status true)" 0 "a command that succeeds"
expect_eq "$(status "$tmp/seven")" 7 "the command's status"
expect_eq "$(status "$tmp/killed")" 143 "a signal ends the command"
expect_eq "$(status 'sleep 60' -d 0.3)" 0 "the trace ends before the command"
expect_eq "$(status "$tmp/no-such")" 1 "no such command"
expect_eq "$(status true -d 0.0001)" 2 "a fraction that is too fine"
expect_eq "$(status true -d 0.0)" 2 "no time"

# Others connect while the command does; the command's connects are those of a child of its child.
printf '#!/bin/sh\n: >%s\nwhile [ ! -e %s ]; do %s; done\n' "$tmp/others" "$tmp/end" "tcp_refused -4 -n 1" >"$tmp/noise"
printf '#!/bin/sh\n(while [ ! -e %s ]; do sleep 0.1; done; exec tcp_refused -4 -n 3); sleep 1; tcp_refused -4 -n 2; true\n' \
	"$tmp/others" >"$tmp/mine"
chmod +x "$tmp/noise" "$tmp/mine"
"${in[@]}" "$tmp/noise" >/dev/null 2>&1 &
noise=$!
rows() { grep -c '"result"' "$tmp/$1"; }
"$dwire" soconnect --json --netns "$NETNS" --command "${in[*]} $tmp/mine" >"$tmp/only" 2>"$tmp/err" || fail "--command: $(<"$tmp/err")"
"$dwire" soconnect --json --netns "$NETNS" --everyone --command "${in[*]} $tmp/mine" >"$tmp/all" 2>"$tmp/err" || fail "$(<"$tmp/err")"
"$dwire" soconnect --json --netns "$NETNS" -d 0.5 -m 10000 >"$tmp/slow" 2>"$tmp/err" || fail "-m: $(<"$tmp/err")"
: >"$tmp/end"
wait $noise
expect_eq "$(rows only)" 5 "--command"
expect_ge "$(rows all)" 6 "rows with --everyone"
expect_eq "$(rows slow)" 0 "-m"

# Reports of a quarter of a second, in one second and a bit.
"$dwire" tcptop 0.25 4 --json --netns "$NETNS" --command "sleep 30" >"$tmp/out" 2>"$tmp/err" || fail "tcptop 0.25: $(<"$tmp/err")"
for at in "udptop tick-250ms tick-2s" "tcptop walkrate=250ms walkrate=2000ms"; do
	read -r tool quarter two <<<"$at"
	"$dwire" "$tool" --program 0.25 4 >"$tmp/program"
	expect_match "$(<"$tmp/program")" "$quarter" "$tool: an interval of a fraction"
	"$dwire" "$tool" --program 2.000 -d 4 >"$tmp/program"
	expect_match "$(<"$tmp/program")" "$two" "$tool: an interval of whole seconds"
	expect_match "$(<"$tmp/program")" 'tool_reports >= 2' "$tool: the reports of its time"
done

# The same letters everywhere: each tool that has a time or failures.
for tool in soconnect soconnlat so1stbyte gethostlatency dnssnoop neighsnoop superping tcplife solife reqlat; do
	"$dwire" "$tool" -h >"$tmp/help"
	grep -q '^  -m MS ' "$tmp/help" || fail "$tool has no -m"
	"$dwire" "$tool" -m 5 --command true >"$tmp/out" 2>"$tmp/err" </dev/null || fail "$tool -m: $(<"$tmp/err")"
done
for tool in soconnect soconnlat gethostlatency dnssnoop neighsnoop superping; do
	"$dwire" "$tool" --failed --command true >"$tmp/out" 2>"$tmp/err" </dev/null || fail "$tool --failed: $(<"$tmp/err")"
done
"${in[@]}" "$dwire" tcplife --json --netns "$NETNS" --command 'tcp_echo -4 -n 2' >"$tmp/all" 2>/dev/null
"${in[@]}" "$dwire" tcplife --json --netns "$NETNS" -m 20000 --command 'tcp_echo -4 -n 2' >"$tmp/slow" 2>/dev/null
expect_ge "$(grep -c comm "$tmp/all")" 2 "connections"
expect_eq "$(grep -c comm "$tmp/slow")" 0 "connections of 20 s"
