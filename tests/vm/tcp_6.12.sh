#!/bin/bash
# The tcp provider on Linux 6.12: the tests of this machine's kernel, on that one.
. "$(dirname "$(realpath "$0")")/lib.sh"
in_guest || boot 6.12
for t in tcp_open.sh tcp_states.sh tcp_segments.sh tcp_reset.sh tcp_refused.sh; do
	kernel_test "$t"
done
finish
