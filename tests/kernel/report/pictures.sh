# SPDX-License-Identifier: GPL-2.0-or-later
# Pictures count what the trace counted, however often the script shows and clears its aggregations; texts of strangers are
# no markup, and a terminal gets colours only if it has them.
need python3 script
cat >sum.py <<'P'
# sum.py FILE: of an SVG, what the titles of its cells and of its lowest frame say
import re, sys
import xml.dom.minidom

cells = frames = 0
doc = xml.dom.minidom.parse(sys.argv[1])
assert not doc.getElementsByTagName("script"), "a script"
for title in doc.getElementsByTagName("title"):
    text = title.firstChild.data if title.firstChild else ""
    if m := re.search(r", until [\d.]+ s: ([\d,]+)$", text):
        cells += int(m[1].replace(",", ""))
    if m := re.match(r"all: ([\d,]+) \(100.0 %\)$", text):
        frames = int(m[1].replace(",", ""))
print(cells, frames)
P
count='#pragma D option quiet
int i;
tick-10ms { @s["<script>\"&", stack()] = count(); @x_us = quantize(i); i++; }
tick-10ms /i == 250/ { exit(0); }'
for more in '' 'tick-700ms { printa(@s); printa(@x_us); }' 'tick-700ms { printa(@s); trunc(@s); printa(@x_us); clear(@x_us); }'; do
	printf '%s\n' "$count" "$more" >count.d
	"$dwire" --flame f.svg --heat=h.svg -s count.d >out 2>err || fail "status $?: $(<err)"
	expect_eq "$(python3 sum.py f.svg)" "0 250" "frames with '$more'"
	expect_eq "$(python3 sum.py h.svg)" "250 0" "cells with '$more'"
done
python3 -c 'import xml.dom.minidom as m
assert any(t.firstChild.data == "<script>\"&" for t in m.parse("f.svg").getElementsByTagName("text") if t.firstChild)' ||
	fail "the frame of a key"

printf '%s\n' "$count" >count.d
# Lines of a heat map: their counts add up, in characters when piped.
"$dwire" --heat -s count.d >out 2>err || fail "status $?: $(<err)"
expect_eq "$(awk '/^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] / { n += $NF } END { print n }' out)" 250 "the counts of the lines"
! grep -q $'\x1b' out || fail "escapes in a pipe"
grep -q '[.@]' out || fail "no characters: $(<out)"
for way in TERM=xterm-256color:yes TERM=dumb:no NO_COLOR=1:no; do
	env TERM=xterm-256color ${way%:*} script -qec "'$dwire' --heat -s count.d" /dev/null </dev/null >out
	if grep -q $'\x1b\[48;5;' out; then got=yes; else got=no; fi
	expect_eq "$got" "${way#*:}" "colours with ${way%:*}"
done

# A graph: from the first key to the last, and what is between as a label.
"$dwire" -q --graph g.dot -n 'BEGIN { @sent_bytes["a\"b", 7, "c\\"] = sum(1500); @one["x"] = count(); exit(0); }' >out 2>err ||
	fail "status $?: $(<err)"
grep -qF '"a\"b" -> "c\\" [label="7 1.5 KB", penwidth=8.0];' g.dot || fail "the edge: $(<g.dot)"
expect_eq "$(grep -c -e '->' g.dot)" 1 "edges"

# A file that cannot be written is an error before the trace.
"$dwire" --flame nowhere/f.svg -n 'BEGIN { printf("traced\n"); exit(0); }' >out 2>err
expect_eq $? 1 "status without the directory"
! grep -q traced out || fail "it traced"
grep -q 'cannot write nowhere/f.svg: No such file' err || fail "the message: $(<err)"
"$dwire" --flame 2>err
expect_eq $? 2 "status without a file"
grep -q 'option --flame needs a value' err || fail "the message: $(<err)"
