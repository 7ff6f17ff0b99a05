# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of docs/D.md do what the page says: a fenced block "d", then a fenced block "text" (what the script
# prints under -q) or "err" (the tags of its errors; it must not run).
# timeout: 120

page=$here/../../docs/D.md
awk -v dir="$tmp" '
	/^```/ {
		kind = $0 == "```" ? "" : substr($0, 4)
		if (kind == "d")
			n++
		file = sprintf("%s/%03d.%s", dir, n, kind)
		if (kind == "d")
			printf "%d\n", NR > (dir "/" sprintf("%03d", n) ".line")
		if (kind == "text" || kind == "err")
			printf "" > file
		next
	}
	kind == "d" || kind == "text" || kind == "err" { print > file }
' "$page"

examples=0
for script in "$tmp"/*.d; do
	base=${script%.d}
	line="docs/D.md:$(<"$base.line")"
	examples=$((examples + 1))
	status=0
	timeout 10 "$dwire" -q -s "$script" >"$base.out" 2>"$base.said" </dev/null || status=$?
	if [ -e "$base.err" ]; then
		expect_eq "$status" 1 "$line: exit status"
		expect_eq "$(grep -o '\[D_[A-Z_]*\]' "$base.said" | tr -d '[]')" "$(<"$base.err")" "$line: tags"
	elif [ -e "$base.text" ]; then
		expect_eq "$(but_late_ticks "$base.said")" "" "$line: messages"
		sed -i '${/^$/d}' "$base.out" # the empty line at the end of all output
		diff -u --label "$line" --label output "$base.text" "$base.out" || fail "$line"
	else
		fail "$line: no block says what it prints"
	fi
done
expect_ge "$examples" 24 "examples found"
