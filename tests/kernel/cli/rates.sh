# SPDX-License-Identifier: GPL-2.0-or-later
# Options for rates and sizes: aggrate, statusrate, maxframes, scratchsize, verbose.
. "$here/lib/cli.lib"

run -q -x aggrate=10s -n 'tick-60ms { @ = count(); printa("%@d\n", @); } tick-330ms { exit(0); } END { printa("%@d\n", @); }'
expect_le "$(head -n 4 <<<"$OUT" | sort -u | wc -l)" 1 "aggrate: numbers while tracing"
expect_ge "$(tail -n 1 <<<"$OUT")" 4 "aggrate: the number at the end"
run -q -n 'tick-60ms { @ = count(); printa("%@d\n", @); } tick-330ms { exit(0); }'
expect_ge "$(sort -u <<<"$OUT" | wc -l)" 3 "without aggrate"

d='BEGIN { this->s = speculation(); } tick-20ms { this->s = speculation(); } tick-500ms { exit(0); }'
run -q -n "$d"
expect_le "$(grep -c 'failed speculation' <<<"$ERR")" 2 "statusrate: 1s unless told"
run -q -x statusrate=50ms -n "$d"
expect_ge "$(grep -c 'failed speculation' <<<"$ERR")" 4 "statusrate=50ms"

run -q -x maxframes=2 -n 'BEGIN { stack(); stack(1); @[stack(50)] = count(); exit(0); }'
expect_eq "$(grep -c '`' <<<"$OUT")" 5 "maxframes"
d='BEGIN { this->p = (char *)alloca(100); printf("%d\n", this->p != NULL); exit(0); } ERROR { exit(arg4); }'
gives 0 1 "" -q -n "$d"
run -q -x scratchsize=64 -n "$d"
expect_match "$STATUS $OUT $ERR" '^5  dwire: error on .* out of scratch space in action #1' "scratchsize"
run -q -n $'#pragma D option verbose\nBEGIN { exit(3); }'
expect_match "$STATUS $ERR" $'^3 ; dtrace:::BEGIN.*\n0: ' "verbose"
