# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Every tool at once under some seconds of load: memory, maps and their contents do not grow. tests/soak does it for
# minutes.
need python3
nice python3 "$here/../soak/soak" "$(dirname "$dwire")" -s 9 -b 100 >"$tmp/said" 2>"$tmp/err" || {
	grep ^FAIL "$tmp/said"
	fail "$(tail -n 1 "$tmp/said") $(tail -n 1 "$tmp/err")"
}
expect_ge "$(grep -c '^ok ' "$tmp/said")" 50 "tools that were looked at"
