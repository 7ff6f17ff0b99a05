# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# What all tools share, for each tool: help, every option, no traffic, traffic that a filter excludes, JSON and CSV
# that a parser reads, Ctrl-C at once, wrong command lines; the man page.
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
    assert len({len(r) for r in rows}) <= 1, "lines of different lengths"
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
	SHARE) echo 3% ;;
	COL,...) echo time,interval ;;
	FLAG,...) echo SYN+ACK,RST ;;
	*) echo 3 ;;
	esac
}

# Programs with all options that take a value, with the common flags, and with each other flag by itself.
options_of() {
	local tool=$1 dir=$2 option word rest values=() flags=() own=() args
	while read -r option word rest; do
		option=${option%,}
		case $option in
		-h | --program | --json | --csv | --command | --everyone | -6) ;;
		-w) [ "$word" = FILE ] && values+=(-w "$dir/packets") || flags+=(-w) ;;
		--by) own+=("--by time") ;;
		-[tT4] | --wide) flags+=("$option") ;;
		-*) if [[ $word =~ ^[A-Z]+(,\.\.\.)?$ ]]; then
			values+=("$option" "$(sample "$word" "$option")")
		else
			own+=("$option")
		fi ;;
		esac
	done < <(sed -n '/^columns:/q; /^  /p' "$dir/help")
	for args in "" "${values[*]} ${flags[*]}" "${own[@]}"; do
		# shellcheck disable=SC2086
		"$dwire" "$tool" --program $args >"$dir/program" || fail "$tool $args"
		"$dwire" -e -s "$dir/program" 2>"$dir/err" || fail "$tool $args: $(<"$dir/err")"
	done
}

# The rows that a run of a tool prints in a format while there is traffic.
rows_of() { # FORMAT TOOL DIRECTORY OPTION...
	local kind=$1 tool=$2 dir=$3
	shift 3
	"$dwire" "$tool" "--$kind" --everyone --command "$tmp/traffic" "$@" >"$dir/rows" 2>"$dir/err" </dev/null ||
		fail "$tool --$kind $*: $(<"$dir/err")"
	python3 "$tmp/rows.py" "$kind" "$dir/rows" 2>"$dir/err" ||
		fail "$tool --$kind $*: $(tail -n 1 "$dir/err"): $(head -c 300 "$dir/rows")"
}

cat >"$tmp/traffic" <<-'END'
	#!/bin/bash
	exec 2>/dev/null
	for host in 127.0.0.1 ::1; do
		echo hello >/dev/udp/$host/9
		exec 3<>/dev/tcp/$host/9
	done
	exit 0 # nobody listens
END
chmod +x "$tmp/traffic"

# From then on a signal ends it in order.
until_traced() { # PID
	local i
	for ((i = 0; i < 200; i++)); do
		! find "/proc/$1/fd" -lname 'anon_inode:\[timerfd\]' 2>/dev/null | grep -q . || return
		sleep 0.05
	done
	fail "$(tr '\0' ' ' <"/proc/$1/cmdline") does not begin"
}

