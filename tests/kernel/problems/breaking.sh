# SPDX-License-Identifier: GPL-2.0-or-later
# docs/problems/breaking.md: connections that end early, or never.
# timeout: 150
. "$here/problems/problems.lib"
page breaking
two_hosts
reset() {
	problem reset
	during reset_by_peer
	telling ' shop +got .* 10\.0\.0\.7:5432 +ECONNRESET'
	telling ' db +sent .* 10\.0\.0\.1:[0-9]+ +TCP_ABORT_ON_CLOSE'
	telling ' shop +sent .* 10\.0\.0\.7:5432 +TCP_ABORT_ON_CLOSE'
}
forgotten() {
	problem forgotten
	during forgotten
	telling ' db +sent +10\.0\.0\.7:5432 .*TCP_FLAGS'
	telling ' shop +got .* 10\.0\.0\.7:5432 '
}
idle() {
	problem idle
	during idle_timeout
	telling ' shop .* state-change +ESTABLISHED>CLOSE_WAIT'
	telling ' shop .* reset-received +EPIPE'
}
given_up() {
	problem given-up
	during given_up
	telling ' shop .* rto +after [0-9]+ ms'
	telling ' shop .* resend +rto of 1'
}
churn() {
	problem churn
	during churn
	telling ' shop +10\.0\.0\.7 +5432 +40'
}
close_wait() {
	problem close-wait
	after left_open
	telling '^shop +CLOSE_WAIT +30 '
	after left_open
	telling ' shop +CLOSE_WAIT .* 10\.0\.0\.7 +5432'
	expect_eq "$(grep -c ' shop +CLOSE_WAIT\| shop  *CLOSE_WAIT' <<<"$OUT")" 30 "sockets in CLOSE_WAIT"
}
descriptors() {
	problem descriptors
	during no_descriptors
	telling ' db .*Too many descriptors'
}
for section in reset forgotten idle given_up churn close_wait descriptors; do
	attempt $section
done
