#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Sizes of segments by process, and how long connects take, as a picture. Run it as root while something talks:
#     plot.py [seconds [picture]]
# The cells ("# %%") run one by one in an editor that knows them, or in Jupyter.

# %% The trace
import sys

import dwire

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
program = """
tcp:::send / args[2]->ip_plength > args[4]->tcp_offset /
{
	@size[args[1]->cs_execname] = quantize(args[2]->ip_plength - args[4]->tcp_offset);
}
tcp:::connect-request { began[args[1]->cs_cid] = timestamp; }
tcp:::connect-established / began[args[1]->cs_cid] /
{
	printf("%d", (timestamp - began[args[1]->cs_cid]) / 1000);
}
"""
with dwire.Trace(program, seconds=seconds) as t:
    connects = [(row.time / 1e9, row[0]) for row in t]
sizes = t.aggregations.get("size", {})
print(len(connects), "connects;", {name: b.total for name, b in sizes.items()}, "segments")

# %% The picture
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), constrained_layout=True)
bounds = sorted({b.low for buckets in sizes.values() for b in buckets})
width = 0.8 / max(1, len(sizes))
for i, (name, buckets) in enumerate(sorted(sizes.items())):
    x = [bounds.index(b.low) + (i - (len(sizes) - 1) / 2) * width for b in buckets]
    left.bar(x, [b.n for b in buckets], width, label=name or "the kernel")
left.set_xticks(range(len(bounds)), [str(b) for b in bounds], rotation=45)
left.set(title="TCP: bytes of a segment", xlabel="at least, bytes", ylabel="segments", yscale="log")
left.margins(y=0.2)
left.legend(loc="upper center", ncol=4)
start = min((when for when, _ in connects), default=0)
right.plot([when - start for when, _ in connects], [us for _, us in connects], ".", markersize=4)
right.set(title="TCP: time to connect", xlabel="seconds", ylabel="microseconds")
right.set_ylim(bottom=0)
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "plot.png", dpi=80)
