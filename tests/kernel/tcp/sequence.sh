# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Sequence numbers of tcpsinfo_t against those of the headers: on a connection without losses they are known for
# every segment. Windows against the headers'.
netns_new seq

check() { # FAMILY
	local messages=3 bytes=1000
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[3]->tcps_state != TCP_STATE_TIME_WAIT/ {
		printf(\"%s cid=%d st=%d fl=%d len=%d seq=%d ack=%d win=%d iss=%d suna=%d snxt=%d rack=%d rnxt=%d swnd=%d sws=%d rwnd=%d rws=%d fack=%d ssnxt=%d retransmit=%d active=%d\\n\",
		    probename, args[1]->cs_cid, args[3]->tcps_state, args[4]->tcp_flags,
		    args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_seq, args[4]->tcp_ack, args[4]->tcp_window,
		    args[3]->tcps_iss, args[3]->tcps_suna, args[3]->tcps_snxt, args[3]->tcps_rack, args[3]->tcps_rnxt,
		    args[3]->tcps_swnd, args[3]->tcps_snd_ws, args[3]->tcps_rwnd, args[3]->tcps_rcv_ws,
		    args[3]->tcps_sack_fack, args[3]->tcps_sack_snxt, args[3]->tcps_retransmit, args[3]->tcps_active) }" \
		tcp_echo "$1" -n 1 -c $messages -k $bytes
	local all=$(($(value_of client_segs_out) + $(value_of client_segs_in)))
	# what each side knows: iss[c] its own first number (from its SYN or SYN-ACK), peer its peer's
	over_lines '
		function wrong(what) { print "wrong: " what ": " $0; bad++ }
		function plus(a, b) { return (a + b) % 4294967296 }
		function told(w, scale) { return int(w / (scale ? 2 ^ v["sws"] : 1)) }
		function size() { return v["len"] + v["fl"] % 2 + int(v["fl"] / 2) % 2 }
		v["st"] == 10 && p == "send" { server_iss = v["seq"]; next }
		v["st"] == 10 { next }
		p == "send" && v["fl"] == 2 { client = v["cid"]; client_iss = v["seq"] }
		{
			n++
			iss = v["cid"] == client ? client_iss : server_iss
			c = v["cid"]
			if (v["iss"] != iss) wrong("tcps_iss")
			if (v["active"] != (c == client)) wrong("tcps_active")
			if (v["retransmit"] != 0) wrong("tcps_retransmit")
			if (v["fack"] != v["suna"] || v["ssnxt"] != v["suna"]) wrong("tcps_sack_*")
		}
		p == "send" {
			if (v["seq"] != v["snxt"]) wrong("tcps_snxt: a new segment begins there")
			if (v["fl"] != 2 && v["ack"] != v["rnxt"]) wrong("tcps_rnxt: what is acknowledged")
			if (v["fl"] != 2 && v["rack"] != v["rnxt"]) wrong("tcps_rack: all is acknowledged now")
			if (v["fl"] != 2 && v["win"] != v["rwnd"]) wrong("tcps_rwnd: as announced")
			if (c in una && v["suna"] != una[c]) wrong("tcps_suna: as acknowledged last")
			sent[c] = v["seq"]; nxt[c] = plus(v["seq"], size())
		}
		p == "receive" {
			if (v["fl"] != 18 && v["seq"] != v["rnxt"]) wrong("tcps_rnxt: in order")
			# an answer that comes within the call that sends, as on loopback, finds the number before
			if (c in nxt && v["snxt"] != nxt[c] && v["snxt"] != sent[c]) wrong("tcps_snxt: after what was sent")
			# two segments that come within a call on the socket wait for its end, and the second finds what the first found
			if (c in una && v["suna"] != una[c] && v["suna"] != before[c]) wrong("tcps_suna: before this acknowledgement")
			before[c] = una[c]; una[c] = v["ack"]
		}
		(c in swnd) && v["swnd"] != told(swnd[c], syn[c]) && !(p == "receive" && v["swnd"] == told(swnd0[c], syn0[c])) {
			wrong("tcps_swnd: as told last")
		}
		p == "receive" { swnd0[c] = swnd[c]; syn0[c] = syn[c]; swnd[c] = v["win"]; syn[c] = v["fl"] == 18 }
		END { print n + 0, bad + 0; print client_iss, server_iss > "'"$tmp/iss"'" }' >"$tmp/got"
	# TIME_WAIT is left out, and the listener's three segments here
	expect_eq "$(<"$tmp/got")" "$((2 * all - 2 - 3)) 0" "$1: segments, wrong ones"
	read -r client_iss server_iss <"$tmp/iss"
	expect_eq "$(values seq 'p == "send" && v["fl"] % 2 == 1 && v["active"] == 1')" \
		"$(((client_iss + 1 + $(value_of client_bytes_out)) % 4294967296))" "$1: the client's FIN follows its bytes"
	expect_eq "$(values seq 'p == "send" && v["fl"] % 2 == 1 && v["active"] == 0')" \
		"$(((server_iss + 1 + $(value_of server_bytes_out)) % 4294967296))" "$1: the server's FIN follows its bytes"
}

check -4
check -6
