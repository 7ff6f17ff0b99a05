# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of dwire: tools, their options, options of the command, names of probes.
# Everything is asked of the program itself, so that it fits the dwire that is installed.

_dwire_tools() {
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z0-9][A-Za-z0-9_-]*\) .*/\1/p'
}

# The options that -h lists, a word each: of the command, or of a tool.
_dwire_options() {
	"$@" -h 2>/dev/null | sed -n 's/^  \(-[^ ].*\)/\1/p' | sed 's/   *.*//' | tr ', ' '\n\n' |
		sed -n 's/^\(--*[A-Za-z0-9][A-Za-z0-9-]*=*\).*/\1/p'
}

# What `dwire containers` lists in these columns, without what a shell would take apart.
_dwire_containers() {
	"$1" containers 2>/dev/null | awk -v pod="$2" 'NR > 1 && !pod { print $1; print $2 }
		NR > 1 && pod { print $3; if ($3 != "-") print $4 "/" $3 }' | grep -x '[A-Za-z0-9][A-Za-z0-9_./-]*' | sort -u
}

# The columns of a tool.
_dwire_columns() {
	"$1" "$2" -o help 2>/dev/null | sed '1,/^names/d' | tr -d ' ' | tr ',' '\n'
}

_dwire_probes() {
	"$1" -l -n "${2:-*}*:::" 2>/dev/null | awk 'NR > 1 { print $2 ":::" $NF }' | sort -u
}

# Words for the last part of a list: "pid,co" becomes "pid,comm".
_dwire_list() {
	local before=
	[[ $2 != *,* ]] || before=${2%,*},
	compgen -W "$1" -P "$before" -- "${2##*,}"
}

_dwire() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} tools tool= i
	# A probe's colons part words here; put them together again.
	if [[ ${COMP_WORDBREAKS-} == *:* ]]; then
		i=$COMP_CWORD
		while [[ $i -gt 1 && (${COMP_WORDS[i]} == *: || ${COMP_WORDS[i - 1]} == *:) ]]; do
			i=$((i - 1))
			cur=${COMP_WORDS[i]}$cur
			prev=${COMP_WORDS[i - 1]}
		done
	fi
	COMPREPLY=()
	tools=$(_dwire_tools "$program")
	if [[ $COMP_CWORD -gt 1 && $'\n'$tools$'\n' == *$'\n'${COMP_WORDS[1]}$'\n'* ]]; then
		tool=${COMP_WORDS[1]}
	fi
	if [[ $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$tools" -- "$cur")
	elif [[ -n $tool ]]; then
		case $prev in
		-p) mapfile -t COMPREPLY < <(cd /proc && compgen -G "$cur*" | grep -x '[0-9]*') ;;
		--container) mapfile -t COMPREPLY < <(compgen -W "$(_dwire_containers "$program")" -- "$cur") ;;
		--pod) mapfile -t COMPREPLY < <(compgen -W "$(_dwire_containers "$program" 1)" -- "$cur") ;;
		-o | --by) mapfile -t COMPREPLY < <(_dwire_list "$(_dwire_columns "$program" "$tool")" "$cur") ;;
		--heat | --flame | --graph) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		--netns) mapfile -t COMPREPLY < <(compgen -W "$(ls /run/netns 2>/dev/null)" -- "$cur") ;;
		*) mapfile -t COMPREPLY < <(compgen -W "$(_dwire_options "$program" "$tool")" -- "$cur") ;;
		esac
	else
		case $prev in
		-x) mapfile -t COMPREPLY < <(compgen -W "$("$program" -x help 2>/dev/null)" -- "$cur") ;;
		-s | -o | -I | -L) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		-n | -P)
			mapfile -t COMPREPLY < <(compgen -W "$(_dwire_probes "$program" "${cur%%:*}")" -- "$cur")
			[[ $prev == -n ]] || mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]%%:*}" | sort -u)
			if [[ ${COMP_WORDBREAKS-} == *:* && $cur == *:* ]]; then
				COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
			fi
			;;
		-p) mapfile -t COMPREPLY < <(cd /proc && compgen -G "$cur*" | grep -x '[0-9]*') ;;
		*)
			if [[ $cur == -* ]]; then
				mapfile -t COMPREPLY < <(compgen -W "$(_dwire_options "$program")" -- "$cur")
			elif [[ $COMP_CWORD -eq 1 ]]; then
				mapfile -t COMPREPLY < <(compgen -W "$tools help man merge on record replay report doctor new-tool containers" -- "$cur")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			;;
		esac
	fi
}

complete -F _dwire dwire
