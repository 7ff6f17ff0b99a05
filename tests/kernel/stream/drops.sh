# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Lost data is a frame like the others: it has its own number, and merge loses nothing because of it.
cat >lossy.d <<'D'
#pragma D option quiet
#pragma D option dynvarsize=1k
int i;
int a[int];
tick-1ms { a[i++] = 1; }
tick-200ms { exit(0); }
D
"$dwire" --emit -s lossy.d >stream 2>errors
expect_eq $? 0 "status of the trace: $(<errors)"
python3 - stream <<'PY' || fail "frames"
import json, sys

def once(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)

frames = [json.loads(line, object_pairs_hook=once) for line in open(sys.argv[1], encoding="utf-8")]
assert [f["n"] for f in frames] == list(range(len(frames))), "numbers of frames"
drops = [f for f in frames if f["f"] == "drops"]
assert "DYN" in {f["cause"] for f in drops}, drops
assert all(f["count"] > 0 for f in drops), drops
PY
"$dwire" merge stream 2>merged
expect_eq $? 0 "status of merge: $(<merged)"
grep -q 'dynamic variable drops' merged || fail "merge reports no drops: $(<merged)"
