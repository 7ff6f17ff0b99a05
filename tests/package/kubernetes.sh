#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kubernetes.sh ROOT: the manifest against Kubernetes' schemas, of npm's package kubernetes-models; and damaged ones, which
# are refused. Needs npm and the network.
set -eu -o pipefail
root=$1
command -v npm >/dev/null || { echo "skip: needs npm"; exit 77; }
. "$root/.ci/lib.sh"
need_packages "to read manifests" python3 python3-yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --ignore-scripts --no-audit --no-fund kubernetes-models@4.5.1 >log 2>&1 || { echo "skip: npm cannot fetch kubernetes-models"; exit 77; }
cat >validate.js <<'END'
const [path, from, to] = process.argv.slice(2);
let text = require("fs").readFileSync(path, "utf8");
if (from && !text.includes(from)) throw new Error("no " + from);
for (const o of JSON.parse(from ? text.replace(from, to) : text)) {
	const group = o.apiVersion.split("/").reduce((m, part) => m[part], require("kubernetes-models"));
	new group[o.kind](o).validate();
}
END
/usr/bin/python3 -c 'import json, sys, yaml
print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))' "$root/packaging/kubernetes/dwire.yaml" >dwire.json
node validate.js dwire.json || { echo "FAILED: the manifest is not valid"; exit 1; }
for damage in '"hostPID": true|"hostPID": "yes"' '"mountPath"|"mountpath"' '"runAsUser": 0|"runAsUser": "root"' '"selector"|"select"'; do
	! node validate.js dwire.json "${damage%|*}" "${damage#*|}" >/dev/null 2>log || { echo "FAILED: $damage is not refused"; exit 1; }
	! grep -q '^Error: no ' log || { echo "FAILED: $(<log)"; exit 1; }
done
