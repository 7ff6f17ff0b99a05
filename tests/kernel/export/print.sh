# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# What the metrics say is what the script's own text says; the options; errors.
export=${dwire%/*}/dwire-export
[ -x "$export" ] || skip "dwire-export was not built"
cat >all.d <<'D'
#pragma D option quiet
tick-2ms
{
	this->v = (i * 7919) % 1000 - 100;
	@n[i % 5] = count();
	@total["a\"b\\"] = sum(i);
	@balance = sum(this->v - 400);
	@least = min(this->v);
	@most = max(this->v);
	@mean = avg(i);
	@sizes = quantize(this->v);
	@steps = lquantize(this->v, 0, 500, 100);
	@by[pid, i % 2] = count();
	i++;
}
tick-2ms / i == 100 / { exit(3); }
D
sed -i '2i int i;' all.d
"$dwire" --emit -s all.d >stream || [ $? = 3 ] || fail "no stream"
"$dwire" merge stream >text
"$export" --print <stream >metrics
expect_eq $? 3 "the status of the trace"
python3 - metrics <<'PY' || fail "numbers"
import re, sys
got = dict(re.match(r'(.*) (\S+)$', line).groups() for line in open(sys.argv[1]) if line[0] != "#")
got = {re.sub(r'host="[^"]*",?', "", k): v for k, v in got.items()}
values = [i * 7919 % 1000 - 100 for i in range(100)]
for k in range(5):
    assert got['dwire_n_total{key1="%d"}' % k] == "20", got
assert got['dwire_total_total{key1="a\\"b\\\\"}'] == str(sum(range(100)))
assert got['dwire_balance{}'] == str(sum(v - 400 for v in values))
assert got['dwire_least{}'] == str(min(values)) and got['dwire_most{}'] == str(max(values))
assert got['dwire_mean_count{}'] == "100" and got['dwire_mean_sum{}'] == str(sum(range(100)))
for name in ("sizes", "steps"):
    bounds = {k: v for k, v in got.items() if k.startswith("dwire_%s_bucket" % name)}
    assert len(bounds) > 5, bounds
    for k, v in bounds.items():
        le = float(re.search(r'le="(.*)"', k)[1].replace("+Inf", "inf"))
        assert int(v) == sum(x <= le for x in values), (k, v)
assert {k: v for k, v in got.items() if k.startswith("dwire_by_")} == {
    'dwire_by_total{key2="0"}': "50", 'dwire_by_total{key2="1"}': "50"}, got
PY
"$export" --print --label pid <stream | grep -q 'dwire_by_total{.*,pid="[0-9-]*",key2="0"}' || fail "--label pid"
"$export" --print --no-label key1 <stream | grep -q 'dwire_n_total{host="[^"]*"} 100$' || fail "--no-label"
"$export" --print --max 2 <stream >few
grep -q 'dwire_n_total{.*otel_metric_overflow="true"} 60$' few || fail "--max 2: $(grep dwire_n few)"
grep -q 'dwire_trace_overflow_keys{.*metric="n",function="count"} 3$' few || fail "keys in the overflow"
# A stream that is cut.
head -n -1 stream | "$export" --print >/dev/null 2>errors
expect_eq $? 1 "a stream that is cut"
grep -q 'ended before its trace did' errors || fail "its message: $(<errors)"
for wrong in '--max 0' '--interval x' '--otlp ftp://x' '--nosuch' '--default cat'; do
	# shellcheck disable=SC2086 # words
	"$export" $wrong </dev/null >out 2>errors
	expect_eq $? 2 "$wrong"
	[ -s errors ] && [ ! -s out ] || fail "$wrong: $(<errors)"
done
"$export" --listen none nosuch-command 2>errors
expect_eq $? 1 "a command that is not there"
grep -q 'cannot start nosuch-command: No such file or directory' errors || fail "its message: $(<errors)"
"$export" --script >script.d
"$dwire" -e -s script.d || fail "the script of --default"
"$export" -h | grep -q -- --otlp || fail "-h"
# Rules, alerts and the dashboard speak of metrics that the script has.
examples=$here/../../docs/examples/prometheus
python3 - script.d "$examples"/dwire.rules.yml "$examples"/dwire.grafana.json <<'PY' || fail "names of metrics"
import json, re, sys
script = open(sys.argv[1]).read()
json.load(open(sys.argv[3]))
known = set(re.findall(r"@(\w+)", script)) | {"trace_up", "trace_drops"}
for path in sys.argv[2:]:
    used = set(re.findall(r"\bdwire_(\w+?)(?:_total|_bucket)?\b(?=[\[{ )]|$)", open(path).read()))
    assert used and used <= known, used - known
PY
if command -v promtool >/dev/null; then
	(cd "$examples" && promtool test rules dwire.test.yml) >said 2>&1 || fail "promtool: $(<said)"
fi
