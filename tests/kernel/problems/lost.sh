# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/lost.md: packets that do not arrive.
# timeout: 150
. "$here/problems/problems.lib"
page lost
two_hosts
udp_full() {
	problem udp-full
	during udp_full
	telling ' SOCKET_RCVBUFF .* 10\.0\.0\.7 +db'
	during udp_full
	telling 'receive +[0-9]+ db +UDP +5140 '
}
udp_port() {
	problem udp-port
	during datagrams
	telling '^ +10\.0\.0\.1 +10\.0\.0\.7 +5140 +5$'
}
firewall() {
	problem firewall
	filter "$DB" input 'udp dport 5140 drop'
	during datagrams
	telling '^ +5 .* NETFILTER_DROP .* 10\.0\.0\.1 +10\.0\.0\.7'
	during datagrams 1
	telling ' prerouting .* 10\.0\.0\.7:5140'
	telling ' drop: NETFILTER_DROP'
	unfiltered "$DB"
}
qdisc() {
	problem qdisc
	tc -n "$SHOP" qdisc add dev eth0 root tbf rate 1mbit burst 2kb limit 10kb || skip "no tbf"
	during burst
	telling ' QDISC_DROP .* eth0 .* shop$'
	dropped=$(tc -n "$SHOP" -s qdisc show dev eth0 | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p')
	telling_count ' QDISC_DROP .* shop$' 1 "$dropped"
	tc -n "$SHOP" qdisc del dev eth0 root
}
checksums() {
	problem checksum
	during wrong_checksums
	telling ' 10\.0\.0\.1:20000 .* 10\.0\.0\.7:5432 .*TCP_CSUM'
	expect_eq "$(grep -c TCP_CSUM <<<"$OUT")" 5 "wrong checksums"
}
no_socket() {
	problem no-socket
	during no_socket
	telling '^- +- +sent +10\.0\.0\.7:5432 +10\.0\.0\.1:20000 +NO_SOCKET'
	expect_eq "$(grep -c NO_SOCKET <<<"$OUT")" 5 "segments of no connection"
}
rp_filter() {
	problem rp-filter
	ip netns exec "$DB" sysctl -qw net.ipv4.conf.all.rp_filter=1
	ip -n "$DB" link add far type veth peer name near
	ip -n "$DB" link set far up
	ip -n "$DB" link set near up
	ip -n "$DB" addr add 10.9.0.7/24 dev far
	during spoofed
	ip -n "$DB" link del far
	telling '^ +5 .* IP_RPFILTER .* 10\.9\.0\.1 +10\.0\.0\.7'
}
group() {
	problem group
	ip -n "$SHOP" route replace 224.0.0.0/4 dev eth0
	during group_unjoined
	telling '^ +5 .* ip_rcv_finish_core|^ +5 .* 239\.1\.2\.3'
}
twice() {
	problem twice
	during sent_twice
	telling ' 10\.0\.0\.1:[0-9]+ .* 10\.0\.0\.7:5432 .*TCP_OLD_DATA'
	expect_eq "$(grep -c TCP_OLD_DATA <<<"$OUT")" 5 "segments that came twice"
}
arp() {
	problem arp
	during arp_storm
	telling '^ +eth0 +[^ ]*db +40$'
}
for section in udp_full udp_port firewall qdisc checksums no_socket rp_filter group twice arp; do
	attempt $section
done
