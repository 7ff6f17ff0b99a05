# SPDX-License-Identifier: GPL-2.0-or-later
# tcpstate.d of the reference, unmodified: a line for each change, in order, with the states and the time since the
# connection's last change, which the trigger's sleeps bound from below.
script=$here/../../../shared/scripts/tcpstate.d
[ -r "$script" ] || skip "no folder shared/scripts beside the repository"

spelled() { # STATES: as tcp_state_string has them, a line a change: "OLD -> NEW"
	local old= s
	for s in ${1//,/ }; do
		s=state-$(tr 'A-Z_' 'a-z-' <<<"$s")
		s=${s/%-close/-closed} s=${s/%-recv/-received}
		[ -z "$old" ] || echo "$old -> $s"
		old=$s
	done
}

# Changes of other connections of the machine come between: a run without them is exact.
for try in 1 2 3 4 5; do
	command_file tcp_states -s client
	"$dwire" -s "$script" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err" || fail "dwire failed: $(<"$tmp/err")"
	sed 1d "$tmp/out" | awk 'NF { print $3, $4, $5 }' | sort >"$tmp/got"
	{
		spelled "$(value_of listener_states)"
		spelled "$(value_of client_states)"
		spelled "$(value_of server_states)"
	} | sort >"$tmp/want"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" && break
done
grep -q '^<' "$tmp/diff" || [ ! -s "$tmp/diff" ] || skip "other connections on this machine never stopped to change"
expect_eq "$(<"$tmp/diff")" "" "changes (< the trigger's), try $try"
expect_eq "$(head -n 1 "$tmp/out")" " CPU    DELTA(us)  OLD                     NEW                 " "the heading"
# a line: CPU 4 columns, the time 12, the states 20 each
expect_eq "$(sed 1d "$tmp/out" | grep -vcE '^ +[0-9]+ {1,12}([0-9]+|-)  [a-z0-9-]+ * -> [a-z0-9-]+ *$')" \
	"$(sed 1d "$tmp/out" | grep -c '^$')" "lines of another form"
# three connections begin with no time before
expect_eq "$(awk '$2 == "-"' "$tmp/out" | wc -l)" 3 "first changes"
# the server waits 250 ms before it closes too
elapsed=$(awk '$3 == "state-close-wait" && $5 == "state-last-ack" { print $2 }' "$tmp/out")
expect_ge "$elapsed" 200000 "time in close-wait"
expect_le "$elapsed" 5000000 "time in close-wait"
