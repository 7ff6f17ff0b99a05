# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The tables of tiers in docs/providers/*.md against -lv on this kernel.
pages=$(grep -l '^| probes | hooks | functions | kprobes |$' "$here"/../../docs/providers/*.md)
expect_ge "$(wc -l <<<"$pages")" 13 "pages with a table"

# Their lines: provider, pattern of names, what is said of hooks, functions, kprobes
for page in $pages; do
	awk -v page="$(basename "$page" .md)" '
		/^$/ { rows = 0 }
		rows && !/^\| -/ { gsub(/[|,`]/, " "); n = split(page == "udp" ? "udp udplite" : page, providers)
			for (p = 1; p <= n; p++) for (i = 1; i <= NF - 3 && $i != "others"; i++) {
				name = $i == "all" ? "*" : $i
				gsub(/\*/, ".*", name)
				print providers[p], "^" name "$", $(NF - 2), $(NF - 1), $NF } }
		/^\| probes \| hooks / { rows = 1 }' "$page"
done >"$tmp/stated"

# What a module makes is there once the module is.
modprobe -q sctp
[ -e /sys/module/sctp ] || without=sctp:::state-change
[ -e /sys/module/mac80211 ] || without="${without-} wifi:::"

for tier in hooks functions kprobes; do
	if ! "$dwire" -x tier=$tier -en ip:::receive 2>"$tmp/err"; then
		sed -n 's/.*cannot be traced/ip:::receive cannot be traced/p' "$tmp/err"
		continue
	fi
	"$dwire" -x tier=$tier -lvvn "$(cut -d' ' -f1 "$tmp/stated" | uniq | sed 's/$/:::/' | paste -sd,)" >"$tmp/list" || fail "-lv, $tier"
	awk -v tier=$tier -v release="$(uname -r)" -v without="${without-}" '
		function means(said, want, have) { # on this kernel; "some": who knows
			split(said, want, ".")
			split(release, have, ".")
			return said !~ /^[0-9]/ ? said : want[1] < have[1] || (want[1] == have[1] && want[2] + 0 <= have[2] + 0) ? "yes" : "no" }
		FNR == NR { provider[++rows] = $1; pattern[rows] = $2; said[rows] = $(tier == "hooks" ? 3 : tier == "functions" ? 4 : 5); next }
		/^ *[0-9]+ +[a-z]/ { probe = $2 ":::" $NF; order[++n] = probe; seen[probe] = "no" }
		/^\tSite: / && !/\((not on this kernel|not used)\)$/ { seen[probe] = "yes" }
		END { for (i = 1; i <= n; i++) {
				split(order[i], part, ":::")
				for (r = 1; r <= rows && !(provider[r] == part[1] && part[2] ~ pattern[r]); r++) { }
				if (r > rows) { print order[i] " stands in no row"; continue }
				used[pattern[r]] = 1
				if (index(without, order[i]) || index(without, part[1] ":::")) continue
				if (said[r] != "some" && means(said[r]) != seen[order[i]])
					print order[i] ", " tier ": the page says " said[r] ", -lv " seen[order[i]] }
			for (r = 1; r <= rows; r++) if (!used[pattern[r]]) print provider[r] ": no probe is " pattern[r]
			if (n < 150) print n " probes" }' "$tmp/stated" "$tmp/list" >"$tmp/differ"
	expect_eq "$(<"$tmp/differ")" "" "the pages and -lv"
done
