# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The neigh provider and neighsnoop on a veth pair, IPv4 and IPv6: an address that answers, one that does not, and a
# request that waits in a slow device's queue.
netns_new a && a=$NETNS na=$NETNS_ID
netns_new b && b=$NETNS
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev n <<<"$end"
	ip -n "$ns" addr add "10.78.3.$n/24" dev "$dev"
	ip -n "$ns" addr add "fd00:d:78::$n/64" dev "$dev" nodad
	ip -n "$ns" link set "$dev" up
done
# two questions, 50 ms apart
ip netns exec "$a" sh -c 'for v in ipv4 ipv6; do
	echo 2 >/proc/sys/net/$v/neigh/va/mcast_solicit; echo 50 >/proc/sys/net/$v/neigh/va/retrans_time_ms; done'
answered=20 no_answer=200 questions=12 # milliseconds, milliseconds; of a neighbour that comes late
! slow_machine || { answered=1000 no_answer=3000 questions=60; }
lladdr=$(ip -n "$b" -br link show vb | awk '{ print $3 }')

clause="neigh:::request, neigh:::resolved, neigh:::failed /args[3]->if_ipstack == $na/ { printf(\"%s if=%s ver=%d addr=%s ll=%s state=%s queued=%d ms=%d pid=%d\\n\", probename,
	args[3]->if_name, args[4]->ne_ver, args[4]->ne_addr, args[4]->ne_lladdr, args[4]->ne_statestr, args[4]->ne_queued,
	args[4]->ne_time / 1000000, args[1]->cs_pid); }"
ask() {
	local i
	for i in 10.78.3.2 10.78.3.7 fd00:d:78::2 fd00:d:78::7; do udp_send -a $i -n 2; done
	sleep 0.3
}
declare -f ask >"$tmp/ask"
echo ask >>"$tmp/ask"

again() { # what was asked is forgotten
	ip -n "$a" neigh flush all
	ip -n "$a" neigh flush all nud failed
}