check_tool() { # NAME: says what is wrong
	local tool=$1 dir=$tmp/$1
	mkdir "$dir"
	"$dwire" "$tool" -h >"$dir/help" || fail "$tool -h"
	expect_eq "$(awk 'length > 80' "$dir/help")" "" "lines of more than 80 columns in $tool -h"
	expect_match "$(<"$dir/help")" "^$tool: .*usage: $tool " "$tool -h"
	if [ "$tool" = ieee80211scan ] && [ ! -d /sys/module/cfg80211 ]; then # tests/vm/wifi.lib runs it
		"$dwire" "$tool" --command true >"$dir/rows" 2>"$dir/err"
		expect_match "$? $(<"$dir/err")" '^1 ieee80211scan: nothing to trace: .*module cfg80211 is not loaded; .*modprobe cfg80211$' "$tool: refused"
		return 0
	fi
	options_of "$tool" "$dir"
	[[ $tool != qdisc-* ]] || return 0 # these are qdisclat, of one kind
	rows_of json "$tool" "$dir" >/dev/null
	if grep -q -- ' --host ' "$dir/help"; then
		expect_eq "$(rows_of csv "$tool" "$dir" --host 198.51.100.0/24,100::/64)" 0 \
			"$tool: rows of a host that is not there"
	else
		rows_of csv "$tool" "$dir" >/dev/null
	fi
	if grep -q -- ' -p ' "$dir/help" && [ "$tool" != netcheck ]; then # its counters are the machine's
		expect_eq "$(rows_of json "$tool" "$dir" -p 4194305)" 0 "$tool: rows of a process that is not there"
	fi
	[[ $tool != ss && $tool != portuse ]] || return 0 # they end by themselves
	# SIGINT, though a background job inherits it ignored.
	"$dwire" "$tool" >"$dir/rows" 2>"$dir/err" </dev/null &
	local pid=$!
	until_traced $pid
	kill -INT $pid
	wait $pid || fail "$tool after Ctrl-C: $? $(<"$dir/err")"
	expect_eq "$(<"$dir/err")" "" "$tool says on stderr"
}

# Most of a run is waiting: several at once.
for tool in "${tools[@]}"; do
	check_tool "$tool" >"$tmp/said.$tool" &
	while [ "$(jobs -rp | wc -l)" -ge 8 ]; do wait -n; done
done
wait
cat "$tmp"/said.*
[ -z "$(cat "$tmp"/said.*)" ] || failed=1
# A background job of a script inherits SIGINT ignored, one of nohup(1) SIGHUP: SIGINT is heard before the trace begins, too,
# SIGTERM always, SIGHUP never.
sh -c "trap '' HUP; exec \"\$0\" tcptop 9" "$dwire" >"$tmp/deaf" 2>&1 </dev/null &
deaf=$!
"$dwire" tcptop >"$tmp/rows" 2>&1 </dev/null &
early=$!
for ((i = 0; i < 200; i++)); do # its main() is where the descriptors beyond the standard ones are
	[ ! -e /proc/$early/fd/3 ] || break
	sleep 0.01
done
kill -INT $early
wait $early
status=$?
[[ $status =~ ^(0|130)$ ]] || fail "tcptop after SIGINT at once: $status"
until_traced $deaf
kill -HUP $deaf
sleep 0.3
kill -0 $deaf 2>/dev/null || fail "tcptop ended at SIGHUP"
kill -TERM $deaf
wait $deaf || fail "tcptop after SIGTERM: $?"
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
wrong 'tcptop: no process x"' tcptop -p '1,x"'
wrong "tcptop: no user nosuch" tcptop --user nosuch
wrong "tcptop: --host: no address of no.such.invalid is known" tcptop --host no.such.invalid
wrong "tcptop: -P PORT,... takes numbers of 0 to 65535 with commas between them, not 90-80" tcptop -P 90-80
wrong "tcptop: no option -l: did you mean -L?" tcptop -l
wrong "tcptop: interval must be a number, not five" tcptop five
wrong "tcptop: interval must be more than 0" tcptop 0
wrong "tcptop: unexpected argument 3" tcptop 1 2 3
wrong "tcptop: --json or --csv, not both" tcptop --json --csv
wrong "tcptop: --json or --csv, not both" tcptop --json --csvsafe
wrong "tcptop: --json takes no value" tcptop --json=yes
wrong "tcptop: -4 or -6, not both" tcptop -46
wrong "tcptop: --host takes names, addresses and networks, as 10.0.0.0/8 or ::1, not 10.0.0.0/33" tcptop --host 10.0.0.0/33
wrong "tcptop: no network namespace nosuch: /run/netns/nosuch: No such file or directory" tcptop --netns nosuch
wrong "tcptop: no network namespace /etc/passwd: /etc/passwd is another file" tcptop --netns /etc/passwd
wrong "tcptop: -L PORT,... takes numbers of 0 to 65535 with commas between them, not 65536" tcptop -L 65536
wrong "tcptop: -D PORT,... takes numbers of 0 to 65535 with commas between them, not 80," tcptop -D 80,
wrong "tcptop: PORT,... takes at most 255 characters" tcptop -P "$(seq -s, 90)"
for option in "-p PID" "-L PORT" "--netns NAME" "--cgroup PATH" "--container NAME" "--host NET"; do
	wrong "tcptop: ${option% *} needs ${option#* },..." tcptop "${option% *}" ""
