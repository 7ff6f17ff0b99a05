# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 90
# dwire ss on a terminal: the sockets as they are, walked over again in each interval. What is closed goes, what is opened
# comes, and the bytes of a connection are the kernel's; intervals may be fractions of a second; more sockets than the
# screen has room for are counted.
. "$here/lib/screen.lib"

netns_new live
cat >keep.py <<'END'
import os, signal, socket
open("/proc/self/comm", "w").write("keeper")
server = socket.create_server(("127.0.0.1", 7000))
pairs = []
def pair():
    a = socket.create_connection(("127.0.0.1", 7000))
    pairs.append((a, server.accept()[0]))
    a.sendall(b"x" * 5000)
    pairs[-1][1].recv(3000)
for _ in range(3):
    pair()
many = []
def step(n):
    if n == signal.SIGUSR1:
        for s in pairs.pop(0):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            s.close()
    elif n == signal.SIGUSR2:
        pair()
    else:
        for i in range(12000):
            many.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            many[-1].bind(("127.0.0.2", 20000 + i))
    open("ready", "w").close()
# Blocked and waited for: a signal that comes between two waits is kept.
signals = signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
open("ready", "w").close()
while True:
    step(signal.sigwait(signals))
END
ulimit -n 13000 || skip "13000 open files are not allowed"
ip netns exec "$NETNS" python3 keep.py &
talker=$!
step() { # SIGNAL
	rm -f ready
	kill "-$1" "$talker"
	wait_for ready
}
wait_for() { # FILE
	local i
	for ((i = 0; i < 200; i++)); do
		[ -e "$1" ] && return
		sleep 0.05
	done
	fail "no $1"
}
wait_for ready
terminal 200 60

# --- sockets come and go -------------------------------------------------------------------------------------------
type_line "$dwire ss -a --netns $NETNS"
shows "^ ss every 1 s 7 rows" "a listener, and both ends of three connections"
expect_match "$(line 2)" " SENT +14.7K .* RECEIVED +14.6K" "sums: 3 x 5000 bytes"
expect_eq "$(screen | grep -c "keeper ESTABLISHED +2000 " -E)" 3 "ends with 2000 bytes that nobody has read"
step USR1
shows "^ ss every 1 s 5 rows" "a connection was closed"
step USR2
step USR2
shows "^ ss every 1 s 9 rows" "two were opened"
expect_match "$(line 2)" " SENT +19.5K .* RECEIVED +19.5K" "sums"
keys g
tmux_ send-keys -l "comm,state"
keys Enter
shows "^keeper ESTABLISHED +19.5K +19.5K +0 +0 +8( |$)" "a group"
shows "^keeper LISTEN +- +- +- +0 +1( |$)" "another"
keys Escape

# --- what fits a row ------------------------------------------------------------------------------------------------
keys / L I S T E N Enter
shows "^ ss every 1 s 1 row filter" "the listener"
keys Enter
expect_match "$(screen)" "sotrace .*: -p $talker -L 7000[[:space:]]" "tools for it"
[[ $(screen) =~ "--host" ]] && fail "a listener has no peer: $(screen)"
[[ $(screen) =~ udpsnoop ]] && fail "a tool of UDP for a TCP socket: $(screen)"
keys q Escape

# --- intervals ------------------------------------------------------------------------------------------------------
keys -
shows "^ ss every 0.5 s 9 rows" "the key -"
keys - -
shows "^ ss every 0.1 s 9 rows" "the least"
keys +
shows "^ ss every 0.2 s 9 rows" "the key +"
keys i C-u 0 . 2 5 Enter
shows "^ ss every 0.25 s 9 rows" "a number"
keys i C-u 0 Enter
shows "an interval is 0.1 to 86400 seconds" "0"
keys i C-u 2 Enter
shows "^ ss every 2 s 9 rows" "whole seconds"

# --- many, and small terminals -----------------------------------------------------------------------------------------
step ALRM
shows "^ ss every 2 s 10000 rows" "as many as there is room for"
shows "^2009 rows more than there is room for" "and the others"
keys End
expect_match "$(line 59)" "[0-9]" "the last row"
resize 40 10
shows "^ ss every 2 s 10000 rows" "40x10"
expect_eq "$(screen | grep -c '^.\{41\}') $(screen | wc -l)" "0 10" "nothing beyond 40x10"
keys q
restored 0 "q"

# --- plain ----------------------------------------------------------------------------------------------------------------
"$dwire" ss -t -a --netns "$NETNS" 0.2 3 >out 2>err || fail "status $?: $(<err)"
expect_eq "$(grep -c ' keeper ' out)" 27 "three reports of nine sockets"
expect_eq "$(grep -cE '^[0-9:]{8}  interval [23]$' out)" 2 "titles between them"
"$dwire" ss -t -a --netns "$NETNS" --json 0.2 3 >out 2>err || fail "status $?: $(<err)"
expect_eq "$(jq -c .interval out | uniq -c | xargs)" "9 1 9 2 9 3" "numbers of reports"
