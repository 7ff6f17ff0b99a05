# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/slow.md: connections that work, but slowly.
# timeout: 150
. "$here/problems/problems.lib"
page slow
two_hosts
server() {
	problem server
	during slow_server
	telling '^shop .* asks +10\.0\.0\.7 +5432 +20 .* 20[0-9]{4}$'
	during slow_server
	telling '^db .* serves +10\.0\.0\.1 +5432 +20[0-9]\.'
}
network() {
	problem network
	tc -n "$SHOP" qdisc add dev eth0 root tbf rate 10mbit burst 20kb limit 200kb || skip "no tbf"
	during bulk 0.7
	telling '^10\.0\.0\.7 .* [0-9]{5,6}$'
	during bulk 0.7
	telling '^ +131072 \|@'
	tc -n "$SHOP" qdisc del dev eth0 root
}
reader() {
	problem reader
	after slow_reader held
	telling ' db +ESTABLISHED +[1-9][0-9]{3,} +0 '
	telling ' shop +ESTABLISHED +0 +[1-9][0-9]{3,} '
	during slow_reader
	telling '^ +shop +10\.0\.0\.7 +[1-9]'
}
resent() {
	problem resent
	filter "$DB" input 'tcp dport 5432 numgen random mod 20 == 0 drop'
	before=$(snmp "$SHOP" Tcp RetransSegs)
	during bulk 0.7
	unfiltered "$DB"
	telling ' 10\.0\.0\.7:5432 +[1-9]'
	counted=$(awk '/ 10\.0\.0\.7:5432 / { n += $3 } END { print n + 0 }' <<<"$OUT")
	want=$(($(snmp "$SHOP" Tcp RetransSegs) - before))
	expect_le "$counted" "$want" "segments sent again"
	expect_ge "$counted" $((want * 99 / 100)) "segments sent again, but those that the kernel hides (see run-kernel)"
}
nagle() {
	problem nagle
	during nagle
	telling '^ +32768 \|@+ +19'
}
mtu() {
	problem mtu
	ip -n "$SHOP" link set eth0 gso_max_segs 1
	filter "$DB" input 'tcp dport 5432 meta length > 1400 drop'
	during mtu
	unfiltered "$DB"
	telling '^shop +10\.0\.0\.7 +5432 .* 1448'
	ip -n "$SHOP" link set eth0 gso_max_segs 65535
}
late_reader() {
	problem late-reader
	during late_reader
	telling '^socket-in +read +[0-9]+ .* [2-9][0-9]{5,} *$'
}
for section in server network reader resent nagle mtu late_reader; do
	attempt $section
done
