# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# The tools of TCP against a trigger that knows how long its connections took, and one that counts its bytes.
. "$here/tools/json.lib"
need python3
netns_new tools
traffic tcp_slow -4
for t in tcpretrans tcpsynbl tcpnagle tcpstates tcpstate tcplife so1stbyte soconnlat tcpwin tcprtt tcpdrop; do
	tool "$t" "$t"
done
tool ends tcpconnect
tool counts tcpretrans -c
tool rttdist tcprtt -H
tool drops tcpdrop -a

# The kernel's own counter of what met a full queue, over the whole of a run
before=$(snmp "$NETNS" TcpExt ListenOverflows)
tool overflow tcpsynbl
echo "overflows=$(($(snmp "$NETNS" TcpExt ListenOverflows) - before))" >>"$tmp/overflow.said"

# A connection that is older than the trace
start_waiting ip netns exec "$NETNS" tcp_slow -4
traffic_waiting "$(pgrep -P "$WAITING" dw_slow)"
tool old tcplife
wait "$WAITING"

traffic tcp_echo -4 -n 4 -c 5 -k 2000
tool tcpsnoop tcpsnoop
tool tcpio tcpio
tool tcpaccept tcpaccept
traffic tcp_echo -6 -n 2 -c 2 -k 5000
tool six tcplife
tool wide tcpconnect -w -6
tool none tcplife -4

check_rows <<'END'
v = said("tcpretrans")
eq([only(r, "pid", "ip", "lport", "rport", "kind", "state", "why") for r in rows("tcpretrans")],
    [(v["pid"], 4, v["late_port"], v["full_port"], "R>", "SYN_SENT", "syn")] * v["late_retransmits"], "tcpretrans")
v = said("counts")
eq([only(r, "lport", "rport", "retransmits") for r in rows("counts")],
    [(v["late_port"], v["full_port"], v["late_retransmits"])], "tcpretrans -c")
v = said("overflow")
eq(len([r for r in rows("overflow") if r.get("event") == "dropping a SYN"]), v["overflows"], "tcpsynbl: drops")
v = said("tcpsynbl")
queues = {r["limit"]: {b["value"]: b["count"] for b in r["length"]} for r in rows("tcpsynbl") if "limit" in r}
eq(queues, {16: {0: 2}, 1: {0: 2, 1: 1}}, "tcpsynbl: lengths by limit")
eq({only(r, "pid", "lport") for r in rows("tcpsynbl") if "event" in r}, {(v["pid"], v["full_port"])}, "tcpsynbl: who")
v = said("tcpnagle")
wait = [r for r in rows("tcpnagle") if "us" in r]
one_in(wait[0]["us"], 90000, v["cork_us"], "tcpnagle: what the cork held back")
eq({r["nagle"]: r["writes"] for r in rows("tcpnagle") if "nagle" in r}, {"OFF": 2, "CORK": 1}, "tcpnagle: writes")
v = said("so1stbyte")
us = sorted((b["value"], b["count"]) for r in rows("so1stbyte") for b in r["us"])
eq(len(us) == 1 and us[0][1] == 1 and bucket(70000) <= us[0][0] <= bucket(v["answer_us"]), True, f"so1stbyte: {us}")
v = said("soconnlat")
us = [b["value"] for r in rows("soconnlat") for b in r["us"] for _ in range(b["count"])]
eq(len(us), 5, "soconnlat: connections")
eq(len([n for n in us if bucket(1000000) <= n <= bucket(v["late_us"])]), 1, f"soconnlat: the late one: {us}")
v = said("ends")
late = [r for r in rows("ends") if r["rport"] == v["full_port"] and r["ms"] > 500]
eq([1000 <= r["ms"] <= v["late_us"] / 1000 for r in late], [True], "tcpconnect: the late one")
v = said("tcplife")
life = {r["lport"]: r for r in rows("tcplife") if r["rport"] in (v["port"], v["full_port"])}
eq(len(life), 5, "tcplife: connections")
answer = life[v["answer_port"]]
eq((answer["pid"], answer["comm"], answer["rx_bytes"], answer["tx_bytes"], answer["old"]),
    (v["pid"], "dw_slow", v["answer_bytes_in"], v["answer_bytes_out"], 0), "tcplife: the one that is answered late")
eq(160 <= answer["ms"] <= v["life_us"] / 1000, True, f"tcplife: {answer['ms']} ms")
eq({r["comm"] for r in rows("tcplife") if r["lport"] == v["full_port"]}, {"dw_late"}, "tcplife: who accepted")
v = said("old")
old = [r for r in rows("old") if v["old_port"] in (r["lport"], r["rport"])]
eq([r["old"] for r in old], [1, 1], "tcplife: older than the trace")
eq({r["old"] for r in rows("old") if v["old_port"] not in (r["lport"], r["rport"])}, {0}, "tcplife: and the others are not")
v = said("tcpstates")
steps = [only(r, "oldstate", "newstate") for r in rows("tcpstates") if r["lport"] == v["answer_port"]]
eq(steps[-3:], [("ESTABLISHED", "FIN_WAIT1"), ("FIN_WAIT1", "FIN_WAIT2"), ("FIN_WAIT2", "TIME_WAIT")], "tcpstates")
eq([160 <= r["ms"] <= v["life_us"] / 1000 for r in rows("tcpstates")
    if r["lport"] == v["answer_port"] and r["oldstate"] == "ESTABLISHED"], [True], "tcpstates: how long established")
