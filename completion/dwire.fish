# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion of dwire: tools, their options, options of the command, names of probes, all asked of the program.

# Runs the program that is being typed.
function __dwire_run
	set -l words (commandline -opc)
	command $words[1] $argv 2>/dev/null
end

function __dwire_tools
	__dwire_run help | string replace -rf '^  ([a-z0-9][A-Za-z0-9_-]*)\s+(.*)' '$1\t$2'
end

# The tool that is being typed, if it is one.
function __dwire_tool
	set -l words (commandline -opc)
	test (count $words) -ge 2; or return 1
	contains -- $words[2] (__dwire_tools | string replace -r '\t.*' ''); or return 1
	echo $words[2]
end

# An option with two names, "-a, --all", is a line for each.
function __dwire_options
	__dwire_run $argv -h |
		string replace -r '^  (-[A-Za-z0-9]), (--[^ ]+)( +.*)' '  $1$3\n  $2$3' | string split '\n' |
		string replace -rf '^  (--?[A-Za-z0-9][A-Za-z0-9-]*)[^ ]*( [A-Z][^ ]*)*\s+(.*)' '$1\t$3'
end

function __dwire_before
	set -l words (commandline -opc)
	contains -- $words[-1] $argv
end

function __dwire_probes
	set -l start (commandline -ct | string replace -r ':.*' '')
	__dwire_run -l -n "$start*:::" | awk 'NR > 1 { print $2 ":::" $NF }' | sort -u
end

# Of the columns of dwire containers: --container has the first two, --pod the others.
function __dwire_containers
	__dwire_run containers | awk 'NR > 1 { print $1; print $2 }' | string match -r '^[A-Za-z0-9][A-Za-z0-9_./-]*$' | sort -u
end

function __dwire_pods
	__dwire_run containers | awk 'NR > 1 && $3 != "-" { print $3; print $4 "/" $3 }' |
		string match -r '^[A-Za-z0-9][A-Za-z0-9_./-]*$' | sort -u
end

# The columns of the tool, behind those of the list that are typed already.
function __dwire_columns
	set -l before (commandline -ct | string match -r '.*,')
	set -l words (commandline -opc)
	for column in (command $words[1] (__dwire_tool) -o help 2>/dev/null | sed '1,/^names/d' | tr -d ' ' | tr -s ',' '\n')
		echo $before$column
	end
end

complete -c dwire -f
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a '(__dwire_tools)'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a help -d 'what tools there are'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a merge -d 'streams of many machines as one trace'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a on -d 'a trace on many machines'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a record -d 'a trace into a directory'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a replay -d 'what was recorded'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a report -d 'some seconds of the network as a page'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a doctor -d 'does each provider work on this kernel'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a man -d 'a man page from inside the program'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a new-tool -d 'begin a tool'
complete -c dwire -n 'test (count (commandline -opc)) -eq 1' -a containers -d 'the running containers'
complete -c dwire -n '__dwire_before help; or __dwire_before man' -a '(__dwire_tools)'
complete -c dwire -n '__dwire_tool >/dev/null' -a '(__dwire_options (__dwire_tool))'
complete -c dwire -n 'not __dwire_tool >/dev/null; and string match -q -- "-*" (commandline -ct)' -a '(__dwire_options)'
complete -c dwire -n '__dwire_before -n' -a '(__dwire_probes)'
complete -c dwire -n '__dwire_before -P' -a '(__dwire_probes | string replace -r ":.*" "" | sort -u)'
complete -c dwire -n '__dwire_before -p' -a '(__fish_complete_pids)'
complete -c dwire -n '__dwire_tool >/dev/null; and __dwire_before --container' -a '(__dwire_containers)'
complete -c dwire -n '__dwire_tool >/dev/null; and __dwire_before --pod' -a '(__dwire_pods)'
complete -c dwire -n '__dwire_tool >/dev/null; and __dwire_before -o --by' -a '(__dwire_columns)'
complete -c dwire -n '__dwire_tool >/dev/null; and __dwire_before --heat --flame --graph' -F
complete -c dwire -n 'not __dwire_tool >/dev/null; and __dwire_before -x' -a '(__dwire_run -x help)'
complete -c dwire -n 'not __dwire_tool >/dev/null; and __dwire_before -s -o -I -L' -F
