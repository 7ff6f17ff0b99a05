# SPDX-License-Identifier: GPL-2.0-or-later
# Faults: the first of a kind has its line, the rest are counted; ERROR fires for each. In all forms of output.
. "$here/lib/cli.lib"

cat >f.d <<'D'
syscall::getppid:entry /pid == $target/ { n++; trace(*(int *)(n * 16)); }
syscall::getpgid:entry /pid == $target/ { n++; trace(*(int *)(n * 16)); }
syscall::getpgid:return /pid == $target/ { zero = 0; trace(1 / zero); }
ERROR { e++; @[arg1, arg2, arg4] = count(); }
END { printf("ERROR %d\n", e); }
D
# The trigger calls getppid 200 times and getpgid 100 times and returns from it.
want="dwire: error on enabled probe ID 1 (syscall:vmlinux:getppid:entry): invalid address in action #2
dwire: error on enabled probe ID 2 (syscall:vmlinux:getpgid:entry): invalid address in action #2
dwire: error on enabled probe ID 3 (syscall:vmlinux:getpgid:return): divide-by-zero in action #2
199 invalid address in 1
99 divide-by-zero in 3
99 invalid address in 2"

# What was counted may come in several lines, one for each second.
faults() {
	sed -nE 's/\(ID [0-9]+: /(/; s/ \(0x[0-9a-f]+\)//; s/ at BPF pc [0-9]+$//; /^dwire: error on/p' <<<"$ERR"
	sed -nE 's/^dwire: ([0-9]+) more errors? on enabled probe ID ([0-9]+) \(.*\): (.*) in action #2$/\1 \2 \3/p' <<<"$ERR" |
		awk '{ n = $1; id = $2; sub(/^[0-9]+ [0-9]+ /, ""); sum[$0 " in " id] += n } END { for (k in sum) print sum[k], k }'
}

for form in '' '-x rows=json' '-x oformat=json' '-x bufpolicy=fill'; do
	# shellcheck disable=SC2086 # several words
	run -q $form -c "calls -n 200" -s f.d
	expect_eq "$STATUS" 0 "$form"
	expect_eq "$(faults | sort)" "$(sort <<<"$want")" "$form: faults"
	expect_match "$OUT" 'ERROR 400' "$form: each fires ERROR"
done

# With a switch of the sort of fault in front, and while the trace runs.
run -q -x errtags -n 'BEGIN { zero = 0; } tick-10ms { trace(1 / zero); } tick-2500ms { exit(0); }'
expect_eq "$(grep -c '^dwire: \[DTRACEFLT_DIVZERO\] error on enabled probe' <<<"$ERR")" 1 "errtags: the first"
expect_ge "$(grep -cE '^dwire: \[DTRACEFLT_DIVZERO\] [0-9]+ more errors on enabled probe ID [0-9]+ .*: divide-by-zero in action #1$' <<<"$ERR")" \
	2 "a line each second"
expect_le "$(wc -l <<<"$ERR")" 5 "not a line for each"
