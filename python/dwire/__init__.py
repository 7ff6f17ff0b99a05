# SPDX-License-Identifier: GPL-2.0-or-later
"""DTrace for the network stack of Linux.

    import dwire

    with dwire.Trace("tcp:::send { trace(execname); }", seconds=5) as t:
        for row in t:
            print(row.time, row["execname"])

docs/PYTHON.md of the source has more examples.
"""
from .errors import Drop, DropWarning, Error, Message, Warning
from .library import version
from .probes import Probe, probes
from .trace import Trace
from .values import Aggregation, Bucket, Buckets, Record, frame

__all__ = [
    "Aggregation", "Bucket", "Buckets", "Drop", "DropWarning", "Error", "Message", "Probe", "Record", "Trace",
    "Warning", "frame", "probes", "version",
]
