# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# tcpsnoop -w: a file, or a pipe to tshark; -s; several files by size and by time; what becomes of segments and
# connections in the log; SIGINT leaves a whole file; a full disk, a reader that ends; wrong use.
# timeout: 120
need tshark capinfos
netns_new tool
only=(--netns "$NETNS")

traffic() { # COMMANDS
	printf 'exec >%q\n%s\n' "$tmp/trigger" "$1" >"$tmp/traffic"
}
snoop() { # OPTIONS… : tcpsnoop while the commands in $tmp/traffic run; sets STATUS, ERR
	"$dwire" tcpsnoop "${only[@]}" "$@" --everyone --command "ip netns exec $NETNS $BASH $tmp/traffic" >"$tmp/out" 2>"$tmp/err"
	STATUS=$?
	ERR=$(<"$tmp/err")
}
fields() { # FILE FIELD…
	local f=$1
	shift
	tshark -r "$f" -Y tcp -T fields "${@/#/-e}" 2>/dev/null
}

traffic 'tcp_echo -4 -n 1 -c 1 -k 100; tcp_refused -6 -n 1'
snoop -w "$tmp/a.pcapng"
expect_eq "$STATUS $ERR$(<"$tmp/out")" "0 " "exit status, messages, standard output"
n=$(fields "$tmp/a.pcapng" frame.number | wc -l)
expect_ge "$n" 20 "packets"
fields "$tmp/a.pcapng" frame.packet_flags_direction | sort | uniq -c | awk '{ print $1 }' | sort -u >"$tmp/ways"
expect_eq "$(<"$tmp/ways")" $((n / 2)) "packets of each direction"
fields "$tmp/a.pcapng" frame.packet_id | sort | uniq -c | awk '{ print $1 }' | sort -u >"$tmp/ids"
expect_eq "$(<"$tmp/ids")" 2 "times that an id is seen: sent and received"
tshark -r "$tmp/a.pcapng" -Y 'frame contains "MESSAGE=state"' 2>/dev/null >"$tmp/states"
expect_ge "$(wc -l <"$tmp/states")" 8 "state changes in the log"
expect_ge "$(strings -a "$tmp/a.pcapng" | grep -c '^MESSAGE=state 127.0.0.1:.* ESTABLISHED > ')" 2 "... that say what"

snoop -w - -s 60
tshark -r "$tmp/out" 2>"$tmp/warnings" >/dev/null
expect_eq "$(fields "$tmp/out" frame.cap_len | sort -n | tail -n 1)" 80 "-s 60, and 20 bytes of head"
mkfifo "$tmp/fifo"
tshark -l -i - -Y 'tcp.len == 100' -T fields -e tcp.len <"$tmp/fifo" >"$tmp/live" 2>/dev/null &
"$dwire" tcpsnoop "${only[@]}" -w - --everyone --command "ip netns exec $NETNS $BASH $tmp/traffic" 2>"$tmp/err" >"$tmp/fifo"
wait $!
expect_eq "$(sort "$tmp/live" | uniq -c | awk '{ print $1, $2 }')" "4 100" "segments that a reader sees: sent and received, twice"

# -C, -W: names as tcpdump has them; each file can be read.
traffic 'tcp_echo -4 -n 6 -c 4 -k 60000'
snoop -w "$tmp/c" -C 1
expect_ge "$(ls "$tmp"/c* | wc -l)" 3 "files of a million bytes"
expect_eq "$(cd "$tmp" && ls c c1 c2 | tr '\n' ' ')" "c c1 c2 " "their names"
for f in "$tmp"/c*; do
	capinfos -c "$f" >/dev/null 2>"$tmp/err" || fail "$f: $(<"$tmp/err")"
done
snoop -w "$tmp/w" -C 1 -W 2
expect_eq "$(cd "$tmp" && ls w[0-9]* | tr '\n' ' ')" "w0 w1 " "files in turn"
traffic 'sleep 20'
snoop -w "$tmp/g%s" -G 1 -W 2
expect_eq "$STATUS$(cd "$tmp" && ls g* | wc -l)" 02 "two files of a second each, then the end"

# SIGINT
traffic 'tcp_echo -4 -n 1; kill -INT $(<"$tmp/pid"); sleep 20'
export tmp
("$BASH" -c 'echo $$ >"$tmp/pid"; exec "$@"' - "$dwire" tcpsnoop "${only[@]}" -w "$tmp/int" --everyone --command \
	"ip netns exec $NETNS $BASH $tmp/traffic") >"$tmp/out" 2>"$tmp/err"
capinfos -c "$tmp/int" >/dev/null 2>"$tmp/err" || fail "after SIGINT: $(<"$tmp/err")"
expect_ge "$(fields "$tmp/int" frame.number | wc -l)" 16 "packets before SIGINT"

# A disk that gets full keeps whole blocks.
mkdir "$tmp/disk"
if mount -t tmpfs -o size=256k none "$tmp/disk"; then
	traffic 'tcp_echo -4 -n 6 -c 4 -k 60000'
	snoop -w "$tmp/disk/x"
	expect_eq "$STATUS" 1 "exit status when the disk is full"
	expect_match "$ERR" 'No space left on device' "message"
	capinfos -c "$tmp/disk/x" >/dev/null 2>"$tmp/err" || fail "on a full disk: $(<"$tmp/err")"
	expect_ge "$(fields "$tmp/disk/x" frame.number | wc -l)" 5 "packets on a full disk"
	umount "$tmp/disk"
fi

# A reader that takes some and ends.
snoop -w - > >(head -c 100 >/dev/null)
for wrong in "-s 60" "-w x -W 2" "-w - -C 1" "-w x --json" "-w x -C 0"; do
	# shellcheck disable=SC2086 # options
	"$dwire" tcpsnoop $wrong >"$tmp/out" 2>"$tmp/err"
	expect_eq $? 2 "exit status of $wrong"
done
