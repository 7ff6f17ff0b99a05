# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/owners.md: whose traffic, whose sockets.
# timeout: 150
. "$here/problems/problems.lib"
page owners
two_hosts
bandwidth() {
	problem bandwidth
	during traffic
	telling '^shop +10\.0\.0\.7 +0\.0 +[1-9][0-9]+\.'
}
who() {
	problem who
	after talkers
	telling ' shop-cache +ESTABLISHED .* 10\.0\.0\.7 +5432'
	telling ' shop +ESTABLISHED .* 10\.0\.0\.7 +5432'
}
namespace() {
	problem namespace
	after talkers
	telling '^shop +[0-9]+ +[^ ]*shop +10\.0\.0\.1 '
}
unix() {
	problem unix
	during unix_full
	telling '^ +shop +3$'
}
for section in bandwidth who namespace unix; do
	attempt $section
done
