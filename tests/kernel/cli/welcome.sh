# SPDX-License-Identifier: GPL-2.0-or-later
# `dwire` alone shows what to do next, and each command that it names works. As dtrace it says what dtrace(1) says.
. "$here/lib/cli.lib"
run
expect_eq "$STATUS $ERR" "2 " "status and messages of dwire alone"
page=$OUT
expect_eq "$(awk 'length > 80' <<<"$page")" "" "long lines"
commands=0
while read -r name rest; do
	commands=$((commands + 1))
	line="$name ${rest%%   *}"
	case $line in
	"dwire -n "*) (eval "timeout -s INT 2 $dwire -q -c true ${line#dwire }") >out 2>&1 || fail "$line: $(<out)" ;;
	"dwire --self-test"*) "$dwire" --self-test -h >out 2>&1 || "$dwire" --self-test >out 2>&1 || fail "$line: $(<out)" ;;
	*) read -ra words <<<"$line" && "$dwire" "${words[@]:1}" -d 1 >out 2>&1 || fail "$line: $(<out)" ;;
	esac
done < <(sed -n '/^What now/,/^$/s/^  \(dwire .*\)/\1/p' <<<"$page")
expect_eq $commands 5 "commands that it proposes"
for words in "help" "tcptop -h" "-l tcp:::" "man dwire" "-h"; do
	# shellcheck disable=SC2086
	"$dwire" $words >out 2>&1 || fail "dwire $words: $(<out)"
	grep -qE "dwire ${words/ tcp:::/ \'tcp:::\'}|dwire TOOL -h" <<<"$page" || fail "the page has no dwire $words"
done
ln -s "$dwire" dtrace
expect_match "$(./dtrace 2>&1)" '^usage: dtrace ' "as dtrace"
expect_match "$(setpriv --reuid 65534 --clear-groups "$dwire")" 'CAP_BPF.*sudo dwire \.\.\.$' "as another user"
