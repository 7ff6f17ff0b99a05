# SPDX-License-Identifier: GPL-2.0-or-later
# Two CPUs add to the same keys. Every event is counted once: while keys are new, when they get per-CPU values, when
# clear() takes what was printed, and what trunc() takes comes back with its next event. The calls' own number is the
# truth.
. "$here/lib/cli.lib"
n=9000
cp "$triggers/calls" "$tmp/dwboth"
cat >both.sh <<'S'
cpus=$(nproc)
for cpu in 0 $((cpus > 1)); do
	for i in 1 2 3; do taskset -c "$cpu" "$2" -n $(($1 / 3)) >/dev/null; done &
done
wait
S
cat >both.d <<'D'
#pragma D option quiet
uint64_t at;
syscall::getppid:entry / execname == "dwboth" /
{
	@c["x"] = count(); @s["x"] = sum(3); @a["x"] = avg(7); @d["x"] = stddev(5); @q["x"] = quantize(9);
	@l["x"] = lquantize(2, 0, 4); @wide["x"] = lquantize(50000, 0, 60000, 1); @k[timestamp % 1000] = count();
	@cleared["x"] = count(); @many[timestamp % 500, "y"] = sum(1);
}
tick-50ms { printa("C %@d\n", @cleared); clear(@cleared); printa("M %d %s %@d\n", @many); clear(@many); }
END
{
	printa("count %@d\n", @c); printa("sum %@d\n", @s); printa("avg %@d\n", @a); printa("stddev %@d\n", @d);
	printa("q %@d\n", @q); printa("l %@d\n", @l); printa("w %@d\n", @wide); printa("K %*d %@d\n", 1, @k);
	printa("C %@d\n", @cleared); printa("M %d %s %@d\n", @many);
	clear(@many); clear(@cleared);
}
D
sed -i 's/K %\*d %@d\\n", 1, @k/K %d %@d\\n", @k/' both.d
run_limit=60
run -s both.d -c "bash both.sh $n $tmp/dwboth"
expect_eq "$STATUS $ERR" "0 " "status, nothing dropped"
expect_eq "$(grep -E '^(count|sum|avg|stddev) ' <<<"$OUT")" "count $((2 * n))
sum $((6 * n))
avg 7
stddev 0" "numbers"
expect_eq "$(grep -E '^ +(8|2|50000) ' <<<"$OUT" | awk '{ print $1, $NF }')" "8 $((2 * n))
2 $((2 * n))
50000 $((2 * n))" "distributions"
total() { awk -v k="$1" '$1 == k { n += $NF } END { print n + 0 }' <<<"$OUT"; }
expect_eq "$(total K) $(total C) $(total M)" "$((2 * n)) $((2 * n)) $((2 * n))" "many keys; cleared; many, cleared"

# trunc() while nothing happens, of keys that have per-CPU values and of others: all go, and come back from 0.
printf '"$2" -n "$1"\nsleep 1\n"$2" -n "$1"\n' >twice.sh
cat >cut.d <<'D'
#pragma D option quiet
syscall::getppid:entry / execname == "dwboth" / { @c["x"] = count(); @q["x"] = quantize(4); @k[timestamp % 700] = sum(2); calls++; }
syscall::exit_group:entry / execname == "dwboth" / { printa("c %@d\n", @c); printa("k %d %@d\n", @k); printa("q %@d\n", @q); trunc(@c); trunc(@k); trunc(@q); }
END { printa("left %@d\n", @c); printa("left %d %@d\n", @k); printa("left %@d\n", @q); trunc(@c); trunc(@q); trunc(@k); }
D
n=10000
run -s cut.d -c "bash twice.sh $n $tmp/dwboth"
expect_eq "$STATUS $ERR" "0 " "status"
expect_eq "$(grep '^c' <<<"$OUT") $(total k) $(grep -c left <<<"$OUT")" "c $n
c $n $((4 * n)) 0" "trunc"
expect_eq "$(grep -E '^ +4 ' <<<"$OUT" | awk '{ print $NF }' | paste -sd' ')" "$n $n" "trunc of distributions"

# A full map drops what it has no room for, and counts that; a key that it has goes on.
run -q -x aggsize=1k -n 'syscall::getppid:entry / execname == "dwboth" / { @["x", calls++] = count(); }' -c "$tmp/dwboth -n 2000"
expect_match "$ERR" "aggregation drops" "a full map"
expect_eq "$((2000 - $(awk '{ n += $NF } END { print n }' <<<"$OUT")))" \
	"$(sed -n 's/.*dwire: \([0-9]*\) aggregation drops.*/\1/p' <<<"$ERR" | paste -sd+ | bc)" "events and drops"