trace_in "$a" "$clause" "$BASH" "$tmp/ask"
there=$OUT
for v in "4 10.78.3." "6 fd00:d:78::"; do
	read -r ver net <<<"$v"
	here="v[\"if\"] == \"va\" && v[\"ver\"] == $ver && v[\"pid\"] == -1"
	expect_count "p == \"request\" && $here && v[\"addr\"] == \"${net}2\" && v[\"state\"] == \"incomplete\"" 1 "v$ver: asked"
	expect_count "p == \"resolved\" && $here && v[\"addr\"] == \"${net}2\" && v[\"ll\"] == \"$lladdr\" && v[\"state\"] == \"reachable\" &&
		v[\"queued\"] == 1 && v[\"ms\"] < $answered" 1 "v$ver: answered"
	expect_count "p == \"request\" && $here && v[\"addr\"] == \"${net}7\"" 1 "v$ver: asked, who is not there"
	expect_count "p == \"failed\" && $here && v[\"addr\"] == \"${net}7\" && v[\"ll\"] == \"\" && v[\"state\"] == \"failed\" &&
		v[\"ms\"] >= 100 && v[\"ms\"] < $no_answer" 1 "v$ver: no answer"
done
expect_count 1 8 "nothing else: $there"

# A known neighbour is not asked for again.
trace_in "$a" "$clause" udp_send -a 10.78.3.2 -n 3
expect_eq "$OUT" "" "a known neighbour"

# The question waits behind packets in a slow queue: 1,078 ms from the first of them on (6,736 bytes are more than the burst).
ip -n "$b" addr add 10.78.3.5/24 dev vb
ip netns exec "$a" sh -c 'echo 3000 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms'
ip -n "$a" neigh replace 10.78.3.9 lladdr 02:00:00:00:00:09 dev va
tc -n "$a" qdisc add dev va root handle 7: tbf rate 50kbit burst 1600 limit 9000 || skip "no tbf"
slow() {
	local began=${EPOCHREALTIME/./}
	udp_send -a 10.78.3.9 -n 8 -k 1000
	echo >/dev/udp/10.78.3.5/9
	echo $(((${EPOCHREALTIME/./} - began) / 1000)) >took
	sleep 1.4
}
declare -f slow >"$tmp/slow"
echo slow >>"$tmp/slow"
"$dwire" neighsnoop --netns "$a" --json --everyone --command "ip netns exec $a $BASH $tmp/slow" >"$tmp/all" 2>"$tmp/err" || fail "neighsnoop: $(<"$tmp/err")"
ms=$(sed -n "s/^{\"time\":\"[^\"]*\",\"device\":\"va\",\"result\":\"resolved\",\"ms\":\([0-9]*\)\.[0-9]*,\"waited\":1,\"raddr\":\"10.78.3.5\",\"lladdr\":\"$lladdr\"[,}].*/\1/p" "$tmp/all")
expect_match "$(<"$tmp/all")" resolved "neighsnoop"
# the question is put to the queue when it is asked, so the time is what is left of the queue's, and the other's
took=$(<"$tmp/took")
expect_le "$took" 900 "ms until the question was asked"
expect_ge "${ms:-0}" $((1050 - took)) "neighsnoop: time of an answer, ms; asked after $took ms"
expect_le "${ms:-0}" 1400 "neighsnoop: time of an answer, ms"
tc -n "$a" qdisc del dev va root
ip netns exec "$a" sh -c 'echo 50 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms'

again
"$dwire" neighsnoop --netns "$a" -x --everyone --command "ip netns exec $a $BASH $tmp/ask" >"$tmp/out" 2>/dev/null
expect_eq "$(grep -c '^va *failed ' "$tmp/out")" 2 "neighsnoop -x: $(<"$tmp/out")"
expect_eq "$(grep -c '^va *resolved ' "$tmp/out")" 0 "neighsnoop -x"
again
"$dwire" neighsnoop --host 10.99.0.0/16 --everyone --command "ip netns exec $a udp_send -a 10.78.3.2" >"$tmp/out" 2>/dev/null
expect_eq "$(grep -c '^va' "$tmp/out")" 0 "neighsnoop of other hosts"

# Packets that wait: three, 60 ms apart, for a neighbour that comes late, and for one that never does. Each waited at
# least from the end of its send call until the address was there, and at most from its begin until it was read.
need python3
ip netns exec "$a" sh -c 'for v in ipv4 ipv6; do echo '$questions' >/proc/sys/net/$v/neigh/va/mcast_solicit; done'
cat >"$tmp/send.py" <<'END'
import socket, sys, time
for addr, port in (("10.78.3.6", 9), ("fd00:d:78::6", 9), ("10.78.3.8", 9), ("fd00:d:78::8", 9)):
    s = socket.socket(socket.AF_INET6 if ":" in addr else socket.AF_INET, socket.SOCK_DGRAM)
    for i in range(3):
        begin = time.monotonic_ns()
        s.sendto(bytes([i]), (addr, port))
        print("sent", addr, i, begin, time.monotonic_ns(), flush=True)
        time.sleep(0.06)
END
cat >"$tmp/get.py" <<'END'
import socket, subprocess, sys, threading, time
def get(addr, family):
    s = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.settimeout(10)
    s.bind(("", 9))
    for _ in range(3):
        print("got", addr, s.recv(1)[0], time.monotonic_ns(), 0, flush=True)
readers = [threading.Thread(target=get, args=x) for x in (("10.78.3.6", socket.AF_INET), ("fd00:d:78::6", socket.AF_INET6))]
for r in readers:
    r.start()
time.sleep(0.4)
for net in ("10.78.3.6/24", "fd00:d:78::6/64"):
    print("came", net.split("/")[0], 0, time.monotonic_ns(), 0, flush=True)
    subprocess.run(["ip", "addr", "add", net, "dev", "vb"] + ["nodad"] * (":" in net), check=True)
for r in readers:
    r.join()
END
# It ends when those that never come have failed: each of the questions takes 50 ms.
cat >"$tmp/late" <<END
ip netns exec $b python3 $tmp/get.py >$tmp/got &
ip netns exec $a python3 $tmp/send.py >$tmp/sent
wait
for i in {1..200}; do
	[ "\$(ip -n $a neigh show nud failed | grep -c '^10\.78\.3\.8 \|^fd00:d:78::8 ')" -ne 2 ] || break
	sleep 0.1
done
sleep 0.3
END
late() {
	ip -n "$b" addr del 10.78.3.6/24 dev vb 2>/dev/null
	ip -n "$b" addr del fd00:d:78::6/64 dev vb 2>/dev/null
	again
	"$dwire" neighsnoop -q --netns "$a" --json --everyone --command "$BASH $tmp/late" >"$tmp/rows" 2>"$tmp/err" || fail "neighsnoop -q: $(<"$tmp/err")"
}
measure late
python3 - "$tmp" $questions <<'END' >"$tmp/out" 2>&1 || fail "neighsnoop -q: $(<"$tmp/out")"
import collections, json, sys
rows = [json.loads(l) for l in open(sys.argv[1] + "/rows")]
times = collections.defaultdict(dict)
for name in "sent", "got":
    for l in open(f"{sys.argv[1]}/{name}"):
        what, addr, i, begin, end = l.split()
        times[what][addr, int(i)] = int(begin) / 1e6, int(end) / 1e6
of = collections.defaultdict(list)
for r in rows:
    of[r["raddr"], r["result"]].append(r)
for addr in "10.78.3.6", "fd00:d:78::6":
    sent = of[addr, "sent"]
    assert len(sent) == 3, (addr, [r for r in rows if r["raddr"] == addr])
    for i, r in enumerate(sent):
        begin, end = times["sent"][addr, i]
        least, most = times["came"][addr, 0][0] - end, times["got"][addr, i][0] - begin
        assert least <= r["ms"] <= most, (addr, i, least, r["ms"], most)
        assert r["comm"] == "python3" and r["daddr"] == addr and r["device"] == "va" and r["waited"] == 2 - i, r
    assert [r["waited"] for r in of[addr, "resolved"]] == [3], of[addr, "resolved"]
    assert not of[addr, "dropped"] and not of[addr, "failed"]
for addr in "10.78.3.8", "fd00:d:78::8":
    lost = of[addr, "dropped"]
    assert len(lost) == 3 and not of[addr, "sent"] and not of[addr, "resolved"], (addr, [r for r in rows if r["raddr"] == addr])
    ms = [r["ms"] for r in lost]
    gaps = [times["sent"][addr, i + 1][0] - times["sent"][addr, i][0] for i in range(2)]
    assert all(abs(ms[i] - ms[i + 1] - gaps[i]) < 20 for i in range(2)), (addr, ms, gaps)
    assert ms[0] >= int(sys.argv[2]) * 50 - 50, ms      # so many questions, 50 ms apart
    assert [r["waited"] for r in of[addr, "failed"]] == [3], of[addr, "failed"]
    assert {r["comm"] for r in lost} == {"python3"} and {r["waited"] for r in lost} == {0, 1, 2}, lost
    if "." in addr:
        assert {r["reason"] for r in lost} == {"NEIGH_FAILED"}, lost
END
