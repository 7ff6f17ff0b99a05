# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# dwire on with a tool that is a screen: rows of all machines by host, exact sums, which machines report; plain text
# with -b and into a pipe. A machine that stands still, comes back, and is killed; one that cannot be reached.
. "$here/lib/screen.lib"
. "$here/lib/fleet.lib"
fleet_new 3
screen_traffic "${NODES[0]}"
terminal 100 24
of="-P 7000" # each machine is a namespace, but sees the traffic of the first
run="$dwire on --through 'ip netns exec %h' --dwire $dwire $FLEET,nosuch tcptop"
traces() { # NODE: its dwire
	local pid
	for pid in $(pgrep -f -- "--until-eof=[0-9]+ tcptop --emit"); do
		[ "$(stat -L -c %i "/proc/$pid/ns/net")" = "$(stat -L -c %i "/run/netns/$1")" ] &&
			[ "$(stat -L -c %i "/proc/$pid/exe")" = "$(stat -L -c %i "$dwire")" ] && echo "$pid"
	done
}
save() { # NAME
	keys w C-u
	tmux_ send-keys -l "$1"
	keys Enter
}

# All bytes of an interval, on each machine; an interval may end in their midst: then once more.
want=$((2 * 8192 * (30 * 31 / 2 + 3))) # received and sent
type_line "$run $of 2"
shows "^ tcptop on dwt$$-m.1-3.,nosuch every 2 s" "the screen of a fleet"
shows "^ 3 of 4 hosts report; missing: nosuch" "who reports"
for try in {1..8}; do
	kill -USR1 "$talker"
	shows "TX_BYTES +[1-9]" "rows" || break
	keys Space
	shows "PAUSED" "pause"
	save "$tmp/try$try.json"
	sums=$(jq -s -c 'group_by(.host) | map([.[0].host, (map(.rx_bytes + .tx_bytes) | add)])' "$tmp/try$try.json")
	all=$(printf '["%s",%d],' "${NODES[0]}" $want "${NODES[1]}" $want "${NODES[2]}" $want)
	[ "$sums" = "[${all%,}]" ] && break
	printf 'once more: %s\n' "$sums"
	keys Space
	sleep 2
done
expect_eq "$sums" "[${all%,}]" "bytes of each machine"
expect_match "$(line 1)" " PAUSED every 2 s 198 rows " "rows of all machines"
expect_match "$(line 3)" "RX_BYTES +11.0M .* TX_BYTES +11.0M " "sums of all"
expect_match "$(line 4)" "^HOST +ZONE +PID COMM +LADDR" "the machine is a column"
keys g h o s t Enter
expect_match "$(line 1)" " 3 rows grouped" "groups by machine"
expect_match "$(screen)" "^${NODES[1]} +3.7M +3.7M +66|
${NODES[1]} +3.7M +3.7M +66" "the sums of a machine"
keys Escape Space

# A machine stands still, and goes on; one is killed.
slow=$(traces "${NODES[1]}")
kill -STOP "$slow"
shows "^ 2 of 4 hosts report; missing: nosuch; silent: ${NODES[1]}" "a machine that stands still"
kill -CONT "$slow"
shows "^ 3 of 4 hosts report; missing: nosuch" "it goes on"
kill -KILL "$(traces "${NODES[2]}")"
shows "^ 2 of 4 hosts report; missing: nosuch; ended early: ${NODES[2]}" "a machine that was killed"
keys q
restored 0 "q"
for _ in {1..20}; do [ -z "$(pgrep -f -- "--until-eof=[0-9]+ tcptop --emit")" ] || sleep 0.1; done
expect_eq "$(pgrep -f -- "--until-eof=[0-9]+ tcptop --emit")" "" "traces that are left"

# Values that are never taken back: the last ones of a silent machine stay, and its name says so.
cat >stay.d <<'D'
#pragma D option quiet
dtrace:::BEGIN { @n["n"] = sum(5); }
tick-500ms { printa(@n); }
D
type_line "$dwire on --emit --by host --through 'ip netns exec %h' --dwire $dwire ${FLEET%3]}2] -s stay.d 2>/dev/null | ${dwire%/*}/dwire-live"
shows "^ 2 of 2 hosts report *$" "machines of a script"
shows "^${NODES[1]} +n +5" "its rows"
kill -STOP "$(there "${NODES[1]}")"
shows "^${NODES[1]} .silent. +n +5" "the last values of a machine that stands still"
kill -CONT "$(there "${NODES[1]}")"
shows "^${NODES[1]} +n +5" "it reports again"
keys q
restored 0 "q"

# Plain text.
for how in "$run -b $of 1" "$run $of 1 9" "$run $of 1 | cat"; do
	type_line "$how"
	shows "TCPin: +[0-9]+ Kb" "$how"
	[ -z "$(pgrep -P "$shell" -x dwire-live)" ] || fail "$how: a screen"
	keys C-c
	restored "[0-9]+" "$how"
	clear_screen
done
