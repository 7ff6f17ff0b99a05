# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Every command that a page shows behind a prompt is valid: programs compile, or are refused because this kernel
# lacks something; tools accept the options. Other tests check the output: language.sh, oneliners.sh, and those of
# the providers and tools.
# timeout: 120

root=$here/../..
# FILE:LINE, a tab, the command: from "# dwire" up to the line that closes its quotes.
commands() {
	awk '
		FNR == 1 { text = "" }
		text == "" && sub(/^( {4})?# dwire /, "") { where = FILENAME ":" FNR; text = $0; more = 1 }
		text != "" {
			if (!more)
				text = text " " $0
			more = 0
			if (gsub(/\047/, "\047", text) % 2 == 0 && !sub(/ \\$/, "", text)) {
				print where "\t" text
				text = ""
			}
		}' "$@"
}

cd "$root" || exit 1
mkdir "$tmp/man"
man=$(dirname "$dwire")/docs
for page in "$man"/*.8; do
	sed 's/\\-/-/g; s/\\e/\\/g; s/^    dwire /# dwire /' "$page" >"$tmp/man/${page##*/}"
done
commands README.md docs/*.md docs/problems/*.md docs/providers/*.md "$tmp"/man/*.8 | sed "s|$tmp/||" >"$tmp/all"
expect_ge "$(wc -l <"$tmp/all")" 115 "commands on the pages"

# What they trace is not here: a page's own program, a process, a namespace, a module, HOWTO_ADD_PROVIDER's provider.
there() {
	case $1 in
	./* | *[\ \']./* | *" -p "[0-9]* | *" --netns "[a-z]*) return 1 ;;
	*libstdcxx* | *python* | *napi:::*) return 1 ;;
	esac
}

while IFS=$'\t' read -r where command; do
	there "$command" || continue
	command=${command%%>out*}
	tool=${command%% *}
	status=0
	if [[ $tool == -* ]]; then
		said=$(
			dwire() { timeout 20 "$dwire_binary" -e "$@"; }
			dwire_binary=$dwire
			eval "dwire $command" 2>&1 >/dev/null
		) || status=$?
		refused='lockdown|which this machine does not count|needs fentry|fbt::tcp_nosuch:entry does not match|module cfg80211|sdt:mac80211|sctp:::'
		[ $status -eq 0 ] || [[ $said =~ $refused ]] || fail "$where: dwire $command: $said"
	else
		said=$(eval "\"\$dwire\" $tool --program ${command#"$tool"}" 2>&1 >/dev/null) || status=$?
		expect_eq "$status $said" "0 " "$where: dwire $command"
	fi
done <"$tmp/all"

# The command's own page fits a terminal, and no page is wrong roff.
if command -v man >/dev/null; then
	for page in "$man"/*.8; do
		grep -q '^\.so' "$page" && continue
		expect_eq "$(LC_ALL=C MANWIDTH=80 man --warnings -l "$page" 2>&1 >"$tmp/page")" "" "${page##*/}: warnings"
		[ "${page##*/}" != dwire.8 ] || expect_eq "$(awk 'length > 80' "$tmp/page")" "" "lines of dwire(8) over 80 columns"
	done
fi

# dwire(8) names every probe of the providers that it lists.
missing=
for prov in tcp udp ip io sched proc; do
	text=$(sed -n "/^\.B $prov\$/,/^\.TP/p" "$root/docs/dwire.8" | sed 's/\\-/-/g')
	for probe in $("$dwire" -l -P $prov | awk 'NR > 1 { print $NF }'); do
		grep -qw -- "$probe" <<<"$text" || missing+=" $prov:::$probe"
	done
done
expect_eq "$missing" "" "probes that dwire(8) does not name"
