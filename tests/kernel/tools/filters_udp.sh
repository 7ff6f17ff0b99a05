# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# The tools of datagrams, packets, devices and names with all their options (filters.py).
. "$here/tools/filters.lib"
matrix_begin
matrix_run <<'PY'
OWNER = "-p --user --netns --cgroup --container"
SOCKETS = OWNER + " -P -L -D --host -4 -6"
HOSTS = OWNER + " --host -4 -6"
data = world.DATAGRAM + world.REPLY
def size(row):
    return int(row["bytes"])
def both_ways(row):
    return int(row["rx_bytes"]) + int(row["tx_bytes"])
def total(row):
    return int(row["rx_bytes"]) + int(row["tx_bytes"])
tool("udpconnect", "udp", SOCKETS + " -t -w", client=1, port="remote")
tool("udplife", "udp", SOCKETS + " -t -T -w", client=data, listen=data, measure=total)
tool("udpsnoop", "udp", SOCKETS + " --wide -w -s -C -G -W", client=data, server=data, measure=size)
tool("udptop", "udp", SOCKETS + " -C -n interval count", client=data, server=data, measure=both_ways,
     args=["1"], linger=1.2)
tool("ipecn", "ecn", "--netns --host -4 -6 -a", once=1)
# Of each datagram, without the queue of the device: output, postrouting, transmit, driver-in, device-in, prerouting, input,
# socket, read. A stage on the way has no process. The row of the call that sent it is shown with it.
tool("pktpath", "udp", SOCKETS + " -i -n --flags -t -T --wide -w -s -C -G -W", client=10, server=10, columns=93, on_way=True, linger=1.2,
     measure=lambda row: row["stage"] not in ("queue", "dequeue"))
# Of each datagram the first step.
tool("pktlat", "udp", SOCKETS + " -i interval count", client=1, server=1, names=False,
     measure=lambda row: int(row["packets"]) if row["from"] == "output" else 0)
tool("superping", "ping", HOSTS + " --failed -m -T", once=1, names=False)
tool("dnssnoop", "dns", HOSTS + " -q -s -x -m -t -T -w", once=1)
tool("gethostlatency", "lookup", OWNER + " -m -e -x", once=1)
tool("neighsnoop", "neighbour", "--netns --host -4 -6 -i -r -q -x -m -t -T -w", once=1, own=["-r", "-q"], empty=1, on_way=True)
tool("netsize", "udp", HOSTS + " -i -D interval count", once=4)  # of a process: what it sends
tool("nettxlat", "udp", HOSTS + " -i -D interval count", once=2)
tool("nettxlat-dev", "udp", HOSTS + " -i interval count", once=2)
tool("skbdrop", "again", HOSTS + " -s -i -r --rules interval count -n", columns=140, once=lambda s: s["drops"],
     measure=lambda row: int(row["drops"]) if row.get("reason") == "SOCKET_FILTER" else 0)
if "DWIRE_NO_QUEUE" not in os.environ:  # the devices' queue is a tbf
    for name in "qdisclat", "qdisc-tbf":
        tool(name, "udp", HOSTS + " -i -D interval count", once=2)
    tool("qdisclat", "udp", "kind", once=2, args=["tbf"])
    for name in "cbq", "cbs", "codel", "fq", "fq_codel", "red":
        tool(f"qdisc-{name}", "udp", HOSTS + " -i -D interval count", once_more=False)
PY
