# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The sock provider: each system call of a trigger fires once.
. "$here/sock/calls.lib"
need_ipv6
check_calls 4 127.0.0.1 TCP
check_calls 6 ::1 TCPv6
