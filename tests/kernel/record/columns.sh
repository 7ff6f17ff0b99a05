# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 120
# A replay of a tool has the columns, order and format that the live tool has with the same options, of the same traffic;
# of rows of events and of sums, which --by groups anew. The recorder of events is such a tool.
wire_new columns
cat >"$tmp/traffic" <<-END
	exec >"$tmp/traffic.out"
	set -e
	tcp_echo -4 -n 2 -c 2 -k 3000
	tcp_echo -6 -n 1 -k 70000
	sleep 0.5
END
variants=("" "-o pid,raddr,rx_bytes,zone,old" "--wide" "--json" "--csv" "--csv -o rport,comm,netns,uid,tx_bytes"
	"--json --wide" "-w" "-t -o time_s,comm")

# Each trace starts the next one as its command; the last one starts the traffic. What differs between two traces of the
# same connection are times.
without_times() {
	sed -E 's/"time":"[^"]*"/T/; s/^"[0-9T:.+-]*"/T/; s/"ms":[0-9.]*/MS/; s/^ *([0-9]+\.[0-9]{3}) /T /; s/,[0-9]+\.[0-9]{2},([01])/,MS,\1/
		s/ *[0-9]+\.[0-9]{2}$/ MS/; s/^[0-9]{2}:[0-9]{2}:[0-9]{2} /T /' "$1"
}
live() { # TOOL VARIANT...: all of them and a recording at the same time
	local tool=$1 i=0 command="ip netns exec $NETNS $BASH $tmp/traffic"
	shift
	for options; do
		echo "exec '$dwire' $tool --netns $NETNS $options --everyone --command '$command' >'$tmp/live.$i'" >"$tmp/run.$i"
		command="$BASH $tmp/run.$i"
		i=$((i + 1))
	done
	rm -rf "$tmp/rec"
	"$dwire" record -o "$tmp/rec" $tool --netns "$NETNS" --everyone --command "$command" >"$tmp/out" \
		2>"$tmp/err" || fail "record $tool: $(<"$tmp/err")"
	i=0
	for options; do
		"$dwire" replay "$tmp/rec" ${options/#-w/} >"$tmp/replayed" 2>"$tmp/err" ||
			fail "replay $options: $(<"$tmp/err")"
		[ "$options" = -w ] || diff <(without_times "$tmp/live.$i") <(without_times "$tmp/replayed") >"$tmp/diff" ||
			fail "$tool $options: $(head -n 6 "$tmp/diff")"
		i=$((i + 1))
	done
}
PATH=$triggers:$PATH
live tcplife "${variants[@]}"
expect_eq "$(grep -c '^[0-9]' "$tmp/live.0")" 6 "connections, both ends"
live "socketio -n 100" "" "--by comm" "--json" "--csv --by comm,rport" "-o pid,bytes,netns" "--wide" "-o count"
expect_ge "$(wc -l <"$tmp/live.0")" 6 "rows of sums"

"$dwire" replay "$tmp/rec" -o pid,device 2>"$tmp/err" && fail "a column that was not recorded"
expect_match "$(<"$tmp/err")" "-o: no column device" "which"
"$dwire" replay "$tmp/rec" --emit | "$dwire" merge >"$tmp/merged"
"$dwire" replay "$tmp/rec" >"$tmp/replayed"
cmp "$tmp/merged" "$tmp/replayed" || fail "the frames differ"
"$dwire" record -o "$tmp/rec" tcplife -o pid 2>"$tmp/err"
expect_eq $? 2 "columns are the replay's"
expect_match "$(<"$tmp/err")" "a recording takes no -o" "why"

# The default recorder.
"$dwire" record -o "$tmp/all" -c "ip netns exec $NETNS $BASH $tmp/traffic" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
"$dwire" replay "$tmp/all" -o event,netns,comm,detail | # an event of the whole machine
	grep -c "^state  *$NETNS_ID  *dw_client  *SYN_SENT ESTABLISHED\$" >"$tmp/n"
expect_eq "$(<"$tmp/n")" 3 "connections that opened"
"$dwire" replay "$tmp/all" --json | python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
assert sum(r["event"] == "state" and r["detail"] == "CLOSE SYN_SENT" for r in rows) >= 3, len(rows)
assert all(r["value"] is None for r in rows if r["event"] == "state")' || fail "rows as JSON"

# A script has no columns.
"$dwire" record -o "$tmp/script" -n 'BEGIN { printf("a row\n"); exit(0); }' 2>"$tmp/err" || fail "$(<"$tmp/err")"
"$dwire" replay "$tmp/script" -o pid 2>"$tmp/err"
expect_eq $? 2 "columns of a script"
expect_match "$(<"$tmp/err")" "no columns to choose from" "why"
