# SPDX-License-Identifier: GPL-2.0-or-later
"""places: programs by hand that do nothing, where a running command has its programs: what the kernel takes to call them."""
import contextlib
import os
import re
import subprocess

import hand
import held

# enum bpf_attach_type of the kernel's headers, and the names of libbpf.
CGROUP = {0: "cgroup_skb/ingress", 1: "cgroup_skb/egress", 2: "cgroup/sock_create", 3: "sockops", 34: "cgroup/sock_release",
          8: "cgroup/bind4", 9: "cgroup/bind6", 10: "cgroup/connect4", 11: "cgroup/connect6", 12: "cgroup/post_bind4",
          13: "cgroup/post_bind6", 14: "cgroup/sendmsg4", 15: "cgroup/sendmsg6", 19: "cgroup/recvmsg4", 20: "cgroup/recvmsg6",
          29: "cgroup/getpeername4", 30: "cgroup/getpeername6", 31: "cgroup/getsockname4", 32: "cgroup/getsockname6"}
NETFILTER = ["prerouting", "input", "forward", "output", "postrouting"]
IPV4 = "2"
TRACEFS = "/sys/kernel/tracing"


@contextlib.contextmanager
def tracefs():
    """Meanwhile it is mounted: libbpf needs it for tracepoints of single system calls."""
    ours = not os.path.isdir(TRACEFS + "/events")
    if ours:
        subprocess.run(["mount", "-t", "tracefs", "nodev", TRACEFS], check=True)
    try:
        yield
    finally:
        if ours:
            subprocess.run(["umount", TRACEFS], check=True)


def group_of(tracepoint):
    """The folder of a tracepoint in tracefs, or None."""
    events = TRACEFS + "/events"
    return next((g for g in os.listdir(events) if os.path.isdir(f"{events}/{g}/{tracepoint}")), None)


def section(link):
    """libbpf's name of a link's place; None: of IPv6, or no place of the kernel's that a load by hand has."""
    kind, name = link["link_type"], link.get("tp_name")
    if kind == "raw_tracepoint":
        return f"tp_btf/{name}"
    if kind == "perf" and name:
        group = group_of(name)
        return group and f"tp/{group}/{name}"
    if kind == "cgroup":
        return CGROUP.get(int(link["attach_type"]))
    if kind == "netfilter" and link["pf"] == IPV4:
        return "netfilter/" + NETFILTER[int(link["hooknum"])]
    return None


def source(sections):
    """The text of a program for each place."""
    lines = [f'#include "{hand.HERE}/kern.h"']
    for i, place in enumerate(sections):
        name = re.sub(r"\W", "_", place)
        lines.append(f'SEC("{place}") int at{i}_{name}(void *ctx) {{ return {int(place.startswith(("cgroup", "netfilter", "sockops")))}; }}')
    return "\n".join(lines + ['char LICENSE[] SEC("license") = "GPL";\n'])


def empty(tmp, name, pid):
    """The command of programs that do nothing at the places of those of a process, which is running."""
    path = os.path.join(tmp, f"at-{name}.bpf.c")
    with open(path, "w") as f:
        f.write(source(filter(None, (section(link) for link in held.programs_and_links(pid)[1]))))
    hand.bpf(tmp, path)
    return [os.path.join(tmp, "load"), hand.cgroup(), f"{tmp}/at-{name}.o"]
