# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 90
# The live screen ends, and the terminal is as it was: Ctrl-C, SIGTERM, a trace that is killed or cannot start. It is no
# screen where there is no terminal that can show one. Colours are those that the terminal has and NO_COLOR allows.
. "$here/lib/screen.lib"
netns_new live
screen_traffic "$NETNS"
while [ ! -e over ] && kill -USR1 "$talker" 2>/dev/null; do sleep 0.2; done & # rows in each interval
signals=$!
terminal 80 24
run="$dwire tcptop --netns $NETNS"

# The process of the screen, and of the trace below it.
live_pid() { pgrep -P "$shell" -x dwire-live; }
started() {
	type_line "$1"
	shows "^ ${2-tcptop} " "the screen of $1"
	live=$(live_pid)
	trace=$(pgrep -P "$live")
	[ -n "$trace" ] || fail "no process traces below the screen"
}
gone() { # WHAT
	local i
	for ((i = 0; i < 100; i++)); do
		kill -0 "$trace" 2>/dev/null || return
		sleep 0.1
	done
	fail "$1: the trace is still there"
}

started "$run"
colours='[[]3[0-7]m|[[]38;5'
expect_match "$(tmux_ capture-pane -pe)" "$colours" "colours"
keys C-c
restored 0 "Ctrl-C"
gone "Ctrl-C"
started "NO_COLOR=1 $run"
[[ $(tmux_ capture-pane -pe) =~ $colours ]] && fail "colours in spite of NO_COLOR"
keys / x C-c
restored 0 "Ctrl-C in a prompt"
started "TERM=vt100 $run"
[[ $(tmux_ capture-pane -pe) =~ $colours ]] && fail "colours on a vt100"
kill -TERM "$live"
restored 0 "SIGTERM"
gone "SIGTERM"

# A trace that is killed leaves what it has shown.
started "$run"
shows " server +127" "rows before the trace is killed"
kill -KILL "$trace"
shows "ENDED" "the trace was killed"
expect_match "$(line 24)" "ended by signal 9" "what happened"
expect_match "$(screen)" " server +127" "the rows stay"
keys q
shows "ended by signal 9" "the message stays"
restored 1 "a trace that was killed"

# A screen whose terminal stops and goes on.
started "$run"
keys C-z
shows "Stopped" "Ctrl-Z"
type_line "fg"
shows "^ tcptop " "after fg"
keys q
restored 0 "q after fg"

# Nothing to show: messages, no screen.
type_line "$dwire tcptop --prt 80"
shows "no option --prt" "a wrong option"
restored 2 "a wrong option"
type_line "setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --reuid 65534 --clear-groups $dwire tcptop"
shows "tracing needs" "without privileges"
restored 1 "without privileges"

# No screen: a dumb terminal, none at all, -b, a count, a pipe.
for how in "TERM=dumb $run" "TERM= $run" "$run -b" "$run 1 9" "$run | cat"; do
	type_line "$how"
	shows "^\.\.\. [0-9]+ more" "$how" # the end of a report
	[ -z "$(live_pid)" ] || fail "$how: a screen"
	keys C-c
	restored "[0-9]+" "$how"
	clear_screen
done

# A stream from elsewhere; keys come from the terminal. When it ends the rows stay.
live_of=${dwire%/*}/dwire-live
type_line "{ $dwire tcptop --json --emit --netns $NETNS 2 2; } | $live_of --title mine"
shows "^ mine " "a stream of the standard input"
shows " server +127" "its rows"
shows "ENDED" "its end"
keys q
restored 0 "a stream that ended"
"$live_of" </dev/null >out 2>err
expect_eq "$?" 1 "status without a terminal"
expect_match "$(<err)" "terminal" "why"

# Any program in D: what its printa() and printf() show, a table and a log.
cat >both.d <<'D'
#pragma D option quiet
int i;
tick-200ms { @n[i % 3, "k"] = sum(i); @d = quantize(i); i++; }
tick-200ms { printf("%d %s\n", i, "text"); }
tick-1s { printa(@n); printa(@d); }
D
started "$live_of $dwire --emit -s both.d" "dwire|/.*"
shows "^ +I VALUE2" "what printf() showed"
shows "^ *[0-9]+ text" "its rows"
keys Tab
shows "^VALUE1 VALUE2 +N" "the next table"
keys Tab m
shows "^ +from +d, each column one report" "the heat map of a distribution"
keys q
restored 0 "a program in D"
touch over
wait "$signals" # and for the sleep in it
