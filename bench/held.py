# SPDX-License-Identifier: GPL-2.0-or-later
"""held: the BPF programs and links that a process holds, and the kernel's statistics of how often programs run."""
import contextlib
import glob
import re

STATS = "/proc/sys/kernel/bpf_stats_enabled"


def fields(pid):
    """What /proc says of each descriptor."""
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path) as f:
                yield dict(re.findall(r"(\w+):\t(\S*)", f.read()))
        except OSError:  # closed since it was listed
            continue


def programs_and_links(pid):
    """The fields of each program, and of each link."""
    known = list(fields(pid))
    return [f for f in known if "prog_type" in f], [f for f in known if "link_type" in f and "prog_id" in f]


def others():
    """The processes that have programs attached: pid and name."""
    found = []
    for path in glob.glob("/proc/[0-9]*"):
        pid = path.rpartition("/")[2]
        with contextlib.suppress(OSError):
            if programs_and_links(pid)[1]:
                with open(path + "/comm") as f:
                    found.append(f"{pid} ({f.read().strip()})")
    return found


def descriptors(pid):
    """Id of a program -> fields of its fdinfo; id of a program -> kind and place of its link."""
    progs, links = programs_and_links(pid)
    return ({f["prog_id"]: f for f in progs},
            {f["prog_id"]: (f["link_type"], f.get("attach_type"), f.get("target_btf_id")) for f in links})


def programs(pid):
    """Id -> runs, ns."""
    return {i: (int(f["run_cnt"]), int(f["run_time_ns"])) for i, f in descriptors(pid)[0].items()}


@contextlib.contextmanager
def statistics(on=True):
    """Meanwhile the kernel counts runs, or does not."""
    with open(STATS) as f:
        before = f.read()
    with open(STATS, "w") as f:
        f.write("1" if on else "0")
    try:
        yield
    finally:
        with open(STATS, "w") as f:
            f.write(before)
