# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# parallel: yes
# netlat: a delay that is made on purpose is in the stage where it was made; the stages of a round sum up to the whole,
# and the whole is what the client measured.
need python3
need jq
for n in a b; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev ip <<<"$end"
	ip -n "$ns" addr add "10.79.1.$ip/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
	ip -n "$ns" link set lo up
done
ip netns exec "$a" ping -c 1 -W 2 10.79.1.2 >/dev/null 2>&1 # the neighbours are known

# Makes $tmp/run, which talks as KIND says: what the client says is in $tmp/said.
talk() { # KIND ADDRESS
	printf '#!/bin/sh\nip netns exec %s python3 %s/net/netlat.py serve %s %s &\nip netns exec %s python3 %s/net/netlat.py ask %s %s >%s\nwait\n' \
		"$b" "$here" "$1" "$2" "$a" "$here" "$1" "$2" "$tmp/said" >"$tmp/run"
	chmod +x "$tmp/run"
}

# Traces one kind: the rows are in $tmp/rows
trace_kind() { # KIND ADDRESS
	talk "$1" "$2"
	"$dwire" netlat --netns "$a,$b" -P 7700 --json --everyone --command "$tmp/run" >"$tmp/rows" 2>"$tmp/err" || fail "$1: $(<"$tmp/err")"
}

