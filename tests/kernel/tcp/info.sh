# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# tcpsinfo_t against ss for the same sockets, on connections that are idle while ss looks.
need ss
netns_new info

key() { # KEY LINE: of ss: "key:value"
	sed -n "s/.*[[:space:]]$1:\([^[:space:]]*\).*/\1/p" <<<"$2"
}

check() { # FAMILY
	local line port want ws
	start_waiting ip netns exec "$NETNS" old_socket "$1" -c 1
	port=$(sed -n 's/^port=//p' "$tmp/waiting")
	ip netns exec "$NETNS" ss -tinH state established >"$tmp/ss"
	trace_waiting "tcp:::send /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"%s lp=%d rp=%d mss=%d rto=%d cwnd=%d ssthresh=%d sws=%d rws=%d st=%d active=%d local=%d out=%d in=%d\\n\", probename,
		    args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_mss, args[3]->tcps_rto, args[3]->tcps_cwnd,
		    args[3]->tcps_cwnd_ssthresh, args[3]->tcps_snd_ws, args[3]->tcps_rcv_ws, args[3]->tcps_state,
		    args[3]->tcps_active, args[3]->tcps_local, args[3]->tcps_snxt - args[3]->tcps_suna, args[3]->tcps_rnxt - args[3]->tcps_rack) }"
	for side in client server; do
		# the two lines of a socket: its addresses, then what is known of it
		line=$(awk -v port="$port" -v side=$side '
			/^[^\t ]/ { l = $3; r = $4; sub(/.*:/, "", l); sub(/.*:/, "", r); next }
			(side == "client" ? r : l) == port { print " " $0 }' "$tmp/ss")
		ws=$(key wscale "$line")
		want="mss=$(key mss "$line") rto=$(key rto "$line") cwnd=$(($(key cwnd "$line") * $(key mss "$line")))"
		want+=" ssthresh=$([ -n "$(key ssthresh "$line")" ] && echo $(($(key ssthresh "$line") * $(key mss "$line"))) || echo 2147483647)"
		want+=" sws=${ws%,*} rws=${ws#*,} st=1"
		want+=" active=$([ $side = client ] && echo 1 || echo 0) local=1 out=0"
		expect_eq "$(lines "v[\"$([ $side = client ] && echo rp || echo lp)\"] == $port" | head -n 1 |
			sed 's/.*\(mss=.* out=0\).*/\1/')" "$want" "$1: the $side as ss has it"
	done
	expect_eq "$(values in "v[\"lp\"] == $port" | head -n 1)" 0 "$1: the answer's acknowledgement was out already or goes with it"
}

check -4
check -6
