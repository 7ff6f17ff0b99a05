# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/names.md: names that are not found, or late.
# timeout: 150
. "$here/problems/problems.lib"
page names
two_hosts
mkdir "$tmp/etc"
export ETC=$tmp/etc
resolver() {
	printf 'nameserver 10.0.0.7\n%s' "$1" >"$ETC/resolv.conf"
}
printf 'hosts: files dns\n' >"$ETC/nsswitch.conf"
resolver 'options timeout:1 attempts:2'
dns_slow() {
	problem dns-slow
	during lookup slow db.example
	telling ' shop +A +NOERROR +1[5-9][0-9]\.[0-9]+ .*db\.example'
	during lookup slow db.example
	telling ' shop +1[5-9][0-9]\.[0-9]+ +db\.example'
}
dns_fails() {
	problem dns-fails
	during lookup failing db.example
	telling ' shop +A +SERVFAIL .*db\.example'
}
dns_missing() {
	problem dns-missing
	during lookup good dbb.shop.example
	telling ' shop +A +NXDOMAIN .*dbb\.shop\.example'
}
dns_silent() {
	problem dns-silent
	during lookup silent db.example
	telling ' shop +A +none +20[0-9][0-9]\.[0-9]+ .*db\.example'
}
dns_search() {
	problem dns-search
	resolver $'search shop.example corp.example\noptions ndots:5\n'
	during lookup good db.example
	telling ' NXDOMAIN .*db\.example\.shop\.example'
	telling ' NXDOMAIN .*db\.example\.corp\.example'
	telling ' NOERROR .*db\.example$'
	resolver 'options timeout:1 attempts:2'
}
for section in dns_slow dns_fails dns_missing dns_silent dns_search; do
	attempt $section
done
