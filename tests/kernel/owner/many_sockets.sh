# SPDX-License-Identifier: GPL-2.0-or-later
# More sockets than the owner service has room for by default, all of them UDP: each is known, and nothing is dropped.
. "$here/lib/cli.lib"
need python3

cat >"$tmp/open.py" <<'P'
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
left = int(sys.argv[1])
each = int(os.popen("ulimit -Hn").read().replace("unlimited", "1000000")) - 100
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (each + 100, each + 100))
pids = []
while left > 0:
    take = min(left, each)
    ready, tell = os.pipe()
    pid = os.fork()
    if not pid:
        made = sum(libc.socket(2, 2, 0) >= 0 for _ in range(take))
        os.write(tell, str(made).encode())
        signal.pause()
    os.close(tell)
    pids.append(pid)
    if int(os.read(ready, 16)) < take:
        print("few", flush=True)
    left -= take
print("open", flush=True)
sys.stdin.read()
for pid in pids:
    os.kill(pid, signal.SIGKILL)
P
mkfifo "$tmp/end" "$tmp/state"
python3 "$tmp/open.py" 150000 <"$tmp/end" >"$tmp/state" &
exec 5>"$tmp/end" 6<"$tmp/state"
read -r -t 40 -u 6 state
[ "$state" = open ] || { exec 5>&-; skip "150,000 sockets cannot be opened"; }
run -qn 'tcp:::send { @[args[1]->cs_pid] = count(); } tick-100ms { exit(0); }'
exec 5>&-
wait
expect_eq "$STATUS $(grep -c 'owner drop' <<<"$ERR")" "0 0" "nothing is dropped: $ERR"
