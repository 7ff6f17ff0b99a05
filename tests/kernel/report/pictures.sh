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

# The same drawn, without Graphviz: bands from left to right, names of strangers as text.
"$dwire" -q --graph g.svg -n 'BEGIN { @sent_bytes["<script>\"&", "2001:db8::1"] = sum(1500); @sent_bytes["b", "2001:db8::1"] = sum(500); exit(0); }' \
	>out 2>err || fail "status $?: $(<err)"
expect_eq "$(python3 - <<'P'
import xml.dom.minidom as m
d = m.parse("g.svg")
assert not d.getElementsByTagName("script")
texts = [t.firstChild.data for t in d.getElementsByTagName("text") if t.firstChild]
titles = [t.firstChild.data for t in d.getElementsByTagName("title")]
print(texts.count('<script>"&'), texts.count("2001:db8::1"), '<script>"& → 2001:db8::1: 1.5 KB' in titles,
      [p.getAttribute("stroke-width") for p in d.getElementsByTagName("path")])
P
)" "1 1 True ['67.5', '22.5']" "the picture of the graph"

# A recording has the same pictures, over its own time however fast it is read, and so have streams that are merged.
times() { grep -o 'until [0-9]*' "$1" | sort -u | wc -l; }
for more in '' 'tick-700ms { printa(@s); trunc(@s); printa(@x_us); clear(@x_us); }'; do
	printf '%s\n' "$count" "$more" >count.d
	rm -rf rec
	"$dwire" record -o rec -s count.d 2>err || fail "status $?: $(<err)"
	"$dwire" replay rec --flame f.svg --heat=h.svg >out 2>err || fail "status $?: $(<err)"
	expect_eq "$(python3 sum.py f.svg) $(python3 sum.py h.svg)" "0 250 250 0" "pictures of a recording with '$more'"
	[ "$(times h.svg)" -ge 2 ] || fail "a heat map of 2.5 s with '$more': $(grep -o 'until [0-9.]*' h.svg | sort -u)"
	"$dwire" replay rec --emit >one 2>err || fail "status $?: $(<err)"
	"$dwire" --emit -s count.d >two 2>err || fail "status $?: $(<err)"
	"$dwire" merge --flame f.svg --heat=h.svg one two >out 2>err || fail "status $?: $(<err)"
	expect_eq "$(python3 sum.py f.svg) $(python3 sum.py h.svg)" "0 500 500 0" "pictures of two streams with '$more'"
	[ "$(times h.svg)" -ge 2 ] || fail "a heat map of two streams with '$more': $(grep -o 'until [0-9.]*' h.svg | sort -u)"
done
"$dwire" replay rec --heat >out 2>err || fail "status $?: $(<err)"
expect_eq "$(awk '/^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] / { n += $NF } END { print n }' out)" 250 "lines of a recording"
# Each session of a recording has its files.
"$dwire" record -o rec -s count.d 2>err || fail "status $?: $(<err)"
rm -f h.svg
"$dwire" replay rec --heat=h.svg >out 2>err || fail "status $?: $(<err)"
expect_eq "$(python3 sum.py h.svg) $(python3 sum.py h-2.svg)" "250 0 250 0" "two sessions"
"$dwire" merge --emit --heat=h.svg one >out 2>err
expect_eq $? 2 "status of pictures of a stream that is passed on"

# A tool has the pictures that its aggregations can be.
cat >pings.d <<'D'
/* pings - counts
 *
 * common: interval=1
 * row: NAME %s PEER %s US=us %@d
 */
int i;
tick-10ms { @us["<b>", "10.0.0.1"] = quantize(i); i++; }
tick-10ms /i == 250/ { exit(0); }
tick-1s { rows(@us); trunc(@us); }
END { rows(@us); trunc(@us); }
D
"$dwire" pings.d --heat t.svg >out 2>err || fail "status $?: $(<err)"
expect_eq "$(python3 sum.py t.svg)" "250 0" "a tool's heat map"
"$dwire" pings.d -h >out
grep -q -e '--graph FILE' out && grep -q -e '--heat FILE' out || fail "-h: $(<out)"
! grep -q -e '--flame' out || fail "a flame graph without stacks: $(<out)"
"$dwire" pings.d --emit --heat t.svg >out 2>err
expect_eq $? 2 "status of a tool's pictures with --emit: $(<err)"

# A file that cannot be written is an error before the trace.
"$dwire" --flame nowhere/f.svg -n 'BEGIN { printf("traced\n"); exit(0); }' >out 2>err
expect_eq $? 1 "status without the directory"
! grep -q traced out || fail "it traced"
grep -q 'cannot write nowhere/f.svg: No such file' err || fail "the message: $(<err)"
"$dwire" --flame 2>err
expect_eq $? 2 "status without a file"
grep -q 'option --flame needs a value' err || fail "the message: $(<err)"
