# SPDX-License-Identifier: GPL-2.0-or-later
# The budget holds at every moment, the oldest segments go first, and what remains can be read: its states are those of the
# whole trace.
cat >many.d <<'D'
#pragma D option quiet
BEGIN { i = 0; }
profile:::tick-1ms
{
	printf("%d %d %d %d %d %d %d %d\n", i++, rand(), rand(), rand(), rand(), rand(), rand(), rand());
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
! grep -E "segment|frames|lines" err || fail "what remains is not whole"
fired=$(sed -n 's/^fired //p' replayed)
expect_eq "$(tail -n 1 replayed | tr -d ' ')" "$fired" "the count is that of the whole trace"
expect_ge "$fired" 1000 "events"
