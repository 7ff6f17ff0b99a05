# SPDX-License-Identifier: GPL-2.0-or-later
"""linked: how many links to inet_sock_set_state, links to where packets leave a cgroup, and arrays of programs a process has.
usage: linked.py PID"""
import os, sys
CGROUP_EGRESS = "1"  # enum bpf_attach_type
states = leaves = arrays = 0
for fd in os.listdir(f"/proc/{sys.argv[1]}/fdinfo"):
    try:
        info = dict(line.split(":", 1) for line in open(f"/proc/{sys.argv[1]}/fdinfo/{fd}") if ":" in line)
    except OSError:
        continue
    said = lambda key: info.get(key, "").strip()
    states += said("tp_name") == "inet_sock_set_state"
    leaves += said("link_type") == "cgroup" and said("attach_type") == CGROUP_EGRESS
    arrays += said("map_type") == "3"
print(states, leaves, arrays)
