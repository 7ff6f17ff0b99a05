# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Many streams: what dwire merge shows of them, and a tree of merges, is what the machines counted. bench/stream checks
# each number; here with fewer streams than when it measures.
need python3
DWIRE=$dwire "$here/../../bench/stream" merge 40 6 >out 2>&1 || fail "40 streams: $(<out)"
DWIRE=$dwire "$here/../../bench/stream" live 40 3 >out 2>&1 || fail "40 live streams: $(<out)"
