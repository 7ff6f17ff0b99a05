# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of frame that the code can write is one of the schema's; streams with frames of each kind are valid, and the
# schema refuses a frame of each kind that is not.
python3 -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema"
netns_new pkt
cat >every.d <<'D'
#pragma D option dynvarsize=1k
BEGIN { @n[stack(2)] = count(); @q = quantize(arg0); snapshot(); setopt("quiet"); }
BEGIN { trace(*(int *)8); }
tcp:::send /args[1]->cs_netns == $1/ { pcap(args[0], 60); packets++; }
tick-1ms { many[ticks++] = 1; }
tick-50ms { @seen = max(packets); printf("seen %d\n", packets); }
tick-50ms /packets > 5 && ticks > 500/ { trunc(@q, 1); printa(@n); clear(@n); exit(0); }
D
"$dwire" --emit -s every.d "$NETNS_ID" >one 2>errors &
pid=$!
for _ in {1..100}; do
	grep -q '"f":"row' one && break
	sleep 0.1
done
ip netns exec "$NETNS" "$triggers/tcp_echo" -4 -n 5 >/dev/null || fail "traffic"
for _ in {1..100}; do
	kill -0 $pid 2>/dev/null || break
	sleep 0.1
done
kill -INT $pid 2>/dev/null
wait $pid || fail "status of the trace: $(<errors)"
head -n -1 one | sed 's/"s":"[0-9a-f]*"/"s":"0123456789abcdef"/' >cut
"$dwire" --emit -qn 'BEGIN { exit(0); }' | sed 's/"s":"[0-9a-f]*"/"s":"00000000000000aa"/' >other
"$dwire" merge --emit one cut other >merged 2>errors
expect_match "$(<errors)" "it runs another script" "a machine that is left out"
python3 - "$here/../.." one merged <<'PY' || fail "kinds of frames"
import json, re, sys
import jsonschema

root, *streams = sys.argv[1:]
schema = json.load(open(root + "/docs/stream.schema.json", encoding="utf-8"))
validator = jsonschema.Draft7Validator(schema)


def words(path, macro):
    """Those of an X-macro of the code."""
    text = open("%s/src/stream/%s" % (root, path), encoding="utf-8").read()
    body = re.search(r"#define %s\(X\)(.*?[^\\])\n" % macro, text, re.DOTALL).group(1)
    found = re.findall(r'X\(\w+, "([^"]+)"\)', body)
    assert len(found) == len(re.findall(r"X\(\w", body)) and found, (macro, body)
    return set(found)


def same(got, want, what):
    if set(got) != set(want):
        sys.exit("%s: %s differ" % (what, sorted(set(got) ^ set(want))))


kinds = words("frame.h", "FRAMES")
same(schema["properties"]["f"]["enum"], kinds, "kinds in the schema and in the code")
same([c["if"]["properties"]["f"]["const"] for c in schema["allOf"]], kinds, "kinds that the schema describes")
action = schema["definitions"]["clause"]["properties"]["actions"]["items"]["anyOf"][1]["properties"]["action"]
same(action["enum"], words("frame.h", "FRAME_ACTIONS"), "actions")
state = schema["definitions"]["hosts"]["properties"]["out"]["items"]["items"][1]
same(state["enum"], words("census.h", "HOST_STATES") - {"reports"}, "states of machines")

samples = {}
for name in streams:
    for line in open(name, encoding="utf-8"):
        frame = json.loads(line)
        for error in validator.iter_errors(frame):
            sys.exit("%s: %s: %s" % (name, error.message[:200], line[:300]))
        if frame["f"] not in samples or frame.get("out"):
            samples[frame["f"]] = frame
same(samples, kinds, "kinds that were written")
assert ["pcap"] == [a["action"] for line in open("one") for f in [json.loads(line)] if f["f"] == "clause"
                    for a in f["actions"] if a and a["action"] == "pcap"], "a clause with packets"
assert {s for _, s in samples["hosts"]["out"]} >= {"left out", "ended early"}, samples["hosts"]

# Each member that a kind must have is missed, and no kind takes one of another type.
for kind, frame in samples.items():
    required = schema["definitions"]["beat" if kind == "snapshot" else kind]["required"]
    assert required, kind
    for member in required:
        less = {k: v for k, v in frame.items() if k != member}
        assert list(validator.iter_errors(less)), "a %s frame without %s is valid" % (kind, member)
        assert list(validator.iter_errors({**frame, member: None})), "%s of a %s frame may be null" % (member, kind)
PY