eq({r["pid"] for r in rows("tcpstates") if v["answer_port"] in (r["lport"], r["rport"])}, {v["pid"]}, "tcpstates: who")
changes = [only(r, "oldstate", "newstate") for r in rows("tcpstate")]
eq(changes.count(("state-syn-sent", "state-established")), 5, "tcpstate")
v = said("tcpwin")
win = rows("tcpwin")
new = [only(r, "laddr", "lport", "rport") for r in win if r["event"] == "new"]
eq(len(new), 10, "tcpwin: both sides of five connections")
eq(("127.0.0.1", v["answer_port"], v["port"]) in new, True, "tcpwin: new")
eq({r["snd_cwnd"] >= 1 for r in win if r["event"] == "rcv"}, {True}, "tcpwin: windows")
eq(len([r for r in win if r["event"] == "retrans"]), v["late_retransmits"], "tcpwin: retransmits")
rtt = rows("tcprtt")
eq([r["raddr"] for r in rtt], ["127.0.0.1"], "tcprtt")
eq(rtt[0]["min_us"] <= rtt[0]["avg_us"] <= rtt[0]["max_us"], True, "tcprtt: the average")
eq(sum(b["count"] for b in rows("rttdist")[0]["us"]) > 0, True, "tcprtt -H")
v = said("tcpdrop")
drops = [only(r, "reason", "dport") for r in rows("tcpdrop") if r["reason"] == "TCP_LISTEN_OVERFLOW"]
eq([d for d in drops if d[1] != v["full_port"]], [], "tcpdrop: only at the full listener")
eq(len(rows("drops")) >= len(rows("tcpdrop")), True, "tcpdrop -a")
v = said("tcpsnoop")
sent = [r for r in rows("tcpsnoop") if r["dir"] == "->" and r["lport"] == v["port"]]
eq(sum(r["bytes"] for r in sent), v["server_bytes_out"], "tcpsnoop: the server's bytes")
eq({r["pid"] for r in sent if r["bytes"]}, {v["server_pid"]}, "tcpsnoop: whose they are")
v = said("tcpio")
eq(sum(r["bytes"] for r in rows("tcpio") if r["dir"] == "<-" and r["lport"] == v["port"]), v["client_bytes_out"], "tcpio")
v = said("tcpaccept")
eq([only(r, "pid", "comm", "lport") for r in rows("tcpaccept")],
    [(v["server_pid"], v["server_name"], v["port"])] * v["server_connections"], "tcpaccept")
v = said("six")
eq(sorted(only(r, "comm", "laddr", "tx_bytes", "rx_bytes") for r in rows("six")),
    sorted([(v["client_name"], "::1", v["client_bytes_out"] // v["client_connections"],
             v["client_bytes_in"] // v["client_connections"])] * v["client_connections"] +
           [(v["server_name"], "::1", v["server_bytes_out"] // v["client_connections"],
             v["server_bytes_in"] // v["client_connections"])] * v["client_connections"]), "tcplife of IPv6")
v = said("wide")
eq([only(r, "ip", "laddr", "raddr", "rport", "pid") for r in rows("wide")],
    [(6, "::1", "::1", v["port"], v["client_pid"])] * v["client_connections"], "tcpconnect -w -6")
eq(rows("none"), [], "tcplife -4 of IPv6")
END

# The graph is one that Graphviz would take: braces, edges with quoted names.
traffic tcp_echo -4 -n 2
"$dwire" tcplife --dot --netns "$NETNS" --everyone --command "$tmp/traffic" >"$tmp/dot" 2>"$tmp/err" || fail "tcplife --dot: $(<"$tmp/err")"
expect_eq "$(head -n 1 "$tmp/dot") $(tail -n 1 "$tmp/dot")" "digraph tcplife { }" "the graph's ends"
expect_eq "$(grep -Ec '^	"[^"]+" -> "[^"]+" \[label="port [0-9]+, [0-9]+ x, [0-9]+ KB"\];$' "$tmp/dot")" 2 "its edges"
if command -v dot >/dev/null; then
	dot -Tsvg "$tmp/dot" >"$tmp/svg" || fail "dot does not take the graph"
	expect_eq "$(grep -c 'class="edge"' "$tmp/svg")" 2 "edges in the picture"
fi

# A long address takes its room from the padding behind it: the last columns stay where they are.
ip -n "$NETNS" addr add 2001:db8:1:2:3::5678/128 dev lo nodad
cat >"$tmp/traffic" <<-END
	#!/bin/bash
	for host in 127.0.0.1 2001:db8:1:2:3::5678; do
		ip netns exec $NETNS bash -c "exec 3<>/dev/tcp/\$host/9" 2>/dev/null
	done
END
"$dwire" soconnect --netns "$NETNS" --everyone --command "$tmp/traffic" 2>/dev/null >"$tmp/rows"
expect_eq "$(awk '{ print index($0, "Connection") }' "$tmp/rows" | sort -u | tr '\n' ' ')" "0 61 " "the columns of long addresses"
