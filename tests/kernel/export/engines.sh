# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 120
# Debian's prometheus and victoria-metrics fetch what dwire-export shows, on their own: what they answer is what a trigger
# did, counters and histograms. Prometheus adds up a rule over both. All is in a namespace of the test.
export=${dwire%/*}/dwire-export
[ -x "$export" ] || skip "dwire-export was not built"
engines=()
for engine in prometheus victoria-metrics; do
	command -v "$engine" >/dev/null && engines+=("$engine")
done
[ ${#engines[@]} -gt 0 ] || skip "needs prometheus or victoria-metrics"
PATH=${dwire%/*}:$triggers:$PATH
netns_new watch # where the metrics are fetched: that is no traffic of the other one
watch=$NETNS
netns_new web

cat >script.d <<-D
	#pragma D option quiet
	tcp:::send / args[1]->cs_netns == $NETNS_ID / { @sent[args[2]->ip_saddr] = count(); }
	tcp:::send / args[1]->cs_netns == $NETNS_ID / { @length = quantize(args[2]->ip_plength); }
D
cat >scrape.yml <<-YML
	global: { scrape_interval: 1s }
	scrape_configs:
	  - job_name: dwire
	    static_configs: [ { targets: [ "localhost:9435" ] } ]
YML
start_engine() { # NAME
	case $1 in
	prometheus)
		ip netns exec "$watch" prometheus --config.file=scrape.yml --storage.tsdb.path=prometheus.data \
			--web.listen-address=127.0.0.1:9090 >"$1.log" 2>&1 & ;;
	victoria-metrics)
		ip netns exec "$watch" victoria-metrics -promscrape.config=scrape.yml -storageDataPath=victoria.data \
			-httpListenAddr=127.0.0.1:9091 >"$1.log" 2>&1 & ;;
	esac
}
ask() { # PORT QUERY: the sum of its values; nothing if there are none
	ip netns exec "$watch" python3 - "$@" <<'PY' 2>>asked
import json, sys, urllib.parse, urllib.request
url = "http://127.0.0.1:%s/api/v1/query?%s" % (sys.argv[1], urllib.parse.urlencode({"query": sys.argv[2]}))
found = json.load(urllib.request.urlopen(url, timeout=10))["data"]["result"]
if found:
    print(int(sum(float(r["value"][1]) for r in found)))
PY
}
expect_answer() { # PORT QUERY WANT WHAT: within the time that some scrapes take
	local got=
	for _ in {1..60}; do
		got=$(ask "$1" "$2")
		[ "$got" = "$3" ] && return
		sleep 0.5
	done
	fail "$4: got '$got', want '$3': $(tail -n 3 asked)"
}

ip netns exec "$watch" "$export" dwire --emit -s script.d 2>errors &
for engine in "${engines[@]}"; do
	start_engine "$engine"
done
for engine in "${engines[@]}"; do
	port=909$([ "$engine" = prometheus ] && echo 0 || echo 1)
	expect_answer $port dwire_trace_up 1 "$engine: the trace is up: $(<errors) $(tail -n 3 "$engine.log")"
done
ip netns exec "$NETNS" tcp_echo -4 -n 20 -q
want=
for _ in {1..40}; do
	now=$(ip netns exec "$watch" python3 -c '
import re, urllib.request
text = urllib.request.urlopen("http://localhost:9435/metrics").read().decode()
print(sum(int(v) for v in re.findall(r"^dwire_sent_total\{.*\} (\d+)$", text, re.M)))')
	[ "$now" = "$want" ] && break
	want=$now
	sleep 1.5
done
expect_ge "$want" 160 "segments of 20 connections"
for engine in "${engines[@]}"; do
	port=909$([ "$engine" = prometheus ] && echo 0 || echo 1)
	expect_answer $port 'sum(dwire_sent_total)' "$want" "$engine: the sum"
	expect_answer $port 'sum(dwire_length_bucket{le="+Inf"})' "$want" "$engine: the histogram's count"
	expect_answer $port 'dwire_sent_total{ip_saddr="127.0.0.1"}' "$want" "$engine: the key as a label"
done
