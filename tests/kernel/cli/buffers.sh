# SPDX-License-Identifier: GPL-2.0-or-later
# bufpolicy: fill ends the trace when a buffer is full, ring keeps the latest; both print at the end. aggsize and dynvarsize are limits.
# setopt() where CPU numbers are printed.
. "$here/lib/cli.lib"

cat >n.d <<'EOF'
BEGIN { i = 0; printf("begin\n"); }
tick-1ms /i < 200/ { printf("%d\n", i++); }
tick-1ms /i == 200/ { exit(5); }
END { printf("end\n"); }
EOF
for policy in switch fill ring; do
	run -q -x bufpolicy=$policy -s n.d
	expect_eq "$STATUS $OUT" "5 begin
$(seq 0 199)
end" "bufpolicy=$policy with room for all"
done

# A record is of 24 bytes or some more. Each CPU that a tick fires on has its own buffer.
run -q -b 480 -x bufpolicy=ring -s n.d
expect_eq "$STATUS" 5 "status: ring"
expect_eq "${OUT##*$'\n'}" end "ring: END is printed"
expect_eq "$(grep -c '^[0-9]*$' <<<"$OUT")" "$(sed '/[a-z]/d' <<<"$OUT" | sort -n -u | wc -l)" "ring: each once"
expect_eq "$(sed '/[a-z]/d' <<<"$OUT" | sort -n | tail -n 1)" 199 "ring: the latest is there"
expect_le "$(grep -c '^[0-9]*$' <<<"$OUT")" $((20 * $(nproc))) "ring: no more than its size"
expect_ge "$(grep -c '^[0-9]*$' <<<"$OUT")" 8 "ring: as much as there is room for"

run -q -b 480 -x bufpolicy=fill -s n.d
expect_eq "$STATUS" 0 "fill: ends by itself, before the exit action"
expect_eq "${OUT##*$'\n'}" end "fill: END is printed"
expect_le "$(grep -c '^[0-9]*$' <<<"$OUT")" $((20 * $(nproc))) "fill: no more than its size"
expect_eq "$(sed -n '2p' <<<"$OUT")" 0 "fill: the first is there"
# Errors are kept, too, and fire ERROR when they are printed.
run -q -x bufpolicy=ring -n 'BEGIN { zero = 0; printf("one\n"); }' -n 'BEGIN { trace(1 / zero); }' -n 'BEGIN { exit(0); }' \
	-n 'ERROR { printf("ERROR %d\n", arg4); }' -n 'END { printf("two\n"); }'
expect_eq "$STATUS $OUT" "0 one
ERROR 4
two" "an error in a buffer that is kept"
expect_match "$ERR" '^dwire: error on enabled probe ID 2 .ID 1: dtrace:::BEGIN.: divide-by-zero in action #1 at BPF pc [0-9]+$' \
	"an error in a buffer that is kept"

printf 'BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); exit(0); } END { printa("%%d ", @); }' >a.d
run -q -x aggsize=32 -s a.d
expect_match "$ERR" '^dwire: [1-9][0-9]* aggregation drops? on CPU [0-9]+$' "aggsize"
run -q -x droptags -x aggsize=32 -s a.d
expect_match "$ERR" '^dwire: \[DTRACEDROP_AGGREGATION\] [1-9][0-9]* aggregation drops? on CPU [0-9]+$' "droptags"
printf 'BEGIN { x[1] = 1; x[2] = 2; x[3] = 3; x[4] = 4; exit(0); }' >v.d
run -q -x dynvarsize=32 -s v.d
expect_match "$ERR" '^dwire: [1-9][0-9]* dynamic variable drops?$' "dynvarsize"
gives 0 "" "" -q -x dynvarsize=1m -s v.d

# More than the kernel gives: less is taken, and said.
run -b 4t -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" $'^0 .*matched 1 probe\ndwire: buffer size lowered to [0-9]+[kmg]$' "a buffer that is too large"
run -x bufresize=manual -b 4t -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" 'dwire: cannot make buffers of 4398046511104 bytes for each CPU: not enough memory$' "bufresize=manual"
gives 0 "1 2 3 " "" -q -x bufresize=manual -x switchrate=1s -x statusrate=5hz -x cleanrate=99hz -x aggrate=1hz -s a.d

# What the kernel has: more for records of packets, which come in bursts, and less for sums.
# BPF ring buffers (map type 27), or elements of an array that can be mapped (type 2, flag 0x400), which have their head and room for one
# more record; a ring buffer of a page is the bell.
rings() { # D: the sizes of the buffers
	"$dwire" -qn "$1 tick-9s { exit(0); }" >/dev/null 2>err &
	local traced=$! sizes=
	for _ in {1..100}; do
		sizes=$(awk '$1 == "map_type:" { type = $2 } $1 == "value_size:" { value = $2 }
			$1 == "max_entries:" && type == 27 && $2 > 4096 { print $2 }
			$1 == "map_flags:" && type == 2 && $2 == "0x400" && value > 65536 {
				for (n = 4096; n * 2 < value;) n *= 2
				print value - n < 65536 ? n : value
			}' /proc/$traced/fdinfo/* 2>/dev/null | sort -u)
		[ -z "$sizes" ] || break
		sleep 0.1
	done
	kill -INT $traced
	wait $traced
	echo "$sizes"
}
packets=$((16 << 20))
while [ $((packets * $(nproc))) -gt $((256 << 20)) ] && [ $packets -gt $((4 << 20)) ]; do packets=$((packets / 2)); done
expect_eq "$(rings 'tcp:::send { trace(1); }')" $packets "the buffer of a line a packet"
expect_eq "$(rings 'sched:::on-cpu { trace(1); }')" $((4 << 20)) "the buffer of a line an event"
expect_eq "$(rings 'tcp:::send { @ = count(); }')" $((256 << 10)) "the buffer of a sum"

cat >s.d <<'EOF'
BEGIN { printf("a"); setopt("quiet"); }
BEGIN { printf("b"); setopt("quiet", "disable"); }
BEGIN { printf("c"); setopt("flowindent"); }
BEGIN { printf("d"); exit(0); }
EOF
run -s s.d
expect_eq "$(sed 's/^  [0-9]*  *1  */CPU 1 /; s/^  [0-9]* |/CPU |/' <<<"$OUT")" "CPU     ID                    FUNCTION:NAME
CPU 1 :BEGIN ab
CPU 1 :BEGIN c
CPU | :BEGIN                                  d" "setopt() of quiet and flowindent"
run -q -x bufsize=16 -x bufpolicy=ring -n 'BEGIN { trace("a"); } BEGIN { trace("b"); exit(0); }'
expect_match "$STATUS $ERR" '^0 dwire: 2 drops on CPU [0-9]+' "records larger than a ring"
