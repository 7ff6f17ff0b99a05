# SPDX-License-Identifier: GPL-2.0-or-later
# -x sample, samplerate, samplescale: firings that ran and those left out are together what the trigger made; what
# changes variables is never left out; the script knows the rate; text, JSON and streams say that firings are missing.
# -x maxcpu with -x sample raises the rate.
. "$here/lib/cli.lib"
need cc

cat >"$tmp/m.c" <<'C'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define F(n) __attribute__((noinline, noclone, used)) void n(void) { __asm__ volatile(""); }
F(often)
/* N calls; or with a second argument 40000 calls a second for N seconds, then none for so many. */
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	struct timespec t;
	if (argc == 2) {
		for (long i = 0; i < n; i++)
			often();
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (long i = 0; i < n * 200; i++) {
		for (int k = 0; k < 200; k++)
			often();
		t.tv_nsec += 5000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	sleep((unsigned)atoi(argv[2]));
	return 0;
}
C
cc -O1 -o "$tmp/m" "$tmp/m.c" || skip "cannot build programs"
often='pid$target:a.out:often:entry'
left_out() { # the sum of what was reported as left out, all with the rate RATE
	awk -v rate="(1 in $1 ran)" '/firings? left out/ && index($0, rate) { n += $2 } END { print n + 0 }' <<<"$ERR"
}

# Of 80000 calls one in eight: 10000, with a deviation of 94. Five deviations are one failure in two million.
run -q -x samplerate=8 -n "$often { @ = count(); @rate[samplerate] = count(); }
END { printa(\"%@d\n\", @); printa(\"%d %@d\n\", @rate); printf(\"%d\n\", samplerate); }" -c "$tmp/m 80000"
ran=$(sed -n 1p <<<"$OUT")
expect_ge "$ran" 9530 "too few: $ERR"
expect_ge 10470 "$ran" "too many"
expect_eq "$(sed -n '2,$p' <<<"$OUT")" "8 $ran
8" "the script knows the rate"
expect_eq "$((ran + $(left_out 8)))" 80000 "ran and left out: $ERR"

# Scaled: each counts for eight. The deviation of the sums is 8 times 94 times the value.
run -q -x samplerate=8 -x samplescale -n "$often { @ = count(); @s = sum(3); @q = quantize(4); @w = quantize(4, 2);
	@a = avg(7); @m = max(9); @keys[execname] = count(); }
END { printa(\"%@d %@d %@d %@d\n\", @, @s, @a, @m); printa(\"%s %@d\n\", @keys); printa(@q); printa(@w); }" \
	-c "$tmp/m 80000"
read -r count sum avg max <<<"$(sed -n 1p <<<"$OUT")"
expect_eq "$((count % 8)) $sum $avg $max $(sed -n 2p <<<"$OUT")" "0 $((3 * count)) 7 9 m $count" \
	"one rate for all functions"
expect_eq "$(awk '$1 == 4 { print $NF }' <<<"$OUT" | paste -sd' ')" "$count $((2 * count))" "distributions: $OUT"
expect_ge "$count" 76240 "too few"
expect_ge 83760 "$count" "too many"
expect_eq "$((count / 8 + $(left_out 8)))" 80000 "ran and left out: $ERR"

# Variables are exact. Entry and return of a call are seen together, so no time is that of two calls.
run -q -x samplerate=16 -n "$often { self->n++; calls++; @in = count(); }
pid\$target:a.out:often:return /self->n != 1/ { wrong++; }
pid\$target:a.out:often:return /self->n/ { self->n = 0; returns++; @out = count(); }
END { printf(\"%d %d %d\n\", calls, returns, wrong); printa(\"%@d %@d\n\", @in, @out); }" -c "$tmp/m 16000"
expect_eq "$(sed -n 1p <<<"$OUT")" "16000 16000 0" "variables: $ERR"
read -r in out <<<"$(sed -n 2p <<<"$OUT")"
expect_eq "$((in + out + $(left_out 16)))" 32000 "aggregations beside them: $ERR"
run -q -x samplerate=16 -n "$often { n++; printf(\"x\"); } END { printf(\" %d\n\", n); }" -c "$tmp/m 100"
expect_eq "$OUT" "$(printf 'x%.0s' {1..100}) 100" "records of a clause that keeps a variable are all there"
expect_eq "$(grep -c 'left out' <<<"$ERR")" 0 "nothing was left out: $ERR"

# Each form of output says it.
run -x samplerate=4 -x rows=json -n "$often { @ = count(); } END { printf(\"%d\", 1); }" -c "$tmp/m 1000"
expect_match "$OUT" '\{"left_out":[0-9]+,"samplerate":4,"message":"[0-9]+ probe firings left out \(1 in 4 ran\)"\}' "rows"
run --emit -x samplerate=4 -n "$often { @ = count(); }" -c "$tmp/m 1000"
expect_match "$OUT" '"f":"drops","cause":"SAMPLED","count":[0-9]+,"text":"[0-9]+ probe firings left out \(1 in 4 ran\)"' "stream"
run -q -n "$often { @ = sum(samplerate); }" -c "$tmp/m 1000"
expect_eq "$((OUT)) $ERR" "1000 " "without sampling the rate is 1"
run -q -x sample -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*-x sample needs a limit, as in -x maxcpu=2%' "no limit"
for v in 0 -1 2000000 x ''; do
	run -x "samplerate=$v" -n 'BEGIN { exit(0); }'
	expect_match "$STATUS $ERR" '^1 .*it takes a number from 1 to 1048576' "samplerate=$v"
done

# The governor. A firing with a stack takes some 2 us, one that is left out 0.1: 4 % of the machine or 0.2 %.
run_limit=20
run -q -x maxcpu=1% -x sample -n "$often { @ = sum(samplerate); @ran = count(); @r = max(samplerate); @s[ustack()] = count(); }
END { printa(\"%@d %@d %@d\n\", @, @ran, @r); }" -c "$tmp/m 3 0"
expect_eq "$STATUS" 0 "sampled, not ended: $ERR"
expect_match "$ERR" 'warning: from here on 1 in [0-9]+ firings of the trace runs: it took [0-9.]+% .* more than maxcpu \(1%\)' "why"
read -r sum ran most <<<"$(head -n 1 <<<"$OUT")"
expect_ge "$most" 2 "rate: $ERR"
expect_eq "$((ran + $(awk '/firings? left out/ { n += $2 } END { print n + 0 }' <<<"$ERR")))" 120000 "ran and left out: $ERR"
expect_ge "$sum" 90000 "sum(samplerate) estimates all firings: $ERR"
expect_ge 150000 "$sum" "likewise: $ERR"
run -q -x maxcpu=0.02% -x sample -n "$often { n++; } END { printf(\"%d\n\", n); }" -c "$tmp/m 4 0"
expect_eq "$STATUS" 3 "nothing can be left out: $ERR"
expect_match "$ERR" 'the trace ends: .*all its clauses keep variables or act, so none can be left out' "why"

# Tools have both as options.
run tcptop --maxcpu 90% --sample -d 0.5
expect_eq "$STATUS $(grep -c warning <<<"$ERR")" "0 0" "a tool below its limit: $ERR"
run tcplife --maxcpu 0.001% -d 5
expect_eq "$STATUS" 3 "a tool above its limit: $ERR"
