# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# --until-eof=SECONDS and the beats of dwire on: a machine that hears nothing for so long ends its trace, whatever it has
# to write; a caller that is stopped (^Z) keeps its traces; scripts that come slowly arrive whole.
. "$here/lib/fleet.lib"

beats() { # SECONDS: as dwire on sends them
	local i
	for ((i = 0; i < $1; i++)); do
		printf '\0'
		sleep 1
	done
}
timed() { # COMMAND…: its status, and the whole seconds that it took
	local begin=${EPOCHREALTIME/./}
	"$@" >out 2>err
	STATUS=$? TOOK=$(((${EPOCHREALTIME/./} - begin) / 1000000))
}
silence() { # as when a wire is cut: neither a byte nor an end
	beats 3 >&7
	exec sleep 20
}

# Beats end: so does the trace. Beats go on until the input ends: not before.
mkfifo input
silence 7>input &
timed "$dwire" --until-eof=2 -qn 'BEGIN { printf("go\n"); } END { printf("end\n"); }' <input
kill $! 2>/dev/null
expect_eq "$STATUS $(grep . out)" "0 go
end" "a trace whose beats have ended: $(<err)"
expect_le 4 $TOOK "seconds of three beats and two of silence"
expect_le $TOOK 8 "... and not the end of the input"
beats 5 >input &
timed "$dwire" --until-eof=2 -qn 'BEGIN { printf("go\n"); }' <input
expect_eq "$STATUS $(grep . out)" "0 go" "a trace with beats"
expect_le 4 $TOOK "seconds of five beats"

# Without a limit no beat is needed.
sleep 4 >input &
timed "$dwire" --until-eof -qn 'BEGIN { printf("go\n"); }' <input
expect_le 3 $TOOK "seconds of an input without beats"
for limit in 0 x 1x -1 '' 86401; do
	"$dwire" --until-eof=$limit -n BEGIN </dev/null 2>err
	expect_eq "$? $(<err)" "2 dwire: --until-eof takes seconds, from 1 to 86400: --until-eof=15" "limit '$limit'"
done

# A trace that nobody reads, as behind a cut wire, ends as well.
mkfifo output
sleep 30 <output &
reader=$!
silence 7>input &
silence=$!
"$dwire" --until-eof=2 -x bufsize=16m -n 'tick-1ms { printf("%d %d %1000s\n", timestamp, 1, ""); }' <input >output 2>err &
pid=$!
for ((i = 0; i < 150; i++)); do kill -0 $pid 2>/dev/null && sleep 0.1; done
kill -0 $pid 2>/dev/null && fail "a trace that nobody reads is still there"
kill $reader $silence 2>/dev/null

# Two scripts, in pieces, with beats before, between and after them.
{
	printf '\0'
	sleep 1
	printf 'BEGIN { printf("on'
	sleep 1
	printf 'e\\n"); }\0\0'
	sleep 1
	printf '\0BEGIN { printf("two\\n"); exit(0); }\0'
	beats 9
} >input 2>/dev/null &
timed "$dwire" --until-eof=3 -q -s - -s - <input
expect_eq "$STATUS $(grep . out)" "0 one
two" "two scripts: $(<err)"

# What a trace starts cannot take beats away.
beats 6 >input &
timed "$dwire" --until-eof=2 -qc 'sh -c "timeout 4 cat; exit 0"' -n 'END { printf("end\n"); }' <input
expect_eq "$STATUS $(grep . out)" "0 end" "a command that reads: $(<err)"
expect_le 4 $TOOK "seconds of a command that reads"

# dwire on: a caller that is stopped keeps its traces, and goes on. A clush that is stopped sends no beat.
fleet_new 2
write_tick
on+=(--cut 3)
: >out
"${on[@]}" "$FLEET" -s tick.d >out 2>err &
pid=$!
wait_for out '^beat 2$'
kill -STOP $pid
sleep 6
expect_eq "$(all_there | wc -l)" 2 "traces of a stopped caller"
kill -CONT $pid
: >out
wait_for out '^beat 2$'
clush=$(pgrep -P $pid clush)
kill -STOP "$clush"
for ((i = 0; i < 80; i++)); do [ -z "$(all_there)" ] || sleep 0.1; done
expect_eq "$(all_there)" "" "traces that are cut off"
kill -CONT "$clush"
wait $pid
expect_eq $? 0 "status of traces that were cut off, whose ends came later: $(<err)"
expect_eq "$(pgrep -P $$ dwire)" "" "processes that are left"
