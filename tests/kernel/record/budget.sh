# SPDX-License-Identifier: GPL-2.0-or-later
# The budget holds at every moment, the oldest segments go first, and what remains can be read: its states are those of the
# whole trace.
cat >many.d <<'D'
#pragma D option quiet
BEGIN { i = 0; }
profile:::tick-1ms
{
	printf("row %d %d %d %d %d %d %d %d\n", i++, walltimestamp, rand(), rand(), rand(), rand(), rand(), rand());
	printf("%d %d %d %d %d %d %d %d\n", rand(), rand(), rand(), rand(), rand(), rand(), rand(), rand());
	printf("%d %d %d %d %d %d %d %d\n", rand(), rand(), rand(), rand(), rand(), rand(), rand(), rand());
	printf("%d %d %d %d %d %d %d %d\n", rand(), rand(), rand(), rand(), rand(), rand(), rand(), rand());
	@n = count();
}
END { printf("fired %d\n", i); }
D
"$dwire" record -o small --budget 1m -s many.d 2>err &
recorder=$!
most=0
for ((k = 0; k < 400; k++)); do
	[ ! -e small/000000000002.dwr ] || [ -e small/000000000001.dwr ] || break
	size=$(cat small/* 2>/dev/null | wc -c)
	[ "$size" -le "$most" ] || most=$size
	sleep 0.1
done
kill -INT "$recorder"
wait "$recorder" || fail "the recorder: $(<err)"
expect_ge "$most" 524288 "bytes of the recording at most"
expect_le "$most" 1048576 "bytes of the recording"
[ ! -e small/000000000001.dwr ] || fail "the oldest segment is still there"
"$dwire" replay small >replayed 2>err || fail "the replay of what remains: $(<err)"
expect_match "$(<err)" "the session began earlier: its first [0-9]+ frames were removed, for the budget" "what is gone is reported"
messages() { # what is said of the recording itself; ticks may have been missed
	grep -v 'tick firings missed' err
}
expect_eq "$(messages | wc -l)" 1 "other messages: $(<err)"
fired=$(sed -n 's/^fired //p' replayed)
expect_eq "$(tail -n 1 replayed | tr -d ' ')" "$fired" "the count is that of the whole trace"
expect_ge "$fired" 1000 "events"

# --from cuts within a segment: exactly the rows from then on, and no word on what was removed before.
numbered() { # FILE: number and time of each row
	awk '$1 == "row" { print $2, $3 }' "$1"
}
numbered replayed >all
second=$(awk 'NR == 1 { first = $2 } { last = $2 } END { printf "%d", (first + last) / 2 / 1e9 }' all)
"$dwire" replay small --from "$(date -u -d "@$second" +%Y-%m-%dT%H:%M:%SZ)" >part 2>err || fail "a part: $(<err)"
expect_eq "$(messages)" "" "messages of a part"
# A row's time and what it prints are two readings of a clock, some microseconds apart.
numbered part | awk -v s="$second" '$2 < s * 1e9 - 5e6' >early
expect_eq "$(<early)" "" "rows before the time"
expect_ge "$(numbered part | wc -l)" "$(awk -v s="$second" '$2 > s * 1e9 + 5e6' all | wc -l)" "rows behind it"
tail -n "$(numbered part | wc -l)" all | cmp - <(numbered part) || fail "they are not the last rows"

# One segment alone, from the middle.
mkdir -m 700 one
segments=(small/*)
cp "${segments[${#segments[@]} / 2]}" one
"$dwire" replay one >part 2>err
expect_match "$(<err)" "the session began earlier: its first [0-9]+ frames were removed" "a segment alone"
expect_match "$(<err)" "its stream ended early" "it has no end"
expect_ge "$(numbered part | wc -l)" 50 "its rows"
grep -Fxf <(numbered part) all | cmp - <(numbered part) || fail "rows of a segment alone"
numbered part | awk 'NR > 1 && $1 != last + 1 { print } { last = $1 }' >gaps
expect_eq "$(<gaps)" "" "gaps"

# A reader that goes away is no error, and asks for no messages.
for reading in "" "--json" "-w -"; do
	# shellcheck disable=SC2086
	"$dwire" replay small $reading 2>err | head -n 1 >/dev/null
	expect_eq "${PIPESTATUS[0]} $(messages | grep -v 'session began earlier')" "0 " "replay $reading | head"
done
