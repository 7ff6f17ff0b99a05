# SPDX-License-Identifier: GPL-2.0-or-later
# A disk that is full: what cannot be written is counted and said, and recording goes on when there is room again.
mkdir disk
mount -t tmpfs -o size=256k dwire-test disk || skip "cannot mount a tmpfs"
at_exit 'umount -l disk'
"$dwire" record -o disk/rec -n 'tick-10ms { printf("row %d\n", i++); }' 2>err & recorder=$!
wait_for() { # PATTERN
	for ((k = 0; k < 200; k++)); do
		! grep -q "$1" err || return 0
		sleep 0.05
	done
	fail "no message '$1': $(<err)"
}
until [ -s disk/rec/000000000001.dwr ]; do sleep 0.05; done
head -c 1m /dev/zero >disk/filler 2>/dev/null
wait_for "cannot write the recording: No space left on device"
rm disk/filler
wait_for "the recording goes on; [0-9]* frames were lost"
sleep 1.1
kill -INT "$recorder"
wait "$recorder" && fail "a loss has no status"
expect_match "$(<err)" "[0-9]+ frames could not be written" "the sum at the end"
"$dwire" replay disk/rec >replayed 2>err && fail "the loss has no status in the replay"
expect_match "$(<err)" "[1-9][0-9]* frames could not be written when this was recorded" "the replay says the loss"
grep -q 'row 0$' replayed || fail "the beginning is missing"
lost=$(grep -o '[0-9]* frames could not' err | cut -d ' ' -f 1)
last=$(grep -o 'row [0-9]*$' replayed | tail -n 1 | cut -d ' ' -f 2)
expect_ge "$last" $(($(grep -c 'row ' replayed))) "rows after the gap"
expect_le "$((last + 1 - $(grep -c 'row ' replayed)))" "$lost" "no row is missing that was not counted"
