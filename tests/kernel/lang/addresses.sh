# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses stay bytes until they are printed: as keys of aggregations and arrays, compared with literals and
# variables, ordered, mixed with literals and names. Each form finds all segments of the trigger's connections.
cat >a.d <<'D'
int seen[string, uint16_t];
string last;
self string mine;
inline string kind[string a] = a == "127.0.0.1" ? "loop" : a >= "224." && a < "240." ? "multi" : "other";
tcp:::send { this->ours = args[4]->tcp_sport == 39871 || args[4]->tcp_dport == 39871; }
tcp:::send /this->ours && args[2]->ip_saddr == "127.0.0.1"/ { eq++; @a[args[2]->ip_saddr] = count(); }
tcp:::send /this->ours && args[2]->ip_daddr >= "127." && args[2]->ip_daddr < "128."/ { order++; }
tcp:::send /this->ours && !(args[2]->ip_daddr >= "224." && args[2]->ip_daddr < "240.")/ { notmulti++; }
tcp:::send /this->ours && args[3]->tcps_raddr != "127.0.0.1"/ { ne++; }
tcp:::send
/this->ours/
{
	seen[args[2]->ip_daddr, 7]++;
	all++;
	last = args[2]->ip_saddr;
	this->s = args[2]->ip_saddr == "10.0.0.1" ? "ten" : args[2]->ip_saddr;
	@t[this->s] = count();
	@mixed[all % 2 ? args[2]->ip_saddr : "even", "lit"] = count();
	@k[kind[args[2]->ip_daddr]] = count();
	self->mine = this->s;
}
tcp:::send /this->ours && last == "127.0.0.1" && this->s == last && self->mine == last/ { same++; }
tcp:::send /this->ours && args[1]->cs_addr && ((struct sock *)args[1]->cs_addr)->sk_protocol != 6/ { wrong++; }
tcp:::send /this->ours && ((struct sk_buff *)args[0]->pkt_addr)->len == 0/ { wrong++; }
END
{
	wrong += 0; ne += 0;
	printf("eq %d order %d notmulti %d same %d seen %d ne %d wrong %d\n", eq - all, order - all, notmulti - all,
	    same - all, seen["127.0.0.1", 7] - all, ne, wrong);
	printf("%s %s %d\n", last, kind[last], seen["127.0.0.2", 7]);
	printf("all %d\n", all);
	printa("a %s %@d\n", @a);
	printa("t %s %@d\n", @t);
	printa("k %s %@d\n", @k);
	trunc(@a); trunc(@t); trunc(@k);
	printa("m %s %s %@d\n", @mixed);
	trunc(@mixed);
}
D
command_file tcp_echo -4 -n 3 -p 39871
"$dwire" -q -s a.d -c "$tmp/cmd" >out 2>err || fail "dwire returned $?: $(<err)"
n=$(($(value_of client_segs_out) + $(value_of server_segs_out)))
expect_ge "$(sed -n 's/^all //p' out)" "$n" "segments"
n=$(sed -n 's/^all //p' out)
expect_eq "$(grep -v '^m ' out)" "eq 0 order 0 notmulti 0 same 0 seen 0 ne 0 wrong 0
127.0.0.1 loop 0
all $n
a 127.0.0.1 $n
t 127.0.0.1 $n
k loop $n" "all but the mixed key"
expect_eq "$(grep '^m ' out | sort)" "m 127.0.0.1 lit $(((n + 1) / 2))
m even lit $((n / 2))" "address or literal"
