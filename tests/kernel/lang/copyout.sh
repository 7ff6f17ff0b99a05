# SPDX-License-Identifier: GPL-2.0-or-later
# copyout() and copyoutstr() need -w; on a locked-down kernel they are refused with a message about D.
. "$here/lib/cli.lib"

for call in 'copyout(alloca(1), 0, 1)' 'copyoutstr("a", 0, 1)'; do
	run -qn "BEGIN { $call; exit(0); }"
	expect_eq "$STATUS $OUT" "1 " "$call without -w"
	expect_match "$ERR" 'Destructive actions not allowed$' "$call without -w"
	run -qwn "BEGIN { $call; exit(0); }"
	# Address 0 is nobody's: where the kernel allows writing, that is a fault.
	expect_match "$STATUS $ERR" '(^1 .*are not possible: this kernel is locked down)|(^0 .*invalid address \(0x0\) in action #1)' "$call"
done
