# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# dwire merge of any number of streams shows what one machine would have: the same events split among machines in any
# way, with frames in any order, twice, and partial states lost, against sums that a model makes.
python3 - "$dwire" "$tmp" <<'PY' || fail "the model"
import json, random, subprocess, sys
import streams

dwire, tmp = sys.argv[1:]


def merge(lines, *options):
    """Output, messages and status."""
    r = subprocess.run([dwire, "merge", *options], input="\n".join(lines) + "\n", capture_output=True, text=True,
                       timeout=20)
    return r.stdout, r.stderr, r.returncode


def expect(got, want, what):
    if got != want:
        sys.exit("%s:\n--- got\n%s\n--- want\n%s" % (what, got, want))


def whole(events, steps):
    """One machine: a step after each part, the values taken back after it."""
    s = streams.Stream("one")
    s.describe()
    for i, part in enumerate(events):
        s.states(part, gen=i)
        if steps:
            s.step(i, 2000 + i * 1000)
    s.end()
    return s


for seed in range(30):
    random.seed(seed)
    steps, hosts = seed % 2, random.randint(1, 6)
    parts = [streams.random_events(random.randint(1, 200)) for _ in range(3 if steps else 1)]
    want = "".join(streams.printed(p) for p in parts) + "\n" if steps else None
    one, messages, status = merge(whole(parts, steps).frames)
    expect(messages + str(status), "0", "messages of one, seed %d" % seed)
    if steps:
        expect(one[:len(want) - 1], want[:-1], "one machine against the model, seed %d" % seed)

    else:
        deepest = max(v % 7 for _, v in parts[0])
        expect("vmlinux`f+0x%x\n" % deepest in one, False, "a deeper stack than any, seed %d" % seed)
        expect(deepest == 0 or "vmlinux`f+0x%x\n" % (deepest - 1) in one, True, "the deepest stack, seed %d" % seed)

    split = [[[] for _ in parts] for _ in range(hosts)]
    for i, part in enumerate(parts):
        for event in part:
            split[random.randrange(hosts)][i].append(event)
    sessions = []
    for h in range(hosts):
        s = streams.Stream("host%d" % h)
        s.describe()
        for i, part in enumerate(split[h]):
            for _ in range(random.randrange(3)):  # what beats report meanwhile
                seen = part[:random.randint(0, len(part))]
                s.states(seen, gen=i, whole=random.random() < 0.5, keys=None)
                s.add("beat", t=0)
            s.states(part, gen=i)
            if steps:
                s.step(i, 2000 + i * 1000)
        s.end()
        sessions.append(s)
    lines = [line for s in sessions for line in s.frames]
    many, messages, status = merge(lines)
    expect(messages + str(status), "0", "messages of many, seed %d" % seed)
    expect(many, one, "many machines, seed %d" % seed)

    random.shuffle(lines)
    lines += random.sample(lines, len(lines) // 2)
    expect(merge(lines)[0], one, "shuffled and repeated, seed %d" % seed)
    emitted, messages, status = merge(lines, "--emit")
    expect(merge(emitted.splitlines())[0], one, "a merge of a merge, seed %d" % seed)
    node = {s.session: "node%d: " % i for i, s in enumerate(sessions)}
    prefixed = [node[json.loads(line)["s"]] + line for line in lines]
    expect(merge(prefixed)[0], one, "with the names of a fan-out program, seed %d" % seed)

    # Partial states are repeated by later ones, so that their loss changes nothing but is reported.
    lost = [line for line in lines if '"f": "state"' not in line or '"part"' in line]
    if len(set(lost)) < len(set(lines)):
        got, messages, status = merge(lost)
        expect(got, one, "lost partial states, seed %d" % seed)
        expect(("frames were lost" in messages, status), (True, 1), "a report of the loss, seed %d" % seed)
PY
