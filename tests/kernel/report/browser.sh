# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# A browser renders the page without running anything of a stranger, light and dark, wide and narrow; nothing reaches beyond
# the page's width, and a click sorts a table.
need python3 chromium
report=$here/report
"$dwire" report 60 -o page.html 2>err &
pid=$!
for ((i = 0; i < 200 && $(ls /proc/$pid/fd 2>/dev/null | wc -l) < 60; i++)); do sleep 0.1; done
sleep 2
trigger python3 "$report/talk.py" 2
kill -INT "$pid"
wait "$pid" || fail "status $?: $(<err)"

browse() { # OPTION... URL
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$(mktemp -d "$tmp/profile.XXXX")" "$@" \
		2>"$tmp/browser"
}

# A copy that measures itself; its policy allows the script, as it allows that of the page.
sed 's|</body>|<script>\
const wide = [...document.querySelectorAll("main > *, section > *, header > *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5);\
const table = [...document.querySelectorAll("#traffic table")].at(-1), column = () => [...table.tBodies[0].rows].map((r) => +r.cells[3].textContent);\
table.tHead.rows[0].cells[3].click(); const down = column(); table.tHead.rows[0].cells[3].click(); const up = column();\
const sorted = (a, f) => a.every((x, i) => !i \|\| f(a[i - 1], x));\
document.title = JSON.stringify({ dark: getComputedStyle(document.body).backgroundColor, overflow: wide.map((e) => e.outerHTML.slice(0, 80)),\
	scroll: document.documentElement.scrollWidth, width: innerWidth, rows: down.length, down: sorted(down, (a, b) => a >= b),\
	up: sorted(up, (a, b) => a <= b), scripts: document.scripts.length, svg: document.querySelectorAll("figure > svg").length,\
	names: [...document.querySelectorAll("td")].filter((e) => e.textContent === "</td><script>a").length });\
</script></body>|' page.html >measured.html
for width in 1280 400; do
	for scheme in 0 1; do # dark, light
		options=(--blink-settings=preferredColorScheme=$scheme --window-size=$width,2000)
		browse "${options[@]}" --screenshot="$tmp/$width-$scheme.png" "file://$PWD/page.html" >"$tmp/shot" ||
			fail "no screenshot: $(tail -3 "$tmp/browser")"
		browse "${options[@]}" --dump-dom "file://$PWD/measured.html" >"$tmp/dom" || fail "no page: $(tail -3 "$tmp/browser")"
		python3 - "$tmp/dom" "$tmp/$width-$scheme.png" $width $scheme <<'P' || fail "$width pixels, scheme $scheme"
import html, json, re, struct, sys

dom, shot, width, scheme = open(sys.argv[1], encoding="utf-8").read(), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
got = json.loads(html.unescape(re.search(r"<title>(\{.*?\})</title>", dom, re.S)[1]))
assert got["overflow"] == [] and got["scroll"] <= got["width"], got
assert got["rows"] > 2 and got["down"] and got["up"], got
assert got["scripts"] == 2 and got["names"] > 2 and got["svg"] > 10, got
assert got["dark"] == ("rgb(13, 17, 23)", "rgb(255, 255, 255)")[scheme], got
size = struct.unpack(">II", open(shot, "rb").read()[16:24])
assert size == (width, 2000), size
P
	done
done
