# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# What tools print with --json, against docs/rows.schema.json; -o, --wide, --by and the marks of intervals.
need python3
python3 -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
netns_new rows
cat >"$tmp/traffic" <<END
#!/bin/sh
ip netns exec $NETNS tcp_echo -4 -n 3 >$tmp/trigger
ip netns exec $NETNS udp_echo -6 -n 2 >/dev/null
END
chmod +x "$tmp/traffic"

cat >"$tmp/valid.py" <<'END'
import json, sys
import jsonschema
schema = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
for path in sys.argv[2:]:
    for line in open(path):
        for e in schema.iter_errors(json.loads(line)):
            print(f"FAILED: {path.split('/')[-1]}: {line[:200].rstrip()}: {[c.message[:120] for c in e.context][:2]}")
            break
END

# Each tool as it is, and with all that is known.
mkdir "$tmp/json"
tools=$("$dwire" help | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p' | grep -vE '^(qdisc-|ieee80211scan|netcheck)')
run_tool() { # TOOL OPTION...
	local name=$1
	shift
	timeout 60 "$dwire" "$name" --json --everyone --command "$tmp/traffic" "$@" >"$tmp/json/$name${1:-}" 2>"$tmp/err.$name" </dev/null ||
		fail "$name $*: $(<"$tmp/err.$name")"
}
for tool in $tools; do
	{
		run_tool "$tool"
		run_tool "$tool" --wide
	} &
	while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
done
wait
python3 "$tmp/valid.py" "$here/../../docs/rows.schema.json" "$tmp"/json/* >"$tmp/wrong" || fail "the check"
[ ! -s "$tmp/wrong" ] || { head -n 20 "$tmp/wrong" && failed=1; }
expect_ge "$(cat "$tmp"/json/tcp* | wc -l)" 40 "rows of the tools of TCP"
# The check sees what is wrong.
echo '{"pid":"7","nothing":1}' >"$tmp/bad"
python3 "$tmp/valid.py" "$here/../../docs/rows.schema.json" "$tmp/bad" | grep -q FAILED || fail "a wrong row passes"

# Columns by name, in order; a group has the sum of its rows.
"$dwire" tcplife --csv -o comm,rx_bytes,tx_bytes,zone,device,wide_is_none --everyone --command true >/dev/null 2>"$tmp/err" && fail "a wrong column"
expect_match "$(<"$tmp/err")" 'no column wide_is_none.*columns: .*tx_bytes.*device' "the message"
expect_eq "$("$dwire" tcplife -o help | sed '/^names/,$d')" "$("$dwire" tcplife -h | sed -n '/^columns:/,$p')" "-o help"
"$dwire" tcplife --csv -o comm,rx_bytes,laddr,netns --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/csv" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(sed 's/,[0-9]*,"127/,N,"127/' "$tmp/csv" | sort | uniq -c | tr -s ' ')" \
	" 3 \"dw_client\",N,\"127.0.0.1\",$NETNS_ID
 3 \"dw_server\",N,\"127.0.0.1\",$NETNS_ID
 1 comm,rx_bytes,laddr,netns" "-o: $(<"$tmp/csv")"
expect_eq "$(awk -F, '/client/ { n += $2 } END { print n + 0 }' "$tmp/csv")" "$(value_of client_bytes_in)" "bytes that the client received"
"$dwire" tcptop --json --by comm -o comm,rx_bytes,tx_bytes --everyone --command true >/dev/null 2>"$tmp/err" && fail "-o and --by"
"$dwire" tcptop 60 --json --by comm --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/by" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(python3 -c 'import json, sys
for r in sorted((json.loads(x) for x in open(sys.argv[1])), key=lambda r: r["comm"]): print(r["comm"], r["rx_bytes"], r["tx_bytes"], r["interval"])' "$tmp/by")" \
	"dw_client $(value_of client_bytes_in) $(value_of client_bytes_out) 1
dw_server $(value_of server_bytes_in) $(value_of server_bytes_out) 1" "--by comm: $(<"$tmp/by")"

# Intervals have a number and a time; what -n leaves out is counted.
"$dwire" socketio 1 2 >"$tmp/text" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2}  interval [12]$' "$tmp/text")" 2 "marks: $(<"$tmp/text")"
"$dwire" tcptop 60 -n 1 --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/text" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(tail -n 1 "$tmp/text")" "... 5 more" "what -n leaves out: $(<"$tmp/text")"

# --by counts the rows of events, and adds up their bytes.
"$dwire" tcplife --json --by comm,netns --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/by" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(python3 -c 'import json, sys
for r in sorted((json.loads(x) for x in open(sys.argv[1])), key=lambda r: r["comm"]): print(*[r[k] for k in r if k != "time"])' "$tmp/by")" \
	"dw_client $NETNS_ID 3 $(value_of client_bytes_out) $(value_of client_bytes_in)
dw_server $NETNS_ID 3 $(value_of server_bytes_out) $(value_of server_bytes_in)" "tcplife --by: $(<"$tmp/by")"
"$dwire" tcpstates --by comm,newstate -n 1 --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/text" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/text")" '^C-COMM +NEWSTATE +COUNT
dw_[a-z]+ +[A-Z_0-9]+ +[0-9]+
\.\.\. [0-9]+ more$' "tcpstates --by -n: $(<"$tmp/text")"
# Tables with the same columns count as one; several values in a column are one text.
"$dwire" sotrace --csv --by detail --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/csv" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/csv")" '"SYN_SENT>ESTABLISHED",3' "sotrace --by: $(<"$tmp/csv")"
expect_match "$(<"$tmp/csv")" '"rtt [0-9]+ us",[1-6]' "sotrace --by: $(<"$tmp/csv")"
"$dwire" tcpsnoop --by comm -w "$tmp/none" --everyone --command true >/dev/null 2>"$tmp/err" && fail "--by and -w"
# Each tool that has rows can be grouped by the process, and takes each common column: what it does not know is unknown.
for tool in $tools; do
	[ "$tool" = bqllat ] && by=device || by=comm # queues of a device have no process
	"$dwire" "$tool" --by $by --program >"$tmp/program" 2>"$tmp/err" || fail "$tool --by $by: $(<"$tmp/err")"
	"$dwire" "$tool" --program -o time,time_s,interval,pid,tid,comm,uid,zone,netns,cgroup,container,container_name,pod,pod_namespace,laddr,lport,raddr,rport,device,bytes \
		>"$tmp/program" 2>"$tmp/err" || fail "$tool -o: $(<"$tmp/err")"
done
"$dwire" solisten --csv -o comm,device --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/csv" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/err")" 'device is not known' "an unknown column"
expect_eq "$(sort -u "$tmp/csv")" '"dw_server",""
comm,device' "an unknown column: $(<"$tmp/csv")"

# An address of IPv6 is in brackets before a port.
"$dwire" udpsnoop -6 --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/text" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/text")" ' \[::1\]:[0-9]+ +-> +\[::1\]:[0-9]+ ' "udpsnoop -6: $(<"$tmp/text")"

# On a terminal names are whole where there is room, and columns go where there is none.
on_terminal() { # COLUMNS TOOL…
	script -qec "stty cols $1; $dwire ${*:2} --netns $NETNS --everyone --command $tmp/traffic" /dev/null </dev/null 2>&1 | tr -d '\r'
}
expect_match "$(on_terminal 80 tcplife)" '^Tracing.*
PID +COMM     LADDR' "tcplife at 80 columns"
expect_match "$(on_terminal 120 tcplife)" '
PID +COMM {13}LADDR' "tcplife at 120 columns"
expect_eq "$(on_terminal 80 tcpstates | awk 'length > 80')" "" "tcpstates at 80 columns"
expect_match "$(on_terminal 120 tcpstates)" 'SKADDR +C-PID' "tcpstates at 120 columns"
