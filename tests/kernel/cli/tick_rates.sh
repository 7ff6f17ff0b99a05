# SPDX-License-Identifier: GPL-2.0-or-later
# Timed probes at the highest rates: firings and reported misses add up to what was due.
. "$here/lib/cli.lib"

# A machine that stands still while the trace starts gives one of them less time than the other that ends the trace.
ticks() {
	local missed
	run -qn 'tick-5000 { n++; } tick-1s { printf("%d\n", n); exit(0); }'
	missed=$(awk '/ tick firings? missed \(too late\)$/ { n += $2 } END { print n + 0 }' <<<"$ERR")
	expect_eq "$STATUS" 0 "tick-5000"
	expect_ge $((OUT + missed)) 4900 "tick-5000: fired $OUT, missed $missed"
	expect_le "$OUT" 5100 "tick-5000: fired"
}

profiles() {
	local fired missed cpus
	run -qn 'profile-997 { @[cpu] = count(); } tick-1s { exit(0); }'
	expect_eq "$STATUS" 0 "profile-997"
	fired=$(awk '{ n += $2 } END { print n + 0 }' <<<"$OUT")
	missed=$(awk '/ profile firings? missed / { n += $2 } END { print n + 0 }' <<<"$ERR")
	cpus=$(nproc)
	expect_ge $((fired + missed)) $((cpus * 900)) "profile-997: fired $fired, missed $missed on $cpus CPUs"
}

# A tick of a long period comes on time.
second() {
	local start
	start=$(date +%s%N)
	run -qn 'tick-1s { exit(0); }'
	expect_eq "$STATUS $OUT$ERR" "0 " "tick-1s"
	expect_le $((($(date +%s%N) - start) / 1000000)) 1500 "milliseconds of tick-1s"
}

measure ticks
measure profiles
measure second

# walltimestamp is the machine's clock, and goes on as it does.
run -qn 'tick-300ms { printf("%d %d\n", timestamp, walltimestamp); n++; } tick-300ms /n == 4/ { exit(0); }'
now=$(date +%s%N)
expect_match "$(awk -v now="$now" 'NF { d = $2 - $1; if (!n++) first = d; if (d - first > 5e7 || first - d > 5e7) bad = 1; last = $2 }
	END { print n, bad + 0, (now > last && now - last < 5e9) }' <<<"$OUT")" '^4 0 1$' "walltimestamp: $OUT, $now"
