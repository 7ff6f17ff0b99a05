# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Arrays and self-> variables whose key and value are a word each: a table of buckets, and the hash where a bucket is full
# (abi/words.h). Keys of one bucket, the least and the largest ones, values of every kind of change; then many
# CPUs that make and delete the same keys. No value shows up under another key, and nothing is left in the table.
# timeout: 120
. "$here/lib/cli.lib"
run_limit=60

# N keys of one bucket of 16384: the number of the group of 2^15 decides where the group begins.
keys() { # N BUCKET
	local g
	for ((g = 1; g <= $1; g++)); do
		echo $((g << 15 | (($2 - (g * 0x9e3779b97f4a7c15 >> 32)) & 16383)))
	done
}
mapfile -t key < <(keys 12 77)
key+=(0 1 -1 32767 32768 $((1 << 63)) $(((1 << 63) - 1)))
all() { # D with K for a key and V for its number: of each key
	local i
	for i in "${!key[@]}"; do
		sed "s/K/(int64_t)${key[i]}/g; s/V/$((i + 100))/g" <<<"$1"
	done
}
{
	echo 'uint64_t x[int64_t]; int bad, n;'
	echo "BEGIN { $(all 'bad += x[K] != 0;') $(all 'x[K] = V;') }"
	echo "BEGIN { $(all 'bad += x[K] != V;') $(all 'x[K] = V + 1; bad += x[K] != V + 1;') }"
	# Those in the table go, and others come: from the hash to the table.
	echo "BEGIN { x[${key[0]}] = 0; x[${key[2]}] = n; bad += x[${key[0]}] + x[${key[2]}] != 0; $(all 'x[K] = V + 2;') }"
	echo "BEGIN { $(all 'bad += x[K] != V + 2;') $(all 'x[K] = V % 2 ? 0 : V;') }"
	echo "BEGIN { $(all 'bad += x[K] != (V % 2 ? 0 : V);') $(all 'x[K] = V % 3 ? V : n;') }"
	echo "BEGIN { $(all 'bad += x[K] != (V % 3 ? V : 0);') $(all 'x[K] = 0; bad += x[K] != 0;') }"
	echo "BEGIN { $(all 'bad += x[K] != 0;') printf(\"%d\n\", bad); exit(0); }"
} >values.d
gives 0 "0" "" -q -s values.d
gives 0 "0" "" -q -x dynvarsize=1m -s values.d # without a table

python3 - <<'END' || skip "no ctypes"
import ctypes
END
hash bpftool 2>/dev/null || skip "no bpftool"
cat >calls.py <<'END'
import ctypes, json, os, random, subprocess, sys, time
libc = ctypes.CDLL(None)
call, rounds, names = libc.lseek, int(sys.argv[1]), sys.argv[2:]
call.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int]
SET, DROP, HAS, HASNOT = 0, 1, 2, 3
shared, own, workers = [int(k) for k in os.environ["KEYS"].split()], 3, int(os.environ["WORKERS"])
def work(n):
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[n]})
    rand, mine = random.Random(n), shared[n * own:(n + 1) * own]
    for i in range(rounds):
        common = rand.choice(shared[workers * own:])
        call(77, common, rand.choice((SET, SET, DROP)))
        key = mine[i % own]
        call(77, key, SET)
        call(77, rand.choice(shared[workers * own:]), rand.choice((SET, DROP)))
        call(77, key, HAS)
        if i % 2 or i >= rounds - own:
            call(77, key, DROP)
            call(77, key, HASNOT)
children = []
for n in range(workers):
    pid = os.fork()
    if not pid:
        work(n)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
def rows(kind, name):
    dump = subprocess.run(["bpftool", "-j", "map", "dump", "name", kind + name], capture_output=True).stdout
    return json.loads(dump or "[]")
def left(name):  # pairs of the table that have a key, and its count of elements of the hash; these
    if not os.environ["TABLE"]:
        return 0, len(rows("dw_", name)), len(rows("dw_", name))
    b = bytes(int(b, 16) for b in rows("dw_w_", name)[0]["value"])
    words = memoryview(b).cast("Q")
    return sum(w & 1 for w in words[8::2]), words[0], len(rows("dw_", name))
print(*left(names[0]), *left(names[1]))
for k in shared:
    call(77, k, DROP)
print(*left(names[0]))
END
workers=$(nproc) # a thread for each: where the kernel preempts programs, it skips them for other threads of the CPU
[ "$workers" -le 4 ] || workers=4
# Those of each CPU alone overfill a bucket. Those of all fit into another: an element of the hash may be read under a key
# that another CPU has just deleted, since the kernel uses its memory again at once.
mapfile -t key < <(keys $((workers * 3)) 77; keys 4 78)
name=$((RANDOM % 10000)) # the tables' names have it
crowd() {
	KEYS="${key[*]}" TABLE=$table WORKERS=$workers run -q -n "uint64_t a$name[int64_t];
		syscall::lseek:entry /(int)arg0 == 77 && arg2 == 0/ { a$name[arg1] = arg1 * 1000003 + 7; }
		syscall::lseek:entry /(int)arg0 == 77 && arg2 == 1/ { a$name[arg1] = 0; }
		syscall::lseek:entry /(int)arg0 == 77/ { self->s$name = arg1 + 5; @calls = count(); this->v = a$name[arg1]; }
		syscall::lseek:entry /(int)arg0 == 77 && this->v && this->v != arg1 * 1000003 + 7/ { @wrong = count(); }
		syscall::lseek:entry /(int)arg0 == 77 && arg2 == 2 && !this->v/ { @lost = count(); }
		syscall::lseek:entry /(int)arg0 == 77 && arg2 == 3 && this->v/ { @stays = count(); }
		syscall::lseek:return /self->s$name/ { @returns = count(); self->s$name = 0; }
		END { printa(\"calls %@d\\n\", @calls); printa(\"returns %@d\\n\", @returns); printa(\"wrong %@d\\n\", @wrong);
			printa(\"lost %@d\\n\", @lost); printa(\"stays %@d\\n\", @stays); }" \
		-c "python3 $PWD/calls.py $rounds a$name s$name"
	[[ $OUT != *wrong* ]] || fail "values of other keys: $OUT"
	! grep -q 'missed .*(recursion)$' <<<"$ERR" || return 1
	expect_eq "$STATUS $ERR" "0 " "status and errors"
	calls=$((workers * (rounds * 4 + (rounds / 2 + 1) * 2) + ${#key[@]})) # one of the last three is even
	expect_eq "$(sed -n '2,$p' <<<"$OUT")" "0 0 0
calls $calls
returns $calls" "words and elements that are left; calls, returns; nothing is wrong, lost or stays"
}
table=1
since 5.12 || table= # the hash alone
rounds=20000
slow_machine && rounds=1000
for try in 1 2 3 4 5; do
	if crowd; then break; fi
done
! grep -q 'missed .*(recursion)$' <<<"$ERR" || skip "the kernel preempts programs here, and skips them for other threads"
expect_eq "$STATUS $ERR" "0 " "status and errors, at the last of $try tries"
read -r words elsewhere elements own <<<"$(head -n 1 <<<"$OUT")"
expect_eq "$own" "0 0 0" "the self-> variable: words, elements"
expect_eq "$elsewhere" "$elements" "elements of the hash, and the count of them"
expect_le $((words + elements)) $((${#key[@]} - workers * 3 + 4)) "elements; two CPUs may have made one twice"