# Rounds of one kind; $1: kind, $2: stage, $3: way, $4: us that it must have at least
rounds() {
	local kind=$1 stage=$2 way=$3 least=$4 side=${5:-asks} address=${6:-10.79.1.2} rows
	trace_kind "$kind" "$address"
	rows=$(jq -s --arg side "$side" --arg stage "$stage" --arg way "$way" '[.[] | select(.stage and .side == $side)] | {
		whole: (map(select(.stage == "whole")) | .[0].sum_us), rounds: (map(select(.stage == "whole")) | .[0].rounds),
		unknown: (map(select(.stage == "unknown").rounds) | add // 0),
		parts: (map(select(.stage != "whole").sum_us) | add),
		stage: (map(select(.stage == $stage and .way == $way).sum_us) | add // 0),
		pacing: (map(select(.stage == "pacing").sum_us) | add // 0)} |
		"whole=\(.whole) rounds=\(.rounds) unknown=\(.unknown) parts=\(.parts) stage=\(.stage) pacing=\(.pacing)"' -r "$tmp/rows")
	local whole rounds unknown parts stage pacing said
	declare $rows
	said=$(sed -n 's/^whole=//p' "$tmp/said")
	[[ $rounds == "$(sed -n 's/^rounds=//p' "$tmp/said")" && $unknown == 0 ]] || { echo "FAILED: $kind: $rows"; return; }
	# a part is cut to a microsecond
	((parts <= whole && whole - parts <= whole / 100 + 30)) || { echo "FAILED: $kind: parts $parts, whole $whole"; return; }
	[[ $side == serves ]] && said=$((whole + 1))
	((whole <= said && said - whole <= said / 50 + rounds * 300 * ${DWIRE_TEST_SLOWER:-1})) || { echo "FAILED: $kind: whole $whole, client $said"; return; }
	((stage >= least && stage >= whole * 4 / 10)) || { echo "FAILED: $kind: $stage has $stage of $whole us, wanted $least"; return; }
	# TCP has paced each segment a little, before the window closed
	[[ $kind == pacing ]] || ((pacing <= whole / 10)) || { echo "FAILED: $kind: $pacing of $whole us are pacing"; return; }
	printf '%s: %s client=%s\n' "$kind" "$rows" "$said"
}

# How many rounds there are, and how many of them are unknown. What is no round of one request and its answer is: nothing is
# known of an answer before its request is read, though the read of the request before comes later than the request; data
# that no round follows are not another host's.
counted() { # KIND ROUNDS UNKNOWN
	trace_kind "$1" 10.79.1.2
	jq -s --arg kind "$1" --argjson rounds "$2" --argjson unknown "$3" '[.[] | select(.stage)] | {
		asks: (map(select(.stage == "whole" and .side == "asks").rounds) | add // 0),
		unknown: (map(select(.stage == "unknown" and .side == "asks").rounds) | add // 0),
		serves: (map(select(.side == "serves").rounds) | add // 0)} |
		if .asks == $rounds and .unknown == $unknown and .serves == 0 then "\($kind): \(.)"
		else "FAILED: \($kind): \(.), wanted \($rounds), \($unknown) unknown" end' -r "$tmp/rows"
}
# An interrupt may hide an event of a round.
measure rounds server server "" 300000
measure rounds socket socket request 200000
measure rounds reader socket answer 250000
measure rounds window window request 200000
measure rounds unseen server "" 300000
measure counted closes 200 0
measure counted unread 6 6
measure counted ahead 1 1
measure rounds pacing pacing request 200000
tc -n "$a" qdisc add dev va root tbf rate 100kbit burst 1600 limit 30000 || skip "no tbf"
measure rounds qdisc qdisc request 300000
tc -n "$a" qdisc del dev va root
modprobe -q sch_netem
if tc -n "$a" qdisc add dev va root netem delay 60ms 2>/dev/null; then
	measure rounds netem qdisc request 250000
	tc -n "$a" qdisc del dev va root
fi

# The first question for the neighbour's address is lost, and repeated after 60 ms.
if ip netns exec "$b" nft -f - <<<'table arp lose { chain in { type filter hook input priority 0; arp operation request numgen inc mod 2 0 drop; }; }'; then
	ip netns exec "$a" sh -c 'echo 60 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms'
	measure rounds neighbour ip request 250000
	ip netns exec "$b" nft delete table arp lose
	ip netns exec "$a" ping -c 1 -W 2 10.79.1.2 >/dev/null 2>&1
fi
if chrt -f 1 true 2>/dev/null; then
	measure rounds wake-up wake-up request 60000
	measure rounds preempted whole "" 60000 # nothing is unknown
fi

# The first copy of each request is lost, or that of its second segment.
lose() { # OF HOW MANY SEGMENTS, WHICH: of those with data of a request
	ip netns exec "$b" nft -f - <<<"table ip lose { chain in { type filter hook input priority 0;
		tcp dport 7700 tcp flags & psh == psh numgen inc mod $1 $2 drop; }; }"
}
lose 2 0 || skip "no nft"
measure rounds resend resend request 600000
ip netns exec "$b" nft delete table ip lose
lost_tail() {
	lose 3 1
	rounds tail resend request 300000
	ip netns exec "$b" nft delete table ip lose
}
measure lost_tail

# Columns of clauses whose probes are of two providers
"$dwire" netlat --by raddr -d 1 >"$tmp/rows" 2>"$tmp/err" || fail "--by raddr: $(<"$tmp/err")"
"$dwire" netlat --by container,pod,netns -d 1 >"$tmp/rows" 2>"$tmp/err" || fail "names and their levels: $(<"$tmp/err")"

# The other end is on another host: its time is the wire's. Each end has rounds of its own.
modprobe -q tun
python3 "$here/net/netlat.py" relay "$a" "$b" >"$tmp/ready" &
relay=$!
until grep -qs ready "$tmp/ready"; do kill -0 $relay || skip "no TUN"; sleep 0.05; done
for end in "$a 1 2" "$b 2 1"; do
	read -r ns near far <<<"$end"
	ip -n "$ns" addr add "10.79.2.$near" peer "10.79.2.$far" dev far
	ip -n "$ns" link set far up
done
measure rounds far wire "" 500000 asks 10.79.2.2
measure rounds far server "" 300000 serves 10.79.2.2

# What a TUN device hands up is none of the packets that one has sent, though buffers and headers are used again.
talk far 10.79.2.2
for i in 1 2 3; do
	"$dwire" -qn 'uint64_t sent[uint64_t];
		path:::output, path:::queue, path:::socket-in, path:::sent, path:::drop { }
		path:::transmit /args[3]->if_name == "far"/ { sent[args[4]->path_id] = 1; }
		path:::driver-in /args[3]->if_name == "far"/ { @n[sent[args[4]->path_id] ? "again" : "new"] = count(); }
		END { printa("%s=%@d\n", @n); }' -c "$tmp/run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
	expect_match "$(sed -n '/^new=\|^again=/p' "$tmp/out")" '^new=[0-9]+$' "identities: $(<"$tmp/out")"
done
kill $relay
