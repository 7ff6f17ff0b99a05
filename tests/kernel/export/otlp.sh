# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 90
# What an OpenTelemetry collector gets: metrics and rows, decoded by protoc; one that is away, refuses or is slow for a
# while costs neither the trace nor what it gets later.
export=${dwire%/*}/dwire-export
[ -x "$export" ] || skip "dwire-export was not built"
command -v protoc >/dev/null || skip "needs protoc (protobuf-compiler)"
netns_new collector
proto=$here/../../src/export/net
# The first request of each path is answered by 503, those to /refuse by 400; each body is a file.
cat >collector.py <<'PY'
import http.server, sys
seen = {}
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        n = seen[self.path] = seen.get(self.path, 0) + 1
        status = 400 if "refuse" in self.path else 503 if n == 1 else 200
        if status == 200:
            name = "%s-%d" % (self.path.strip("/").replace("/", "-"), n)
            open(name + ".type", "w").write(self.headers["Content-Type"] + " " + self.headers.get("X-Key", ""))
            open(name, "wb").write(body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *args):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", 4318), Collector).serve_forever()
PY
cat >rows.d <<'D'
#pragma D option quiet
int i;
tick-20ms / i < 100 /
{
	printf("row %d\n", i);
	@n["a\tb"] = count();
	@sizes = quantize(i);
	@mean = avg(i);
	i++;
}
tick-20ms / i == 100 / { i++; clear(@mean); }
tick-4s { exit(0); }
D
run() { # URL
	ip netns exec "$NETNS" "$export" --listen none --otlp "$1" --header 'X-Key: secret' --interval 1 \
		"$dwire" --emit -s rows.d 2>errors
}
# Nobody listens: it says so once, and ends with the trace.
run http://127.0.0.1:4318
expect_eq $? 0 "without a collector: $(<errors)"
expect_eq "$(grep -c 'v1/metrics: .*; trying again' errors)" 1 "messages: $(<errors)"
grep -q 'rows were not sent' errors || fail "lost rows are not reported: $(<errors)"
ip netns exec "$NETNS" python3 collector.py 2>collector.err &
for _ in {1..100}; do
	ip netns exec "$NETNS" ss -Hltn 'sport = 4318' | grep -q . && break
	sleep 0.1
done
run http://127.0.0.1:4318/
expect_eq $? 0 "with a collector: $(<errors)"
grep -q 'v1/logs: HTTP status 503; trying again' errors && grep -q 'v1/logs: delivered again' errors ||
	fail "a try that fails: $(<errors)"
for f in v1-metrics-*[0-9]; do
	expect_eq "$(<"$f.type")" "application/x-protobuf secret" "headers of $f"
	protoc --proto_path="$proto" --decode=otlp.ExportMetricsServiceRequest otlp.proto <"$f" >"$f.txt" || fail "$f"
done
for f in v1-logs-*[0-9]; do
	protoc --proto_path="$proto" --decode=otlp.ExportLogsServiceRequest otlp.proto <"$f" >"$f.txt" || fail "$f"
done
expect_eq "$(cat v1-logs-*.txt | grep -c 'string_value: "row [0-9]*"')" 100 "rows"
expect_eq "$(cat v1-logs-*.txt | grep -o 'row [0-9]*' | sort -u | wc -l)" 100 "different rows"
# shellcheck disable=SC2012 # names of our own
last=$(ls -v v1-metrics-*.txt | tail -n 1)
python3 - "$last" "$(uname -n)" <<'PY' || fail "metrics: $(<"$last")"
import re, sys
text = open(sys.argv[1]).read()
metrics = {re.search(r'name: "([^"]*)"', m)[1]: m for m in re.split(r"\n    metrics \{", text)[1:]}
metrics.pop("dwire.trace.drops", None) # a busy machine misses firings of tick
assert set(metrics) == {"dwire.n", "dwire.sizes", "dwire.mean.count", "dwire.mean.sum"}, set(metrics)
def numbers(name, field):
    return [int(n) for n in re.findall(field + r": (-?\d+)", metrics[name])]
assert numbers("dwire.n", "as_int") == [100] and "is_monotonic: true" in metrics["dwire.n"]
assert "CUMULATIVE" in metrics["dwire.n"] and 'key: "key1"' in metrics["dwire.n"]
assert numbers("dwire.sizes", "bucket_counts") == [1, 1, 2, 4, 8, 16, 32, 36, 0], metrics["dwire.sizes"]
assert numbers("dwire.sizes", "explicit_bounds") == [0, 1, 3, 7, 15, 31, 63, 127]
assert numbers("dwire.sizes", r"\bcount") == [100] and " sum:" not in metrics["dwire.sizes"]
assert numbers("dwire.mean.count", "as_int") == [0] and numbers("dwire.mean.sum", "as_int") == [0], "clear()"
starts = {name: numbers(name, "start_time_unix_nano")[0] for name in metrics}
assert starts["dwire.mean.count"] > starts["dwire.n"], "clear() begins a series anew"
assert numbers("dwire.n", r"\btime_unix_nano")[0] > starts["dwire.mean.count"]
assert 'string_value: "%s"' % sys.argv[2] in text and 'string_value: "dwire"' in text
PY
run http://127.0.0.1:4318/refuse
expect_eq $? 0 "a collector that refuses: $(<errors)"
grep -q 'v1/logs: HTTP status 400; [0-9]* rows are lost' errors || fail "its message: $(<errors)"
