# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# -h explains each column that a tool has above its rows, also with --wide; --by counts, in tools that count with an option.
# timeout: 120
for path in "$here"/../../tools/*.d; do
	tool=${path##*/}
	tool=${tool%.d}
	"$dwire" "$tool" -h >"$tmp/help" || fail "$tool -h"
	# The lines of names are texts without a conversion, of words in capitals, perhaps with a unit.
	for wide in "" --wide; do
		"$dwire" "$tool" $wide --program 2>"$tmp/err"
	done | sed -n 's/.*printf("\([^%"]*\)\\n");.*/\1/p' | awk '
		NF { for (i = 1; i <= NF; i++) if ($i !~ /^[A-Z][A-Z0-9_:\/()%>-]*(ms|\([a-z]+\))?$|^->$|^>=?$/) next
			for (i = 1; i <= NF; i++) print $i }' | sort -u >"$tmp/names"
	missing=$(awk 'NR == FNR { if (/^columns:/) on = 1; if (on && /^  [^ ]/ && NF > 1) told[$1] = 1; next }
		!($1 in told) { print $1 }' "$tmp/help" "$tmp/names")
	expect_eq "$missing" "" "$tool: columns that -h does not explain"
	cat "$tmp/names" >>"$tmp/all"
	# ... nor leaves without a text.
	expect_eq "$(awk '/^columns:/ { on = 1 } on && /^  [^ ]/ && NF < 2' "$tmp/help")" "" "$tool: columns without a text"
done
expect_ge "$(sort -u "$tmp/all" | wc -l)" 60 "names of columns that were compared"

for tool in tcpretrans tcpreset ss; do
	expect_eq "$("$dwire" $tool --by raddr --program 2>&1)" "$("$dwire" $tool -c --by raddr --program 2>&1)" "$tool --by"
done

# A name that is asked for twice is one column, and so is an address with its port.
expect_eq "$("$dwire" pktpath --program -o stage,saddr,sport,uid,saddr,uid 2>&1)" "$("$dwire" pktpath --program -o stage,saddr,uid 2>&1)" "-o twice"
expect_eq "$("$dwire" tcptop --program --by uid,comm,uid 2>&1)" "$("$dwire" tcptop --program --by uid,comm 2>&1)" "--by twice"
