# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Completion in bash, zsh and fish: tools, their options, the command's options, probes. Each shell completes a
# partial line, as it would for its user.

completion=$here/../../completion
mkdir "$tmp/bin"
ln -s "$dwire" "$tmp/bin/dwire"
export PATH=$tmp/bin:$PATH

bash_says() { # WORD...: the candidates for the last of them, as readline would part the line
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dwire; printf "%s\n" "${COMPREPLY[@]}"' \
		- "$completion/dwire.bash" "$@" | LC_ALL=C sort
}
fish_says() { # LINE
	HOME=$tmp fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completion/dwire.fish" "$1" |
		cut -f 1 | LC_ALL=C sort
}
zsh_says() { # LINE: what it becomes at the tab key
	cat >"$tmp/zsh" <<-'END'
		zmodload zsh/zpty
		zpty z "COLUMNS=200 zsh -f -i"
		zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -D -u; bindkey '^I' complete-word"
		zpty -w -n z "$2"$'\t'
		zpty -w -n z $'\C-aprint -r -- "<\C-e>"\C-m'
		zpty -w z "print end''ed"
		zpty -r z text '*ended*'
		print -r -- "$text"
		zpty -d z
	END
	HOME=$tmp timeout 20 zsh -f "$tmp/zsh" "$completion" "$1" </dev/null | tr -d '\r' | sed -n 's/^<\(.*\)>$/\1/p' | tail -n 1
}

tools=$("$dwire" help | sed -n 's/^  \([a-z0-9][^ ]*\) .*/\1/p')
expect_ge "$(wc -l <<<"$tools")" 4 "tools"
options=$("$dwire" tcptop -h | grep -o '^  --*[A-Za-z0-9-]*' | tr -d ' ' | grep '^--')

expect_eq "$(bash_says dwire tcpt)" "$(grep ^tcpt <<<"$tools" | LC_ALL=C sort)" "bash: tools"
expect_eq "$(bash_says dwire help udps)" "$(grep ^udps <<<"$tools")" "bash: help"
expect_eq "$(bash_says dwire tcptop -- | grep -vx -e --help)" "$(LC_ALL=C sort <<<"$options")" "bash: a tool's options"
expect_eq "$(bash_says dwire --du)" "--dump=" "bash: options"
expect_eq "$(bash_says dwire -n tcp ::: se)" "send" "bash: probes, where colons part words"
expect_eq "$(bash_says dwire -P ud)" "$("$dwire" -l -n 'ud*:::' | awk 'NR > 1 { print $2 }' | sort -u)" "bash: providers"
expect_eq "$(bash_says dwire -p $$)" "$$" "bash: processes"

expect_eq "$(fish_says 'dwire tcpt')" "$(grep ^tcpt <<<"$tools" | LC_ALL=C sort)" "fish: tools"
expect_eq "$(fish_says 'dwire tcptop --' | grep -vx -e --help)" "$(LC_ALL=C sort <<<"$options")" "fish: a tool's options"
expect_eq "$(fish_says 'dwire -n tcp:::se')" "tcp:::send" "fish: probes"
expect_eq "$(fish_says 'dwire --du')" "--dump" "fish: options"
expect_eq "$(zsh_says 'dwire udpsn')" "dwire udpsnoop" "zsh: tools"
expect_eq "$(zsh_says 'dwire tcptop --contai')" "dwire tcptop --container" "zsh: a tool's options"
expect_eq "$(zsh_says 'dwire -n tcp:::se')" "dwire -n tcp:::send" "zsh: probes"
