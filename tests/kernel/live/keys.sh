# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 90
# The live screen in a terminal: what keys do, what is on the screen, and the terminal as it was at the end. Traffic
# with known bytes is made once, the screen is frozen, and the rest is about these rows.
. "$here/lib/screen.lib"

netns_new live
screen_traffic "$NETNS"
terminal 80 24

# --- a frozen screen with known numbers ---------------------------------------------------------------------------
save() { # NAME
	keys w C-u
	tmux_ send-keys -l "$1"
	keys Enter
}
freeze() { # TOOL: the traffic as its rows, and pause. An interval may end in the midst of it: then once more.
	local try want=$((8192 * (30 * 31 / 2 + 3)))
	type_line "$dwire $1 2 --netns $NETNS"
	shows "^ $1 " "the screen of $1" || return
	for try in 1 2 3 4 5; do
		kill -USR1 "$talker"
		shows "TX_BYTES +[1-9]" "rows of $1" || return
		keys Space
		shows "PAUSED" "pause"
		save "$tmp/try$try.json"
		[ "$(jq -s 'map(.rx_bytes, .tx_bytes) | add' "$tmp/try$try.json")" = $((2 * want)) ] && return
		printf 'once more: %s\n' "$(line 2)"
		keys Space
		sleep 2
	done
	fail "sums of all bytes (try $try): $(screen)"
}
freeze tcptop
expect_match "$(line 1)" "^ tcptop PAUSED every 2 s 66 rows .* [0-9:]{8}$" "the first line"
expect_match "$(line 2)" "RX_BYTES +3.7M .* TX_BYTES +3.7M " "sums"
expect_match "$(line 3)" "^ZONE +PID COMM +LADDR +LPORT RADDR +RPORT RX_BYTES TX_BYTES" "titles"
expect_match "$(line 4)" "server +127.0.0.1 +7000 127.0.0.1 +[0-9]+ +240.0K +0B" "the greatest RX_BYTES"
keys Right
expect_match "$(line 4)" "t30 +127.0.0.1 +[0-9]+ 127.0.0.1 +7000 +0B +240.0K" "the greatest TX_BYTES"
expect_match "$(line 5)" "t29 .* 232.0K" "the next"
keys r
expect_match "$(line 4)" "server .* 0B( |$)" "the least TX_BYTES"
keys r 3
expect_match "$(line 4)" "a.xe2.x80.xaeb" "by the name: a character that turns the text around is escaped"
expect_match "$(screen)" "e.x1b.31mvil" "an escape sequence in a name"
keys End
expect_match "$(line 23)" "日本語 +127.0.0.1 +[0-9]+ 127.0.0.1 +7000 +0B" "a wide name, and what stands behind it"
column=$(line 22) column=${column%%127.0.0.1*}
wide=$(line 23) wide=${wide%%127.0.0.1*}
expect_eq "$((${#wide} + 3))" "${#column}" "columns behind three wide characters"
keys PPage
expect_match "$(line 23)" " t[0-9]+ " "a page up"
keys Home
expect_match "$(line 4)" "a.xe2.x80.xaeb" "Home"
keys 9
expect_match "$(line 4)" "t30 .* 240.0K" "the digit of a column"

# --- filter -------------------------------------------------------------------------------------------------------
keys / t 0 7
expect_match "$(line 1)" " 1 row filter: t07" "a filter while it is typed"
expect_match "$(line 4)" "t07 .* 56.0K" "its row"
expect_match "$(line 24)" "^filter: t07" "the prompt"
expect_eq "$(line 5)" "" "no other row"
keys BSpace
expect_match "$(line 1)" " 9 rows filter: t0" "a character less"
keys Escape
expect_match "$(line 1)" " 66 rows  " "Escape"
filter() {
	keys /
	tmux_ send-keys -l "$1"
	keys Enter
}
filter "tx_bytes>200k !t28" # t26, t27, t29, t30; t25 has 200 KB
expect_match "$(line 1)" " 4 rows " "a number with a unit, and a word that must not be there"
keys Escape
filter "comm=日本"
expect_match "$(line 1)" " 1 row " "a wide word"
keys Escape
filter "rport=7000 t"
keys Escape

# --- groups and files -----------------------------------------------------------------------------------------------
keys g
tmux_ send-keys -l "zone,comm"
keys Enter
expect_match "$(line 1)" " 34 rows grouped" "groups"
keys 3
expect_match "$(line 3)" "^ZONE +COMM +RX_BYTES TX_BYTES ROWS" "columns of groups"
expect_match "$(line 4)" "server +3.7M +0B +33( |$)" "a group: its sum, and how many rows it has"
keys g n o p e Enter
expect_match "$(line 24)" "no column nope" "a column that is not there"
keys Escape
expect_match "$(line 1)" " 66 rows  " "no groups"
save "$tmp/rows.csv"
expect_match "$(line 24)" "66 rows saved" "saved"
expect_eq "$(head -n 1 "$tmp/rows.csv")" '"zone","pid","comm","laddr","lport","raddr","rport","rx_bytes","tx_bytes"' "CSV"
expect_eq "$(awk -F, '{ s += $NF } END { print NR, s }' "$tmp/rows.csv")" "67 $((3744 * 1024))" "rows of CSV: whole numbers"
save "$tmp/rows.csv"
expect_match "$(line 24)" "cannot save .*: File exists" "a file that is there stays"
save "$tmp/rows.json"
expect_eq "$(jq -s 'map(.tx_bytes) | add' "$tmp/rows.json")" $((3744 * 1024)) "rows of JSON"
expect_eq "$(jq -r 'select(.tx_bytes == 240 * 1024).comm' "$tmp/rows.json")" t30 "a row of JSON"

# --- sizes, help, tools for a row -------------------------------------------------------------------------------------
keys h
expect_match "$(line 2)" "^ Left Right +the column to sort by" "help"
resize 40 10
shows "^ Left Right  the column to sort by," "help in 40 columns"
expect_match "$(line 3)" "^ +to see" "its lines are not cut"
keys x 9
expect_match "$(line 2)" "LADDR +LPORT RADDR|RADDR +RPORT RX_BYTES TX_BYTES" "titles in 40 columns"
expect_match "$(line 3)" " 240.0K$" "the column that sorts is seen"
expect_eq "$(screen | grep -c '^.\{41\}') $(screen | wc -l)" "0 10" "nothing beyond 40x10"
resize 80 24
shows "PID COMM +LADDR +LPORT RADDR +RPORT RX_BYTES TX_BYTES" "80 columns again"
keys 9 Home
port=$(line 4 | grep -o ' t30 .*' | awk '{ print $3 }')
keys Enter
expect_match "$(screen)" "sotrace +its life, event by event: -p [0-9]+ -L [0-9]+ -D 7000 --host" "tools for a row"
keys Down Enter
shows "^ › tcpsnoop" "the tool that was opened"
for _ in {1..20}; do # until its probes are attached
	kill -USR1 "$talker"
	sleep 0.3
	screen | grep -q " 7000 " && break
done
shows " 7000 .* $port |$port .* 7000 " "its rows"
expect_eq "$(screen | grep " 7000 " | grep -cv "$port")" 0 "rows of other connections"
keys q
shows "^ tcptop PAUSED every 2 s 66 rows" "back"

# --- the end ----------------------------------------------------------------------------------------------------------
keys q
restored 0 "q"
