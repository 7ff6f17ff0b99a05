# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# dwire-export --default: what is fetched is what a trigger did; Prometheus takes it; nobody's privileges do; nothing is
# left when it ends, however it ends.
export=${dwire%/*}/dwire-export
[ -x "$export" ] || skip "dwire-export was not built"
PATH=${dwire%/*}:$PATH
netns_new watch # where the metrics are fetched: that is no traffic of the other one
watch=$NETNS
netns_new web
port=9435

fetch() { # FILE [HEADER]: what the exporter in the namespace shows
	ip netns exec "$watch" python3 - "$port" "${2-text/plain}" >"$1" <<'PY'
import sys, urllib.request
request = urllib.request.Request("http://localhost:%s/metrics" % sys.argv[1], headers={"Accept": sys.argv[2]})
answer = urllib.request.urlopen(request, timeout=10)
sys.stderr.write(answer.headers["Content-Type"])
sys.stdout.write(answer.read().decode())
PY
}
value() { # FILE NAME-AND-LABELS: the number
	sed -n "s/^$2 //p" "$1"
}
until_up() {
	for _ in {1..100}; do
		fetch "$1" 2>/dev/null && grep -q '^dwire_trace_up{.*} 1' "$1" && return
		sleep 0.1
	done
	fail "it does not answer: $(<errors)"
}

# A trace of that namespace alone.
"$export" --script >default.d
sed -E "s/^\/ (.*)/\/ args[1]->cs_netns == $NETNS_ID \&\& (\1/; s/^(\/.*) \/$/\1) \//" default.d >mine.d
sed -i -E "/^tcp:::(accept-refused|listen-overflow|resend|reset-sent|reset-received)$/{n;s/^\{/\/ args[1]->cs_netns == $NETNS_ID \/\n{/}" mine.d
ip netns exec "$watch" "$export" dwire --emit -s mine.d 2>errors &
pid=$!
until_up before
grep -q 'Uid:[[:space:]]65534' /proc/$pid/status || fail "it kept its user: $(grep Uid /proc/$pid/status)"
grep -q 'CapEff:[[:space:]]0*$' /proc/$pid/status || fail "it kept privileges"
late=$(ip netns exec "$NETNS" python3 - <<'PY'
import socket, subprocess, threading, time
server = socket.create_server(("127.0.0.1", 0), backlog=64)
def serve(times, answer):
    for _ in range(times):
        connection, _ = server.accept()
        while connection.recv(100):
            pass
        connection.sendall(answer)
        connection.close()
def serving(*how):
    thread = threading.Thread(target=serve, args=how)
    thread.start()
    return thread
thread = serving(40, b"")
for _ in range(40):
    client = socket.create_connection(server.getsockname())
    client.sendall(b"x" * 70)
    client.close()
thread.join()
# Most of what these carry comes after one end was closed: half-closed connections, and answers that TCP has not sent yet.
thread = serving(10, b"y" * 1000000)
for _ in range(10):
    client = socket.create_connection(server.getsockname())
    client.sendall(b"x" * 70)
    client.shutdown(socket.SHUT_WR)
    time.sleep(0.02)
    while client.recv(65536):
        pass
    client.close()
thread.join()
port = server.getsockname()[1]
server.close()
# A first SYN that is lost, where the kernel has netfilter: the second one comes after a second.
if subprocess.run(["nft", "add table ip lose; add chain ip lose in { type filter hook input priority 0; }; "
                   "add rule ip lose in tcp flags syn drop"], capture_output=True).returncode == 0:
    server = socket.create_server(("127.0.0.1", 0))
    threading.Timer(0.3, subprocess.run, (["nft", "delete table ip lose"],)).start()
    begin = time.monotonic()
    socket.create_connection(server.getsockname()).close()
    print(int((time.monotonic() - begin) * 1e6))
    server.accept()[0].close()
    server.close()
for _ in range(7):
    try:
        socket.create_connection(("127.0.0.1", port))
    except ConnectionRefusedError:
        pass
PY
)
sleep 1.5 # a beat
fetch after 2>type
expect_eq "$(<type)" "text/plain; version=0.0.4; charset=utf-8" "type of the older format"
host=$(uname -n)
labels="{host=\"$host\",cs_container=\"\""
made=$((50 + (${late:-0} > 0)))
expect_eq "$(value after "dwire_tcp_accepts_total$labels}")" $made "connections accepted"
expect_eq "$(value after "dwire_tcp_connect_microseconds_bucket$labels,le=\"+Inf\"}")" $made "connections made"
if [ -n "$late" ]; then
	expect_eq "$(value after "dwire_tcp_connect_microseconds_bucket$labels,le=\"524287.0\"}")" 50 "connections without delay"
	[ "$late" -ge 1040000 ] || # else it may be in the next bucket
		expect_eq "$(value after "dwire_tcp_connect_microseconds_bucket$labels,le=\"1048575.0\"}")" 51 "$late us"
	expect_ge "$(value after "dwire_tcp_retransmits_total$labels,re_kind=\"syn\"}")" 1 "its SYN"
fi
expect_eq "$(value after "dwire_tcp_connect_failures_total$labels,sr_error=\"Connection refused\"}")" 7 "refused"
expect_eq "$(value after "dwire_tcp_resets_received_total$labels}")" 7 "resets"
for way in sent received; do
	expect_eq "$(value after "dwire_tcp_${way}_bytes_total$labels}")" $((50 * 70 + 10000000)) "bytes $way"
done
expect_eq "$(value after "dwire_trace_lost_frames_total{host=\"$host\"}")" 0 "frames lost"
fetch open application/openmetrics-text 2>type
expect_eq "$(<type)" "application/openmetrics-text; version=1.0.0; charset=utf-8" "type of OpenMetrics"
expect_eq "$(tail -n 1 open)" "# EOF" "its end"
if command -v promtool >/dev/null; then
	promtool check metrics <after >said 2>&1
	expect_eq "$(grep -v 'use base unit "seconds"' said)" "" "promtool" # microseconds are integers, as D's are
fi
# kill -9 of the exporter ends its trace.
child=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>killed
for _ in {1..50}; do
	[ -d /proc/"$child" ] || break
	sleep 0.1
done
[ ! -d /proc/"$child" ] || fail "the trace goes on"
# SIGTERM ends both, with a status.
ip netns exec "$watch" "$export" --listen localhost:9436 dwire --emit -n 'tick-1s { @ = count(); }' 2>errors &
pid=$!
port=9436
until_up later
kill $pid
wait $pid
expect_eq $? 0 "status after SIGTERM: $(<errors)"
# Two at one port: the second says why it cannot.
ip netns exec "$watch" python3 -m http.server 9437 --bind 127.0.0.1 >/dev/null 2>&1 &
for _ in {1..50}; do
	ip netns exec "$watch" ss -Hltn 'sport = 9437' | grep -q . && break
	sleep 0.1
done
ip netns exec "$watch" "$export" --listen 127.0.0.1:9437 dwire --emit -n BEGIN 2>errors
expect_eq $? 1 "a port that is taken"
grep -q 'cannot listen at 127.0.0.1:9437: Address already in use' errors || fail "its message: $(<errors)"
