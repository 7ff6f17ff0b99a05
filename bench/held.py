# SPDX-License-Identifier: GPL-2.0-or-later
"""held: the BPF programs and links that a process holds, and the kernel's statistics of how often programs run."""
import contextlib
import glob

STATS = "/proc/sys/kernel/bpf_stats_enabled"


def descriptors(pid):
    """Id of a program -> fields of its fdinfo; id of a program -> kind and place of its link."""
    progs, links = {}, {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path) as f:
                fields = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
        except OSError:  # closed since it was listed
            continue
        if "link_type" in fields and "prog_id" in fields:
            links[fields["prog_id"]] = (fields["link_type"], fields.get("attach_type"), fields.get("target_btf_id"))
        elif "prog_type" in fields:
            progs[fields["prog_id"]] = fields
    return progs, links


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
