# timeout: 120
# What all tools have in common, each tool: help, every option, no traffic, traffic that a filter keeps out, JSON and CSV
# that a parser reads, Ctrl-C at once, bad command lines.
need python3
mapfile -t tools < <("$dwire" help | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p')
expect_ge "${#tools[@]}" 4 "tools in dwire help"
expect_eq "$("$dwire" help | awk 'length > 80')" "" "lines of more than 80 columns in help"

cat >"$tmp/rows.py" <<'END'
import csv, json, sys
kind, path = sys.argv[1:]
text = open(path, newline="").read()
if kind == "json":
    rows = [json.loads(line) for line in text.splitlines()]
    assert all(isinstance(r, dict) and r for r in rows)
    assert all(r.keys() == rows[0].keys() for r in rows if "event" not in r and "drops" not in r)
else:
    rows = list(csv.reader(text.splitlines()))
    assert rows and all(rows[0]), "no names"
    assert len({len(r) for r in rows if "event" not in rows[0]}) <= 1, "lines of different lengths"
print(len(rows) - (kind == "csv"))
END

# A value for an option by the word that stands for it in -h.
sample() {
	case $1 in
	*PORT*) echo 80,443 ;;
	*NET,*) echo 10.0.0.0/8,::/0,192.168.1.1 ;;
	*NAME*) echo global ;;
	*PATH*) echo / ;;
	*ID,... | ID) if [ "$2" = --container ]; then echo abc; else echo 1,2; fi ;;
	CMD) echo true ;;
	*) echo 3 ;;
	esac
}

# Each option by itself makes a program that compiles.
options_of() {
	local tool=$1 option word rest
	while read -r option word rest; do
		[[ $option == -* ]] || continue
		option=${option%,}
		[ "$option" != -h ] && [ "$option" != --program ] || continue
		if [[ $word =~ ^[A-Z]+(,\.\.\.)?$ ]]; then
			word=$(sample "$word" "$option")
			"$dwire" "$tool" --program "$option" "$word" >"$tmp/program" || fail "$tool $option $word"
		else
			"$dwire" "$tool" --program "$option" >"$tmp/program" || fail "$tool $option"
		fi
		"$dwire" -e -s "$tmp/program" 2>"$tmp/err" || fail "$tool $option: $(<"$tmp/err")"
	done < <("$dwire" "$tool" -h | sed -n '/^  /p')
}

# The rows that a run of a tool prints in a format while a command runs.
rows_of() { # FORMAT TOOL COMMAND OPTION...
	local kind=$1 tool=$2 command=$3
	shift 3
	"$dwire" "$tool" "--$kind" --command "$command" "$@" >"$tmp/rows" 2>"$tmp/err" </dev/null ||
		fail "$tool --$kind $*: $(<"$tmp/err")"
	python3 "$tmp/rows.py" "$kind" "$tmp/rows" 2>"$tmp/err" ||
		fail "$tool --$kind $*: $(tail -n 1 "$tmp/err"): $(head -c 300 "$tmp/rows")"
}

cat >"$tmp/traffic" <<-'END'
	#!/bin/bash
	exec 2>/dev/null
	for host in 127.0.0.1 ::1; do
		echo hello >/dev/udp/$host/9
		exec 3<>/dev/tcp/$host/9
	done
END
chmod +x "$tmp/traffic"

for tool in "${tools[@]}"; do
	"$dwire" "$tool" -h >"$tmp/help" || fail "$tool -h"
	expect_eq "$(awk 'length > 80' "$tmp/help")" "" "lines of more than 80 columns in $tool -h"
	expect_match "$(<"$tmp/help")" "^$tool: .*usage: $tool " "$tool -h"
	options_of "$tool"
	"$dwire" "$tool" --command true >"$tmp/rows" 2>"$tmp/err" </dev/null || fail "$tool: $(<"$tmp/err")"
	expect_eq "$(grep -v '^dwire: pid [0-9]* has exited$' "$tmp/err")" "" "$tool without traffic says on stderr"
	rows_of json "$tool" true >/dev/null
	rows_of csv "$tool" true >/dev/null
	rows_of json "$tool" "$tmp/traffic" >/dev/null
	if grep -q -- ' -p ' "$tmp/help"; then
		expect_eq "$(rows_of json "$tool" "$tmp/traffic" -p 4194305)" 0 "$tool: rows of a process that is not there"
	fi
	if grep -q -- ' --host ' "$tmp/help"; then
		nowhere=(--host 203.0.113.0/24,2001:db8::/32)
		if grep -q -- ' -P ' "$tmp/help"; then nowhere+=(-P 9); fi
		expect_eq "$(rows_of json "$tool" "$tmp/traffic" "${nowhere[@]}")" 0 \
			"$tool: rows of a host that is not there"
	fi
done

# Ctrl-C before the first report
pids=()
for tool in "${tools[@]}"; do
	"$dwire" "$tool" >"$tmp/stop.$tool" 2>&1 &
	pids+=($!)
done
sleep 2
for i in "${!pids[@]}"; do
	kill -INT "${pids[i]}"
	wait "${pids[i]}" || fail "${tools[i]} after Ctrl-C: $? $(<"$tmp/stop.${tools[i]}")"
done

# A filter that is not asked for costs no instruction.
"$dwire" tcpsnoop --program >"$tmp/with"
sed 's/^\/ (1) \/$//' "$tmp/with" >"$tmp/without"
expect_eq "$(grep -c '^/ (1) /$' "$tmp/with")" 2 "predicates of tcpsnoop"
expect_eq "$("$dwire" --dump=bpf -s "$tmp/with" | grep -c '^ *[0-9]*:')" \
	"$("$dwire" --dump=bpf -s "$tmp/without" | grep -c '^ *[0-9]*:')" "instructions with no filter"

# Command lines
wrong() { # MESSAGE ARGUMENT...
	local want=$1 got
	shift
	got=$("$dwire" "$@" 2>&1 >/dev/null)
	expect_eq "$? $(head -n 1 <<<"$got")" "2 $want" "dwire $*"
}
wrong "tcptop: no option --conteiner: did you mean --container?" tcptop --conteiner x
wrong "tcptop: no option -y" tcptop -y
wrong "tcptop: -p needs PID,..." tcptop -p
wrong "tcptop: -p PID,... takes numbers with commas between them, not 1,x" tcptop -p 1,x
wrong "tcptop: interval must be a number, not five" tcptop five
wrong "tcptop: interval must be more than 0" tcptop 0
wrong "tcptop: what is 3?" tcptop 1 2 3
wrong "tcptop: --json or --csv, not both" tcptop --json --csv
wrong "tcptop: --json takes no value" tcptop --json=yes
wrong "tcptop: -4 or -6, not both" tcptop -46
wrong "tcptop: --host takes addresses and networks, as 10.0.0.0/8 or ::1, not 10.0.0.0/33" tcptop --host 10.0.0.0/33
wrong "tcptop: no network namespace nosuch: /run/netns/nosuch: No such file or directory" tcptop --netns nosuch
wrong "dwire: no tool tcptpo: did you mean tcptop?" tcptpo
wrong "dwire: no tool tcptpo: did you mean tcptop?" help tcptpo
expect_eq "$("$dwire" help tcptop)" "$("$dwire" tcptop -h)" "dwire help tcptop"
