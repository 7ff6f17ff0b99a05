# SPDX-License-Identifier: GPL-2.0-or-later
# Keys with many events stay in the table in which keys begin, while thousands of new ones come and go; they leave when
# they have few events. Two aggregations with the same keys have one table. No event is lost or counted twice.
# timeout: 120
. "$here/lib/cli.lib"
run_limit=60
hash bpftool 2>/dev/null || skip "no bpftool"
cat >calls.py <<'END'
import ctypes, json, subprocess, sys, time
libc = ctypes.CDLL(None)
def kept():  # abi/slots.h: a bit for each slot, behind two lines
    dump = json.loads(subprocess.run(["bpftool", "-j", "map", "dump", "name", sys.argv[1]], capture_output=True).stdout)
    return sum(bin(int(b, 16)).count("1") for b in dump[0]["value"][128:128 + 8192 // 8])
new = 0
def calls(n, hot):
    global new
    for i in range(n):
        if i % 200 == 0:
            time.sleep(0.002)  # the consumer keeps up
        for key in hot:
            libc.getpgid(-1 - key)
        new += 1
        libc.getpgid(-1000 - new)
calls(6000, range(5))
during = kept()
calls(8000, [])
alone = subprocess.run(["bpftool", "map", "show", "name", sys.argv[2]], capture_output=True).returncode == 0
print(during, kept(), int(alone))
END
python3 - <<'END' || skip "no ctypes"
import ctypes
END
name=k$$ # the table's name has it
both() {
	run -q -n "syscall::getpgid:entry /pid == \$target && (int)arg0 < 0/ {
		@$name[execname, execname, (int)arg0] = count(); @o$name[execname, execname, (int)arg0] = sum(3); }
		END { printa(\"%s %s %d %@d %@d\n\", @$name, @o$name); }" -c "python3 $PWD/calls.py slots_$name slots_o$name"
	[ "$STATUS$ERR" = 0 ] || echo "FAILED: $STATUS $ERR"
	echo "kept while they had many events, and at the end: $(head -n 1 <<<"$OUT")"
	[[ "$(head -n 1 <<<"$OUT")" =~ ^5\ 0\ 0$ ]] || echo "FAILED: keys that stay, and a table of the other alone"
	[ "$(awk 'NF == 5 { n++; c += $4; s += $5; few += $4 == 1; many += $4 == 6000 } END { print n, c, s, few, many }' <<<"$OUT")" = \
		"14005 44000 132000 14000 5" ] || echo "FAILED: keys, events, sums"
}
measure both
