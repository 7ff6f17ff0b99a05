# SPDX-License-Identifier: GPL-2.0-or-later
# Structured output: -x oformat, --libxo, -O. Documents are read by a parser that is not ours.
. "$here/lib/cli.lib"
need python3

prog='BEGIN { trace(-5); trace("t<&\"\\x\n"); printf("%d %s|", 7, "s"); printf("plain"); @c[1, "k"] = count(); @c[2, "l"] = count();
	@q = lquantize(15, 0, 40, 10); @a = avg(3); printa(@c); exit(0); }
	END { }'

run -x oformat=json -qn "$prog"
expect_eq "$STATUS $ERR" "0 " "json"
got=$(python3 - "$tmp/out" <<'EOF'
import json, sys
doc = json.load(open(sys.argv[1]))
for p in doc["dtrace"]["probes"]:
    assert p["timestamp"] > 1600000000000000000 or p["timestamp"] > 0
    print(p["provider"], p["module"], p["function"], p["name"])
    for o in p["output"]:
        print("  " + json.dumps(o, sort_keys=True))
EOF
)
expect_eq "$got" 'dtrace   BEGIN
  {"value": -5}
  {"value": "t<&\"\\x\n"}
  {"message": "7 s|"}
  {"value": 7}
  {"value": "s"}
  {"message": "plain"}
  {"value": 0}
  {"aggregation-data": [{"count": 1, "keys": [1, "k"]}, {"count": 1, "keys": [2, "l"]}], "aggregation-name": "c"}
dtrace INTERNAL INTERNAL AGGREGATIONS
  {"aggregation-data": [{"buckets": [{"count": 0, "value": 0}, {"count": 1, "value": 10}, {"count": 0, "value": 20}], "keys": []}], "aggregation-name": "q"}
  {"aggregation-data": [{"avg": 3, "keys": []}], "aggregation-name": "a"}' "the objects"

strip() { sed 's/[0-9]\{15,\}/TIME/; s/"cpu":[0-9]*/"cpu":N/; s/<cpu>[0-9]*/<cpu>N/; s/"cpu">[0-9]*/"cpu">N/' "$tmp/out"; }
run -O --libxo json -n 'BEGIN { exit(3); }'
expect_eq "$STATUS $(strip)" '3 {"dtrace":{"probes":[{"timestamp":TIME,"cpu":N,"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN","output":[]}]}}' "-O"
run -x oformat=json -n 'BEGIN { exit(0); }'
expect_eq "$STATUS $OUT" '0 {"dtrace":{"probes":[]}}' "nothing is printed, nothing is an object"
run -x oformat=xml,pretty -n 'BEGIN { trace("<&>"); exit(0); }'
expect_eq "$(strip)" '<?xml version="1.0"?>
<dtrace>
  <probes>
    <timestamp>TIME</timestamp>
    <cpu>N</cpu>
    <id>1</id>
    <provider>dtrace</provider>
    <module/>
    <function/>
    <name>BEGIN</name>
    <output>
      <value>&lt;&amp;&gt;</value>
    </output>
  </probes>
</dtrace>' "xml"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/out" || fail "no XML"
run -x oformat=html,pretty -n 'BEGIN { printf("a"); exit(0); }'
expect_eq "$(strip | grep -v '^$')" '<div class="line">
<div class="data" data-tag="timestamp">TIME</div>
<div class="data" data-tag="cpu">N</div>
<div class="data" data-tag="id">1</div>
<div class="data" data-tag="provider">dtrace</div>
<div class="data" data-tag="module"></div>
<div class="data" data-tag="function"></div>
<div class="data" data-tag="name">BEGIN</div>
<div class="data" data-tag="message">a</div>
<div class="data" data-tag="value">0</div>
</div>' "html"
run -q -x oformat=json -x aggsize=32 -n 'BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); exit(0); }'
expect_match "$OUT" '"name":"DROP","timestamp":[0-9]+,"count":([0-9]+),"total":[0-9]+,"kind":1,"msg":"[0-9]+ aggregation drops?\\n"' "drops"
python3 -m json.tool "$tmp/out" >/dev/null || fail "no JSON"
gives 1 "" "dwire: failed to set -x oformat=yaml: Invalid value for specified option
    hint: it takes text, json, xml, html or stream" -x oformat=yaml -n BEGIN
# tracemem() once wrote its rows of text into the middle of the document.
run -q -x oformat=json -n 'BEGIN { tracemem(curthread->comm, 5); exit(0); }'
expect_eq "$(strip | sed 's/.*"output"/"output"/')" '"output":[{"tracemem":"6477697265"}]}]}}' "tracemem"
