# SPDX-License-Identifier: GPL-2.0-or-later
# Steps of live streams: each is shown once, with the sums of all; who is killed or stopped holds up nobody for long.
cat >tick.d <<'D'
#pragma D option quiet
dtrace:::BEGIN { printf("started\n"); }
profile:::tick-500ms { @n["beat"] = count(); @all = count(); printa("%s %@d\n", @n); trunc(@n); i++; }
profile:::tick-500ms /i == 6/ { exit(0); }
D
merged() { # STREAM…: the merge of live streams in OUT, its messages in ERR
	"$dwire" merge "$@" >out 2>err || true
	OUT=$(<out)
	ERR=$(<err)
}
merged <("$dwire" --emit -s tick.d 2>/dev/null) <("$dwire" --emit -s tick.d 2>/dev/null)
expect_eq "$OUT" "started
beat 2
beat 2
beat 2
beat 2
beat 2
beat 2

               12" "two machines"
expect_eq "$ERR" "" "messages"

# Killed in the middle: it is missed from the next step on, and what it had counted for good stays.
merged <("$dwire" --emit -s tick.d 2>/dev/null) <(timeout -s KILL 1.7 "$dwire" --emit -s tick.d 2>/dev/null)
expect_eq "$(grep -c '^beat' <<<"$OUT")" 6 "steps after a kill"
expect_eq "$(tail -n 4 <<<"$OUT" | grep '^beat')" "beat 1
beat 1" "the last ones have one machine"
expect_match "$ERR" "its stream ended early; its last values stay" "a report of the kill"

# Stopped for three seconds: the others go on after two missed beats, and it catches up.
mkfifo fifo
"$dwire" --emit -s tick.d >fifo 2>/dev/null &
slow=$!
(
	sleep 1.2
	kill -STOP $slow
	sleep 3.2
	kill -CONT $slow
) &
merged fifo <("$dwire" --emit -s tick.d 2>/dev/null)
expect_match "$ERR" "silent; its last values stay" "a report of the silence"
expect_eq "$(tail -n 1 <<<"$OUT" | tr -d ' ')" 12 "in the end all has been counted"

# system() and freopen() would disturb the stream.
err=$("$dwire" --emit -w -q -n 'BEGIN { system("echo no"); freopen("x"); printf("yes\n"); exit(0); }' 2>&1 >stream)
expect_eq "$err" "dwire: warning: system(), freopen() and ftruncate() do nothing in a stream" "control actions"
expect_eq "$("$dwire" merge stream)" "yes" "and what remains"

# Tools: rows and columns as the tool prints them.
"$dwire" tcplife --emit -d 6 >life 2>/dev/null &
life=$!
for _ in {1..50}; do grep -q '"f":"rows*"' life && break || sleep 0.1; done
"$triggers/tcp_echo" -4 -n 1 >/dev/null
wait $life
expect_eq "$("$dwire" merge life | grep -c ' dw_\(client\|server\) ')" 2 "rows of tcplife"
expect_match "$("$dwire" merge life | head -n 1)" '^PID +COMM ' "its header"
