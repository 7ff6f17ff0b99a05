# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# A replay is the live text, byte for byte; what is killed keeps all but a second; damage is said and passed over; nobody
# follows links or writes beside another recorder.
cat >script.d <<'D'
#pragma D option quiet
tick-10ms /i < 50/ { printf("row %d %s\n", i++, "text"); @q["a", i % 3] = quantize(i); @s[i % 5] = stddev(i); }
tick-10ms /i == 50/ { printa("%s %d %@d\n", @q); exit(3); }
END { printf("end\n"); }
D
"$dwire" -s script.d >live
"$dwire" record -o rec -s script.d 2>recorded
expect_eq $? 3 "the status of the script: $(<recorded)"
# On a busy machine firings of the tick come too late: the replay says that, too, with the host, and nothing else.
expect_eq "$(grep -vE '^dwire: [0-9]+ tick firings? missed \(too late\)$' recorded)" "" "messages of the recording"
"$dwire" replay rec >replayed 2>err
expect_eq $? 3 "the status of the replay: $(<err)"
expect_eq "$(<err)" "$(sed "s/^dwire: /&$(uname -n): /" recorded)" "messages of the replay"
cmp live replayed || fail "the replay differs"
cmp live <("$dwire" merge rec) || fail "a merge of the recording differs"
cmp live <("$dwire" replay rec --json | "$dwire" merge) || fail "the frames differ"
expect_eq "$(stat -c %a rec rec/*)" "$(printf '700\n600')" "modes"
expect_eq "$("$dwire" replay rec --to 2001-01-01 2>&1)" "dwire: nothing was recorded in that time" "before its time"
cmp live <("$dwire" replay rec --from -1h --to 2100-01-01T00:00:00Z) || fail "a window around all of it differs"

# Killed; the directory is continued. Two rows may be in the block that was open: less than a second.
timeout -s KILL 3.5 "$dwire" record -o rec -n 'tick-100ms { printf("live %d\n", i++); }' 2>/dev/null
"$dwire" record -o rec -s script.d 2>err || expect_eq $? 3 "a directory is continued: $(<err)"
"$dwire" replay rec >replayed 2>err
expect_ge "$(grep -c 'live ' replayed)" 10 "rows before the kill"
expect_eq "$(grep -c '^row 49 text' replayed)" 2 "the sessions before and after"

# A byte of a block is changed: the rest stays.
cp -r rec broken
python3 - broken/000000000001.dwr <<'P'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-30 - 40 - 40 - 53, 2)
    f.write(b"\xff")
P
"$dwire" replay broken >replayed 2>err && fail "damage has no status"
expect_match "$(<err)" "segment 1 is damaged in 1 place" "damage is said"
expect_eq "$(grep -c '^row 49 text' replayed)" 1 "the block is gone, the other sessions are shown"
expect_eq "$(grep -c 'live ' replayed)" "$("$dwire" replay rec 2>/dev/null | grep -c 'live ')" "the other session"

# Who may write, and through what.
"$dwire" record -o rec -n 'tick-100ms { printf("x"); }' & first=$!
until [ "$(ls rec | wc -l)" -ge 4 ]; do sleep 0.05; kill -0 $first || fail "the recorder ended"; done
"$dwire" record -o rec -s script.d 2>err && fail "two recorders of a directory"
expect_match "$(<err)" "another recorder writes there" "the lock"
kill -INT $first
wait $first
ln -s rec link
"$dwire" record -o link -s script.d 2>err && fail "a link is followed"
mkdir -m 777 open
"$dwire" record -o open -s script.d 2>err && fail "a directory that all may write to"
expect_match "$(<err)" "others may write to it" "why"

# Frames of a recording that anybody wrote act on no terminal, and mean what they meant.
python3 - <<'PY' || fail "a recording that is made by hand"
import os, struct, zlib
hello = b'"v":1,"host":"x\xc2\x9b","clock":{"wall":1,"mono":1},"hash":"h","script":"","options":[]'
beats = '"t":5,"x":"\x7f\u202e\u00e9"'.encode(), b'"t":6,"x":"\x1b[2J"'
text = b"".join(b'{"s":"bbbbbbbbbbbbbbbb","n":%d,"f":"%s",%s}\n' % (n, kind, more)
                for n, (kind, more) in enumerate([(b"hello", hello), (b"beat", beats[0]), (b"beat", beats[1])]))
head = struct.pack("<4sIIIQQI", b"dwB1", 0, len(text), len(text), 1, 0, zlib.crc32(text))
os.mkdir("hostile", 0o700)
open("hostile/000000000001.dwr", "wb").write(head + struct.pack("<I", zlib.crc32(head)) + text)
PY
"$dwire" replay hostile --emit >out 2>&1
expect_eq "$(python3 - <<'PY'
import json
text = open("out").read()
print(sorted(set(c for c in text if c < " " or c in "\x7f\x9b\u202e")),
      [ascii(json.loads(l)["x"]) for l in text.split("\n")[1:3]])
PY
)" "['\\n'] [\"'\\\\x7f\\\\u202e\\\\xe9'\", \"'\\\\x1b[2J'\"]" "frames of a hostile recording: $(cat -v out)"
