# SPDX-License-Identifier: GPL-2.0-or-later
# Whoever chooses the parts of a key cannot choose keys that share a word of the index by which they are found. Here they are
# computed for a hash whose factor is known; with a secret factor most of 1,000 keys find a slot.
# timeout: 60
. "$here/lib/cli.lib"
run_limit=40
hash bpftool 2>/dev/null || skip "no bpftool"
cat >chosen.py <<'END'
import ctypes, json, subprocess, sys
libc = ctypes.CDLL(None)
odd, start, mask = 0x9e3779b97f4a7c15, 0x13198a2e, 2**64 - 1
def call(number, *args):
    libc.syscall(ctypes.c_long(number), *(ctypes.c_uint64(a) for a in args))
splice = {"x86_64": 275, "aarch64": 76}[sys.argv[1]]
for i in range(1, 1001):  # the descriptors, of which the first and the third are -1, are not looked up before they fail
    call(splice, mask, i, mask, (start ^ i) * odd & mask, 1, 0)
dump = json.loads(subprocess.run(["bpftool", "-j", "map", "dump", "name", sys.argv[2]], capture_output=True).stdout)
table = bytes(int(b, 16) for b in dump[0]["value"])
slots, size = 8192, 16 + 5 * 8 + 8  # abi/slots.h: the slots are at the end; a free one has the number 0
print(sum(table[at:at + 6] != bytes(6) for at in range(len(table) - slots * size, len(table), size)))
END
python3 - <<'END' || skip "no ctypes"
import ctypes
END
name=c$$ # the table's name has it
run -q -n "syscall::splice:entry /pid == \$target/ { @$name[arg0, arg1, arg2, arg3, arg4] = count(); }
	END { printa(\"%d %d %d %d %d %@d\n\", @$name); }" -c "python3 $PWD/chosen.py $(uname -m) slots_$name"
expect_eq "$STATUS $ERR" "0 " "status and messages"
expect_ge "$(sed -n 1p <<<"$OUT")" 800 "keys in slots"
expect_eq "$(awk 'NF == 6 { n++; c += $6 } END { print n, c }' <<<"$OUT")" "1000 1000" "keys, events"
