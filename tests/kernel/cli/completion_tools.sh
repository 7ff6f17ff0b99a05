# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Completion in bash, fish and zsh offers each tool and each of the options that its -h lists.
completion=$here/../../completion
mkdir "$tmp/bin"
ln -s "$dwire" "$tmp/bin/dwire"
export PATH=$tmp/bin:$PATH
mapfile -t tools < <(dwire help | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p')
expect_ge "${#tools[@]}" 50 "tools in dwire help"

# "TOOL OPTION" of all: by -h, whose lines are "  -p PID,...  text" and "  -h, --help  text".
for tool in "${tools[@]}"; do
	dwire "$tool" -h | sed -n 's/^  \(-[-0-9A-Za-z].*\)/\1/p' | while read -r first second _; do
		echo "$tool ${first%,}"
		[[ $first != *, ]] || echo "$tool $second"
	done
done | LC_ALL=C sort -u >"$tmp/want"
expect_ge "$(wc -l <"$tmp/want")" 700 "options of tools"

same() { # SHELL
	LC_ALL=C sort -u "$tmp/$1" | diff "$tmp/want.$1" - >"$tmp/diff" || fail "$1: $(head -n 5 "$tmp/diff")"
}

cp "$tmp/want" "$tmp/want.bash"
bash -c '. "$1"; shift
	for tool; do
		COMP_WORDS=(dwire "$tool" -) COMP_CWORD=2
		_dwire
		printf "$tool %s\n" "${COMPREPLY[@]}"
	done' - "$completion/dwire.bash" "${tools[@]}" >"$tmp/bash"
same bash
expect_eq "$(bash -c '. "$1"; COMP_WORDS=(dwire ""); COMP_CWORD=1; _dwire; printf "%s\n" "${COMPREPLY[@]}"' - \
	"$completion/dwire.bash" | grep -vxE "help|man|merge|on|record|replay|report|doctor|new-tool|containers")" "$(printf '%s\n' "${tools[@]}")" "bash: all tools"

if command -v fish >/dev/null; then
	cp "$tmp/want" "$tmp/want.fish"
	HOME=$tmp fish --no-config -c 'source $argv[1]
		for tool in $argv[2..]
			for part in - --
				complete -C "dwire $tool $part" | string replace -r "^([^\t]*).*" "$tool \$1"
			end
		end' "$completion/dwire.fish" "${tools[@]}" >"$tmp/fish"
	same fish
	expect_eq "$(HOME=$tmp fish --no-config -c 'source $argv[1]; complete -C "dwire "' "$completion/dwire.fish" | cut -f 1 |
		grep -vxE "help|man|merge|on|record|replay|report|doctor|new-tool|containers" | LC_ALL=C sort)" "$(printf '%s\n' "${tools[@]}" | LC_ALL=C sort)" "fish: all tools"
fi

# zsh: the function is asked what it would offer.
if command -v zsh >/dev/null; then
	cp "$tmp/want" "$tmp/want.zsh"
	zsh -f -c '_describe() { print -rl -- ${(P)@[-1]}; }
		zstyle() { }
		dw() { source $completion/_dwire; }
		completion=$1; shift
		for tool; do
			words=(dwire $tool -) CURRENT=3 PREFIX=-
			dw | while read -r option; do print -r -- $tool ${option%%:*}; done
		done' - "$completion" "${tools[@]}" >"$tmp/zsh" 2>"$tmp/zsh.err"
	same zsh
	words=$(zsh -f -c '_describe() { print -rl -- ${(P)@[-1]}; }
		words=(dwire "") CURRENT=2 PREFIX=
		() { source $1/_dwire; } $1' - "$completion" | sed 's/:.*//')
	expect_eq "$words" "$(printf '%s\n' "${tools[@]}")" "zsh: all tools"
fi
