# SPDX-License-Identifier: GPL-2.0-or-later
"""linked: how many links to inet_sock_set_state and arrays of programs a process has. usage: linked.py PID"""
import os, sys
links = arrays = 0
for fd in os.listdir(f"/proc/{sys.argv[1]}/fdinfo"):
    try:
        info = dict(line.split(":", 1) for line in open(f"/proc/{sys.argv[1]}/fdinfo/{fd}") if ":" in line)
    except OSError:
        continue
    links += info.get("tp_name", "").strip() == "inet_sock_set_state"
    arrays += info.get("map_type", "").strip() == "3"
print(links, arrays)
