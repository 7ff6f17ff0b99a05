# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Namespaces as machines: what traces of each of them emit, merged, is byte for byte what one trace of all of them prints.
cat >all.d <<'D'
#pragma D option quiet
dtrace:::BEGIN { printf("go\n"); }
tcp:::send, tcp:::receive
/args[1]->cs_netns == $1 || args[1]->cs_netns == $2 || args[1]->cs_netns == $3/
{
	@n[probename, args[4]->tcp_dport > 1023 ? 1 : 0] = count();
	@bytes = sum(args[2]->ip_plength);
	@least["least"] = min(args[2]->ip_plength);
	@most["most"] = max(args[2]->ip_plength);
	@mean[args[2]->ip_ver] = avg(args[2]->ip_plength);
	@spread = stddev(args[2]->ip_plength);
	@sizes[args[2]->ip_saddr] = quantize(args[2]->ip_plength);
	@steps = lquantize(args[2]->ip_plength, 0, 200, 20);
	@wide = llquantize(args[2]->ip_plength, 10, 0, 4, 10);
}
dtrace:::END { printf("by name\n"); printa("%s %d %@d\n", @n); normalize(@bytes, 2); printa("%@d half\n", @bytes); }
D
ids=() names=() pids=()
for i in 1 2 3; do
	netns_new "m$i"
	ids+=("$NETNS_ID") names+=("$NETNS")
done
begun() { # FILE: has the trace written something of its BEGIN?
	for _ in {1..100}; do
		grep -q '^go$\|"f":"rows*"' "$1" && return
		sleep 0.1
	done
	fail "no BEGIN in $1"
}
for i in 0 1 2; do
	"$dwire" --emit -s all.d "${ids[i]}" "${ids[i]}" "${ids[i]}" >"stream$i" 2>"err$i" &
	pids+=($!)
done
"$dwire" -s all.d "${ids[@]}" >one 2>errone &
pids+=($!)
for f in stream0 stream1 stream2 one; do begun $f; done
for i in 0 1 2; do
	ip netns exec "${names[i]}" "$triggers/tcp_echo" -4 -n $((i + 1)) >/dev/null || fail "traffic"
	ip netns exec "${names[i]}" "$triggers/tcp_echo" -6 -n 2 >/dev/null || fail "traffic"
done
kill -INT "${pids[@]}"
wait "${pids[@]}"
"$dwire" merge stream0 stream1 stream2 >merged 2>err || fail "merge: $? $(<err)"
expect_eq "$(<err)" "" "messages of the merge"
# ^C ends the line of what one trace prints to a terminal; streams have no such line.
expect_eq "$(sed -n '/^by name/,$p' merged)" "$(sed -n '/^by name/,$p' one)" "merged streams of three namespaces"
expect_ge "$(grep -c . merged)" 30 "lines of it"

# Two by two, as a tree, in any order; mixed on the standard input.
"$dwire" merge --emit stream2 stream0 >tree 2>err || fail "a tree: $(<err)"
expect_eq "$("$dwire" merge stream1 tree)" "$(<merged)" "a tree of merges"
expect_eq "$(sort stream0 stream1 stream2 | "$dwire" merge)" "$(<merged)" "mixed lines"

# By host; a machine with another script, one that ended early, one that is no stream.
host=$(uname -n)
expect_eq "$("$dwire" merge --by host stream0 stream1 | grep -c "^ *$host  *\(send\|receive\) ")" 2 "rows by host"
"$dwire" --emit -q -n 'BEGIN { @other = count(); exit(3); }' >other 2>/dev/null
"$dwire" merge stream0 other >with 2>err
expect_eq "$? $(<with)" "1 $("$dwire" merge stream0)" "another script changes nothing"
expect_match "$(<err)" "it runs another script; it is left out" "and is reported"
head -n -1 stream1 >cut
"$dwire" merge stream0 cut stream2 >with 2>err
expect_eq "$? $(<with)" "1 $(<merged)" "a stream without its end"
expect_match "$(<err)" "$host: its stream ended early; its last values stay"$'\n'".*2 of 3 sources are complete" "and its report"
expect_eq "$("$dwire" merge other >/dev/null 2>&1; echo $?)" 3 "the status of the trace"
expect_eq "$("$dwire" merge --by nosuch 2>&1 >/dev/null | head -n 1)" "dwire: merge: --by takes host" "--by nosuch"
expect_eq "$("$dwire" merge </dev/null 2>&1; echo $?)" "dwire: warning: no stream was read"$'\n'1 "no stream"
head -c 3000 /dev/urandom >rubbish
expect_eq "$("$dwire" merge rubbish stream0 stream1 stream2 2>/dev/null)" "$(<merged)" "rubbish beside streams"

# An ordinary user may merge, and a reader that goes away ends it.
setpriv --reuid 65534 --regid 65534 --clear-groups "$dwire" merge <stream0 >user 2>err || fail "as a user: $(<err)"
timeout 10 "$dwire" merge stream0 | head -n 1 >/dev/null
expect_eq "${PIPESTATUS[0]}" 0 "a reader that is gone"