done
wrong "tcptop: interval is empty" tcptop ""
wrong "tcptop: count must be more than 0" tcptop 1 -1
wrong "tcptop: ROWS must be more than 0" tcptop -n 0
wrong "tcptop: SECS must be more than 0" tcptop -d 0
wrong "tcplife: --dot cannot be combined with --json or --csv" tcplife --dot --json
wrong "dwire: no tool tcptpo: did you mean tcptop?" tcptpo
wrong "dwire: no tool tcptpo: did you mean tcptop?" help tcptpo
expect_eq "$("$dwire" tcptop --program -L " 80, 443" --host "10.0.0.0/8, ::1")" \
	"$("$dwire" tcptop --program -L 80,443 --host 10.0.0.0/8,::1)" "lists with blanks"
expect_eq "$("$dwire" help tcptop)" "$("$dwire" tcptop -h)" "dwire help tcptop"

# Each has a man page in the one form: the options of -h, and examples of 80 columns (but of tcpstates, whose rows are wider).
for page in "$here"/../../tools/*.d; do
	[ -f "${page%.d}.8" ] || fail "no man page ${page##*/}"
done
cat >"$tmp/pages.py" <<'END'
import glob, os, re, subprocess, sys
dwire, folder = sys.argv[1:]
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COLUMNS", "EXAMPLE", "COST", "WHAT IT CANNOT SEE", "SEE ALSO"]
for page in glob.glob(f"{folder}/*.8"):
    name, text = os.path.basename(page)[:-2], open(page).read().replace("\\-", "-")
    if "\n.so man8/" in text or name in ("dwire", "dwire-export"):
        continue
    sections = dict(zip(re.findall(r"^\.SH (.*)$", text, re.M), re.split(r"^\.SH .*$", text, flags=re.M)[1:]))
    if list(sections) != SECTIONS:
        print(f"FAILED: {name}.8 has the sections {list(sections)}")
        continue
    said = subprocess.run([dwire, name, "-h"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\ncolumns:")[0]
    want = re.findall(r"^  (-{0,2}\w[\w-]*)(?:,| [A-Z]| {2,})", said, re.M)
    got = re.findall(r"^\.TP\n\\f[BI](-{0,2}[\w-]+)\\fR", sections["OPTIONS"], re.M)
    if sorted(got) != sorted(want):
        print(f"FAILED: {name}.8 tells {got}, -h {want}")
    for word in want:
        if word != "-h" and not re.search(rf"{word}\b" if word[:2] == "--" else rf"-\w*{word[-1]}" if word[0] == "-" else word, sections["SYNOPSIS"]):
            print(f"FAILED: {name}.8 has no {word} in its synopsis")
    shown = re.sub(r"\\f[BIR]|\\&", "", re.search(r"^\.(?:EX|nf)\n(.*?)^\.(?:EE|fi)", sections["EXAMPLE"], re.M | re.S)[1])
    for line in shown.replace("\\e", "\\").splitlines():
        if len(line) > (113 if name == "tcpstates" else 80):
            print(f"FAILED: {name}.8 has {len(line)} columns: {line}")
END
python3 "$tmp/pages.py" "$dwire" "$(dirname "$dwire")/docs" >"$tmp/pages" 2>&1 || fail "the man pages"
[ ! -s "$tmp/pages" ] || { cat "$tmp/pages" && failed=1; }
