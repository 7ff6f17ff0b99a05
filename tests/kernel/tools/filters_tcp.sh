# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# The tools of TCP connections with all their options (filters.py).
. "$here/tools/filters.lib"
matrix_begin
matrix_run <<'PY'
OWNER = "-p --user --netns --cgroup --container"
SOCKETS = OWNER + " -P -L -D --host -4 -6"
data = world.REQUEST + world.ANSWER
def size(row):
    return int(row["bytes"])
def both_ways(row):
    return int(row["rx_bytes"]) + int(row["tx_bytes"])
def new(row):
    return row["event"] == "new"
tool("tcpconnect", "tcp", SOCKETS + " -t -T -w -c -U -n", client=1, port="remote")
tool("tcpaccept", "tcp", SOCKETS + " -t -T -w", server=1, port="local")
tool("tcpbind", "tcp", SOCKETS + " -t -T -w", listen=1, bind=1, port="local")
tool("tcplife", "tcp", SOCKETS + " -m -t -T -w", client=1, server=1)
tool("tcpstates", "tcp", SOCKETS + " -t -T -w", client=5, server=5, listen=2, columns=112)
tool("tcpstate", "tcp", SOCKETS, client=5, server=5, listen=2)
tool("tcpsnoop", "tcp", SOCKETS + " --wide -w -s -C -G -W", client=data, server=data, measure=size)
tool("tcpio", "tcp", SOCKETS, client=data, server=data, measure=size)
tool("tcptop", "tcp", SOCKETS + " -C -n interval count", client=data, server=data, measure=both_ways,
     args=["1"], linger=1.2)
tool("tcpwin", "tcp", SOCKETS, client=1, server=1, measure=new)
tool("tcprtt", "tcp", SOCKETS + " -H -n interval count", client=1, measure=lambda row: 1)
tool("reqlat", "tcp", SOCKETS + " -t -T -w -m -n interval count", client=1, server=1,
     measure=lambda row: int(row["answers"]), names=False)
tool("netlat", "tcp", SOCKETS + " -H interval count", client=1, both=True, names=False,
     measure=lambda row: int(row["rounds"]) if row["stage"] == "whole" else 0)
tool("sotrace", "tcp", SOCKETS + " -t -T -w -a", client=1, server=1, measure=lambda row: row["event"].endswith("-established"),
     names=False)
tool("tcpsynbl", "tcp", SOCKETS + " interval count", server=1)
tool("tcpnagle", "tcp", SOCKETS + " interval count", client=1, server=1)
tool("tcpretrans", "again", SOCKETS + " -t -c -l -n -w", client=lambda s: s["retransmits"], own=["-l"])
tool("tcpreset", "reset", SOCKETS + " -c -t -T -w -n interval count", client=1, server=1, columns=86)
tool("tcpdrop", "again", SOCKETS + " -t --wide -w -s -C -G -W", server=lambda s: s["drops"], columns=101, own=["-q"])
PY
