# SPDX-License-Identifier: GPL-2.0-or-later
# lockstat: waits for locks that are held for a known time; how often known locks are acquired and released.
[ -d /dev/shm ] || skip "no file system in memory"
"$dwire" -ln sdt:::contention_begin >/dev/null 2>&1 || skip "no tracepoints of locks (Linux 5.19)"
rounds=3
trace_with '
lockstat:::adaptive-block, lockstat:::rw-block /pid == $target/ {
	@n[probename, arg2, arg3, arg4] = count(); @min[probename] = min(arg1); @max[probename] = max(arg1);
}
lockstat:::adaptive-spin /pid == $target && arg1 < 100000000/ { @s[arg0 == (uint64_t)args[0], arg1 > 0] = count(); }
END {
	printa("%s %d %d %d %@d\n", @n); printa("min %s %@d\n", @min); printa("max %s %@d\n", @max);
	printa("spun %d %d %@d\n", @s);
}' locks -n $rounds -d /dev/shm
expect_eq "$(grep '^adaptive' <<<"$OUT")" "adaptive-block 0 0 0 $rounds" "waits for a mutex"
expect_eq "$(grep '^rw' <<<"$OUT")" "rw-block 0 1 1 $rounds" "waits of a writer for a reader"
expect_eq "$(grep '^spun' <<<"$OUT")" "spun 1 1 $rounds" "a mutex is spun for first"
slack=$((20000000 * ${DWIRE_TEST_SLOWER:-1}))
for lock in adaptive:mutex rw:rw; do
	min=$(awk -v p="${lock%:*}-block" '$1 == "min" && $2 == p { print $3 }' <<<"$OUT")
	max=$(awk -v p="${lock%:*}-block" '$1 == "max" && $2 == p { print $3 }' <<<"$OUT")
	expect_ge "$min" $(($(value_of held_ms) * 1000000 - slack)) "the shortest ${lock%:*}-block"
	expect_le "$max" "$(value_of "${lock#*:}_ns_max")" "no ${lock%:*}-block longer than the trigger's own"
done

# CPUs that spin
trace_with 'lockstat:::spin-spin { @[arg1 > 0 && arg1 < 1000000000] = count(); } END { printa("spin %d %@d\n", @); }' locks -n 1
expect_match "$OUT" '^(|.*spin 1 [1-9][0-9]*.*)$' "spin locks"

# taking and giving: functions
if ! "$dwire" -x tier=functions -e -n 'lockstat:::adaptive-acquire { @ = count(); }' >/dev/null 2>&1; then
	"$dwire" -n 'lockstat:::adaptive-acquire { @ = count(); }' >"$tmp/out" 2>&1
	expect_match "$? $(<"$tmp/out")" '^1 .*D_KERNEL.*lockstat:::adaptive-acquire cannot be traced: it needs fentry' "without fentry"
	return 0 2>/dev/null || exit $failed
fi
trace_with '
lockstat:::adaptive-acquire, lockstat:::adaptive-release /pid == $target/ { @n[probename, arg0] = count(); }
END { printa("%s %x %@d\n", @n); }' locks -n 0 -s 1000
most=$(awk '$1 == "adaptive-acquire" { print $3, $2 }' <<<"$OUT" | sort -rn | head -n 1)
# once more at each end's close; an older pipe may have been at this address
expect_ge "${most% *}" 2002 "a pipe's mutex is taken for each read and write"
expect_le "${most% *}" 2010 "a pipe's mutex is taken for each read and write"
expect_eq "$(awk -v l="${most#* }" '$1 == "adaptive-release" && $2 == l { print $3 }' <<<"$OUT")" "${most% *}" "and given up"
trace_with '
lockstat:::rw-acquire, lockstat:::rw-release /pid == $target/ { @n[arg0, probename, arg1] = count(); }
END { printa("%x %s %d %@d\n", @n); }
lockstat:::rw-block /pid == $target && arg3 == 1 && arg1 > 100000000/ { printf("held %x\n", arg0); }' locks -n $rounds -d /dev/shm
held=$(awk '$1 == "held" { print $2; exit }' <<<"$OUT")
expect_eq "$(grep "^$held rw-" <<<"$OUT" | cut -d ' ' -f 2- | sort | tr '\n' ' ')" \
	"rw-acquire 0 $((2 * rounds + 1)) rw-acquire 1 $rounds rw-release 0 $((2 * rounds + 1)) rw-release 1 $rounds " \
	"a folder's lock: to read it, to make and to remove a file, to remove it"
