# SPDX-License-Identifier: GPL-2.0-or-later
# tcptop and udptop clear only the screen of a terminal that can: not a file, a pipe or a dumb terminal.
need script
clear=$'\033[H\033[J'
on() { # TERM TOOL ARG…: on a terminal
	TERM=$1 script -qec "$dwire ${*:2} 1 1" /dev/null </dev/null >"$tmp/$1$2${3-}" &
}
for tool in tcptop udptop; do
	on xterm $tool
	on xterm $tool -C
	on dumb $tool
	TERM=xterm "$dwire" $tool 1 1 >"$tmp/pipe$tool" &
done
wait
for tool in tcptop udptop; do
	for of in xterm$tool xterm$tool-C dumb$tool pipe$tool; do
		[[ $(<"$tmp/$of") == *"$clear"* ]] && clears=1 || clears=0
		expect_eq "$clears" "$([ "$of" = "xterm$tool" ] && echo 1 || echo 0)" "$of clears"
		expect_match "$(<"$tmp/$of")" "load: +[0-9]" "$of"
	done
done

# What an interval has that is not over comes at the end, below what stands there; nothing after the last report.
netns_new screen
short() { # TOOL TRIGGER
	local run=$tmp/$1.run args
	printf '#!/bin/sh\nexec ip netns exec %s %s -k 5000 >/dev/null\n' "$NETNS" "$2" >"$run"
	chmod +x "$run"
	for args in "9 2" "-d 30 10"; do
		TERM=xterm script -qec "$dwire $1 $args --netns $NETNS --everyone --command $run" /dev/null </dev/null >"$run.out"
		expect_eq "$(grep -c "load: " "$run.out") $(grep -c " dw_[a-z_]* *127" "$run.out")" "1 2" "$1 $args"
		[[ $(<"$run.out") != *"$clear"* ]] || fail "$1 $args clears at its end"
	done
	"$dwire" "$1" --json 9 --netns "$NETNS" --everyone --command "$run" 2>/dev/null >"$run.out"
	expect_eq "$(wc -l <"$run.out")" 2 "rows of $1 in JSON"
}
short tcptop tcp_echo >"$tmp/said.tcp" &
short udptop udp_echo >"$tmp/said.udp" &
"$dwire" tcptop 60 3 --everyone --command "sleep 60" >"$tmp/interrupted" 2>&1 &
interrupted=$!
for args in "1 2" "-d 2" "-d 2 1 9" "-d 9 1 2"; do
	# shellcheck disable=SC2086
	"$dwire" tcptop $args >"$tmp/ticks${args// /_}" &
done
until sleeper=$(pgrep -P $interrupted sleep); do sleep 0.1; done
sleep 0.3
kill -INT $interrupted
wait
kill "$sleeper" 2>/dev/null
for args in "1 2" "-d 2" "-d 2 1 9" "-d 9 1 2"; do
	expect_eq "$(grep -c "load: " "$tmp/ticks${args// /_}")" 2 "screens of tcptop $args"
done
expect_eq "$(grep -c "load: " "$tmp/interrupted")" 1 "screens of tcptop at Ctrl-C"
cat "$tmp"/said.*
[ -z "$(cat "$tmp"/said.*)" ] || failed=1
