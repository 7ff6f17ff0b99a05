# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/connecting.md: connections that fail, or take long to begin.
# timeout: 150
. "$here/problems/problems.lib"
page connecting
two_hosts
refused() {
	problem refused
	during refused
	telling ' shop .* 10\.0\.0\.7 +5432 .*Connection refused'
	expect_eq "$(grep -c ' shop .* 5432 .*Connection refused' <<<"$OUT")" 3 "refused connects"
}
rejected() {
	problem rejected
	filter "$DB" input 'tcp dport 5432 reject'
	during refused
	unfiltered "$DB"
	telling '10\.0\.0\.7 says port of 10\.0\.0\.7:5432'
}
no_answer() {
	problem no-answer
	ip netns exec "$SHOP" sysctl -qw net.ipv4.tcp_syn_retries=1
	filter "$DB" input 'tcp dport 5432 drop'
	during no_answer
	telling ' shop .* 10\.0\.0\.7 +5432 +3[0-9]{6} Timed out'
	during no_answer 1.5
	telling ' shop +10\.0\.0\.7 +5432 +SYN_SENT +syn'
	during no_answer 0.1
	telling ' 1 .* NETFILTER_DROP .* 10\.0\.0\.1 +10\.0\.0\.7'
	unfiltered "$DB"
	ip netns exec "$SHOP" sysctl -qw net.ipv4.tcp_syn_retries=6
}
first_syn() {
	problem first-syn
	filter "$DB" input 'tcp dport 5432 tcp flags syn limit rate 1/hour burst 1 packets drop'
	during first_syn_lost
	unfiltered "$DB"
	telling ' shop .* 5432 +1[0-9]{6} Success'
}
no_route() {
	problem no-route
	ip -n "$SHOP" route add unreachable 192.0.2.11
	ip -n "$SHOP" route add prohibit 192.0.2.12
	ip -n "$SHOP" route add blackhole 192.0.2.13
	during no_route
	telling '192\.0\.2\.10 .*Network unreachable'
	telling '192\.0\.2\.11 .*No route to host'
	telling '192\.0\.2\.12 .*Permission denied'
	telling '192\.0\.2\.13 .*Invalid argument'
	ip -n "$SHOP" route flush table main type unreachable
}
neighbour() {
	problem neighbour
	ip netns exec "$SHOP" sysctl -qw net.ipv4.neigh.eth0.retrans_time_ms=300
	during nobody_there
	telling ' shop .* 10\.0\.0\.9 .*No route to host'
	during nobody_there
	telling 'eth0 +failed .* 10\.0\.0\.9'
}
queue_full() {
	problem queue-full
	after queue_full held
	telling ' db +LISTEN +3 +2 '
	during queue_full
	telling 'dropping a SYN of PID [0-9]+ db port 5432'
}
syn_flood() {
	problem syn-flood
	ip -n "$DB" route replace 10.0.1.0/24 via 10.0.0.1
	during syn_flood
	telling '^ +5432 +200 +0$'
	after syn_flood held
	telling 'SYN_RECV +5432 '
}
ports() {
	problem ports
	after ports_used
	telling ' 10\.0\.0\.1 +10\.0\.0\.7 5432 +80 +8 +0'
	during ports_gone
	telling ' shop .* 10\.0\.0\.7 +5432 .*Address not available'
	expect_eq "$(grep -c ' shop ' <<<"$OUT")" 1 "connects that failed"
	ip netns exec "$SHOP" sysctl -qw net.ipv4.ip_local_port_range='32768 60999'
}
wrong_address() {
	problem wrong-address
	after wrong_address
	telling ' db +LISTEN .* 127\.0\.0\.1 +5432'
}
two_listeners() {
	problem two-listeners
	after two_listeners
	telling ' db +LISTEN .* 10\.0\.0\.7 +5432'
	telling ' db-old +LISTEN .* 10\.0\.0\.7 +5432'
}
for section in refused rejected no_answer first_syn no_route neighbour queue_full syn_flood ports wrong_address two_listeners; do
	attempt $section
done
