# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# The tools of sockets with all their options (filters.py).
. "$here/tools/filters.lib"
matrix_begin
matrix_run <<'PY'
OWNER = "-p --user --netns --cgroup --container"
SOCKETS = OWNER + " -P -L -D --host -4 -6"
TIME = " -t -T -w"
data = world.REQUEST + world.ANSWER
def size(row):
    return int(row["bytes"])
tool("soconnect", "tcp", SOCKETS + TIME + " -e -m -r", client=1)
tool("soaccept", "tcp", SOCKETS + TIME, server=1)
tool("soconnlat", "tcp", SOCKETS + " --failed -m interval count", client=1)
tool("so1stbyte", "tcp", SOCKETS + " -m interval count", client=1)
tool("solife", "tcp", SOCKETS + TIME + " -m", client=1, server=1)
tool("solisten", "tcp", SOCKETS + TIME, listen=1)
tool("socketio", "tcp", SOCKETS + " interval count -n", client=data, server=data, measure=size)
tool("socksize", "tcp", SOCKETS + " interval count -s", client=2, server=3)
tool("sormem", "tcp", SOCKETS + " interval count", client=2, server=4)
tool("sockstat", "tcp", OWNER + " interval count", once=16)
tool("sofamily", "tcp", OWNER + " interval count", once=2)
tool("soprotocol", "tcp", OWNER + " interval count", once=2)
tool("sofdsnoop", "passed", OWNER + TIME, once=2)
PY
