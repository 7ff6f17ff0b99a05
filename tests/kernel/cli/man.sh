# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# `dwire man`: every page is inside; its plain form says what mandoc says; without any formatter it still shows.
. "$here/lib/cli.lib"
expect_eq "$("$dwire" man | sort)" "$(ls "$build/docs" | grep -E '\.[1-8]$' | sort)" "pages inside, and those that were built"
for page in $("$dwire" man); do
	[ "$(head -c 4 "$build/docs/$page")" != ".so " ] && ! grep -q '^\.so ' "$build/docs/$page" || continue
	"$dwire" man --roff "$page" | cmp - "$build/docs/$page" || fail "$page differs from the built one"
done
# Words in their order; how lines are broken and what hangs where is the formatter's. Its head and foot are left out.
words() {
	sed 's/ *$//' | tr -s ' \t\n' '\n\n\n' | tr -d '\\' | grep -vxF -e '' -e '*' -e '•'
}
if command -v mandoc >/dev/null; then
	for page in dwire.8 dwire-export.8 libdwire.3 tcplife.8 netcheck.8 tcptop.8; do
		mandoc -T ascii -O width=900 <(sed 's/^\.IP \\(bu.*/.IP * 2/' "$build/docs/$page") | col -bx 2>/dev/null | sed '1d;$d' | words >want
		"$dwire" man --plain "$page" | words >got
		diff want got >differs || fail "$page: plain differs from mandoc's: $(head -n 12 differs)"
	done
fi
gives 2 "" "dwire: no page nosuch
    hint: dwire man lists the pages" man nosuch
gives 2 "" "dwire: man takes --roff or --plain, and the name of a page" man --html tcplife
# In a root with nothing but the program: no man(1), no mandoc(1), no pager.
if ! ldd "$dwire" >/dev/null 2>&1; then
	mkdir empty && cp "$dwire" empty/dwire
	expect_eq "$(chroot empty /dwire man tcplife)" "$("$dwire" man --plain tcplife)" "a page where nothing formats it"
fi
"$dwire" man --plain tcplife | sed "/^EXAMPLE/,/^COST/d" | awk "length > 78" >long
expect_eq "$(<long)" "" "lines of more than 78 columns"
expect_eq "$("$dwire" man --plain qdisc-fq)" "$("$dwire" man --plain qdisclat)" "a page that stands for another"
