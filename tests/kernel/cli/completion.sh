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

expect_eq "$(bash_says dwire -x switch)" "switchrate" "bash: names of -x"
expect_eq "$(bash_says dwire tcptop --by pod_)" "pod_namespace" "bash: columns"
expect_eq "$(bash_says dwire tcplife -o pid,rad)" "pid,raddr" "bash: columns of a list"
expect_eq "$(fish_says 'dwire -x switch')" "switchrate" "fish: names of -x"
expect_eq "$(fish_says 'dwire tcplife -o pid,rad')" "pid,raddr" "fish: columns of a list"
expect_eq "$(zsh_says 'dwire -x switch')" "dwire -x switchrate" "zsh: names of -x"
expect_eq "$(zsh_says 'dwire tcplife -o pid,rad')" "dwire tcplife -o pid,raddr" "zsh: columns of a list"

# Containers by id and name, pods by name.
root=$(findmnt -rn -t cgroup2 -o TARGET | head -n 1)
id=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
bundle=$tmp/runtimes/run/containerd/io.containerd.runtime.v2.task/k8s.io/$id
if [ -n "$root" ] && mkdir "$root/cri-containerd-$id.scope" 2>/dev/null; then
	at_exit 'rmdir "$root/cri-containerd-$id.scope"'
	export DWIRE_RUNTIMEROOT=$tmp/runtimes
	mkdir -p "$bundle"
	cat >"$bundle/config.json" <<-'END'
		{"annotations": {"io.kubernetes.cri.container-name": "dwtbox", "io.kubernetes.cri.sandbox-name": "dwtpod-0",
			"io.kubernetes.cri.sandbox-namespace": "shop"}}
	END
	expect_eq "$(bash_says dwire tcplife --container dwt)" "dwtbox" "bash: containers"
	expect_eq "$(bash_says dwire tcplife --container "${id:0:9}")" "${id:0:12}" "bash: ids of containers"
	expect_eq "$(bash_says dwire tcplife --pod shop/dwt)" "shop/dwtpod-0" "bash: pods"
	expect_eq "$(fish_says 'dwire tcplife --container dwt')" "dwtbox" "fish: containers"
	expect_eq "$(fish_says 'dwire tcplife --pod dwt')" "dwtpod-0" "fish: pods"
	expect_eq "$(zsh_says 'dwire tcplife --container dwt')" "dwire tcplife --container dwtbox" "zsh: containers"
	expect_eq "$(zsh_says 'dwire tcplife --pod dwt')" "dwire tcplife --pod dwtpod-0" "zsh: pods"
fi

expect_eq "$(fish_says 'dwire tcpt')" "$(grep ^tcpt <<<"$tools" | LC_ALL=C sort)" "fish: tools"
expect_eq "$(fish_says 'dwire tcptop --' | grep -vx -e --help)" "$(LC_ALL=C sort <<<"$options")" "fish: a tool's options"
expect_eq "$(fish_says 'dwire -n tcp:::se')" "tcp:::send" "fish: probes"
expect_eq "$(fish_says 'dwire --du')" "--dump" "fish: options"
expect_eq "$(zsh_says 'dwire udpsn')" "dwire udpsnoop" "zsh: tools"
expect_eq "$(zsh_says 'dwire tcptop --contai')" "dwire tcptop --container" "zsh: a tool's options"
expect_eq "$(zsh_says 'dwire -n tcp:::se')" "dwire -n tcp:::send" "zsh: probes"
