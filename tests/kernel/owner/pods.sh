# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Names of containers and pods from the files of the runtimes, and filters by them: of containers that run, and of one
# that starts later.
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip "no cgroup2"
netns_new pods
export DWIRE_RUNTIMEROOT=$tmp/runtimes
slice=dwt-$$.slice
made=()
id() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
remove() {
	local i j
	for ((i = ${#made[@]} - 1; i >= 0; i--)); do
		for j in 1 2 3 4 5 6 7 8 9 10; do rmdir "${made[i]}" 2>/dev/null && break || sleep 0.05; done
	done
}
at_exit remove
make() { # PATH below the root
	mkdir "$root/$1" || skip "cannot make a cgroup"
	made+=("$root/$1")
}

# inside PATH COMMAND...: makes the cgroup unless it is there, waits that long for it to be seen, and enters it
cat >"$tmp/inside" <<-END
	#!/bin/bash
	[ -d "$root/\$1" ] || { sleep 0.5 && mkdir "$root/\$1" && sleep 0.2; }
	echo \$\$ >"$root/\$1/cgroup.procs" || exit 1
	shift
	exec "\$@"
END
chmod +x "$tmp/inside"

web=$(id) shop=$(id) late=$(id) nameless=$(id)
tasks=$DWIRE_RUNTIMEROOT/run/containerd/io.containerd.runtime.v2.task/k8s.io
docker=$DWIRE_RUNTIMEROOT/var/lib/docker/containers
mkdir -p "$docker/$web" "$docker/$late" "$tasks/$shop"
echo '{"Name":"/web\u001b[31m"}' >"$docker/$web/config.v2.json"
echo '{"Name":"/late"}' >"$docker/$late/config.v2.json"
cat >"$tasks/$shop/config.json" <<-'END'
	{"annotations": {"io.kubernetes.cri.container-name": "nginx", "io.kubernetes.cri.sandbox-name": "shop-0",
		"io.kubernetes.cri.sandbox-namespace": "prod"}}
END
make "$slice"
make "$slice/docker-$web.scope"
make "$slice/cri-containerd-$shop.scope"
make "$slice/crio-$nameless.scope"
make "$slice/lxc.payload.a-long-name-of-a-container"
made+=("$root/$slice/docker-$late.scope")

# tool PATH OPTION...: tcplife of connections made in that cgroup
tool() {
	local path=$1
	shift
	OUT=$(timeout 30 "$dwire" tcplife --netns "$NETNS" "$@" \
		--everyone --command "$tmp/inside $slice/$path ip netns exec $NETNS tcp_echo -q -n 3" 2>"$tmp/err" | grep '^{')
}
names() { jq -c '[.container, .container_name, .pod, .pod_namespace]' <<<"$OUT" | sort | uniq -c | sed 's/^ *//'; }
columns=(--json -o container,container_name,pod,pod_namespace)

# What came while process 1 ran some kernels hide: a measurement is repeated until it is right, three times at most.
until_eq() { # COMMAND WANT
	local i
	for i in 1 2 3; do
		measured
		[ "$("$1")" != "$2" ] || break
	done
}
all() { grep -c . <<<"$OUT"; }

shown() { # PATH NAMES
	local path=$1
	measured() { tool "$path" "${columns[@]}"; }
	until_eq names "$2"
	expect_eq "$(names)" "$2" "$1"
}
shown "docker-$web.scope" "6 [\"${web:0:12}\",\"web\\u001b[31m\",null,null]"
shown "cri-containerd-$shop.scope" "6 [\"${shop:0:12}\",\"nginx\",\"shop-0\",\"prod\"]"
shown "crio-$nameless.scope" "6 [\"${nameless:0:12}\",null,null,null]"
shown lxc.payload.a-long-name-of-a-container \
	'6 ["a-long-name-of-a-container","a-long-name-of-a-container",null,null]'

rows() { # PATH ROWS OPTION...
	local path=$1 want=$2 options
	shift 2
	options=("$@")
	measured() { tool "$path" --json "${options[@]}"; }
	until_eq all "$want"
	expect_eq "$(all)" "$want" "$path: tcplife ${options[*]}"
	expect_eq "$(grep -v 'is running yet' "$tmp/err")" "" "tcplife ${options[*]}"
}
shop_path=cri-containerd-$shop.scope
rows "$shop_path" 6 --container nginx
rows "$shop_path" 0 --container '!nginx'
rows "$shop_path" 6 --container '!late,!mail'
rows "$shop_path" 6 --pod shop-0
rows "$shop_path" 6 --pod prod/shop-0,test/shop-1
rows "$shop_path" 0 --pod test/shop-0
rows "$shop_path" 0 --pod '!prod/shop-0'
rows "$shop_path" 6 --container "${shop:0:5}"
rows "docker-$web.scope" 0 --container late,nginx --pod '!x'
rows "docker-$late.scope" 6 --container late

# Rows of an aggregation are by name: two containers of a pod are one row.
mkdir -p "$tasks/$late"
sed 's/nginx/sidecar/' "$tasks/$shop/config.json" >"$tasks/$late/config.json"
cat >"$tmp/both" <<-END
	"$tmp/inside" $slice/cri-containerd-$shop.scope ip netns exec $NETNS tcp_echo -q
	"$tmp/inside" $slice/docker-$late.scope ip netns exec $NETNS tcp_echo -q
END
# --by COL OPTION...
by() {
	OUT=$(timeout 30 "$dwire" tcptop --netns "$NETNS" --by "$@" --json --everyone --command "$BASH $tmp/both" 2>"$tmp/err" | grep '^{')
}
pods() { jq -c '[.pod, .container_name, .tx_bytes]' <<<"$OUT"; }
measured() { by pod; }
until_eq pods '["shop-0",null,400]'
expect_eq "$(pods)" '["shop-0",null,400]' "tcptop --by pod"
measured() { by pod,container_name; }
until_eq pods '["shop-0","nginx",200]'$'\n''["shop-0","sidecar",200]'
expect_eq "$(pods | sort)" '["shop-0","nginx",200]'$'\n''["shop-0","sidecar",200]' "tcptop --by pod,container_name"

# A stream has the names, so a merge needs no files.
timeout 30 "$dwire" tcplife --netns "$NETNS" "${columns[@]}" --emit \
	--everyone --command "$tmp/inside $slice/cri-containerd-$shop.scope ip netns exec $NETNS tcp_echo -q" >"$tmp/stream" 2>"$tmp/err"
OUT=$(DWIRE_RUNTIMEROOT=/nonexistent timeout 30 "$dwire" merge "$tmp/stream" 2>&1 | grep '^{')
expect_match "$OUT" '"container_name":"nginx","pod":"shop-0","pod_namespace":"prod"' "merge"
