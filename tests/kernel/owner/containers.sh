# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Containers by the cgroup of the socket, as the runtimes name them: cs_runtime, cs_container, cs_cgroupname.
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip "no cgroup2"
netns_new container
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
made=()

# in_cgroup PATH COMMAND…: PATH below the root of cgroup2
cat >"$tmp/in_cgroup" <<-END
	#!/bin/bash
	echo \$\$ >"$root/\$1/cgroup.procs" || exit 1
	shift
	exec "\$@"
END
chmod +x "$tmp/in_cgroup"
remove() {
	local i j
	for ((i = ${#made[@]} - 1; i >= 0; i--)); do
		for j in 1 2 3 4 5 6 7 8 9 10; do rmdir "${made[i]}" 2>/dev/null && break || sleep 0.05; done
	done
}
at_exit remove

probes='tcp:::send, tcp:::receive, udp:::send' settled=
# a connection in TIME_WAIT, which answers where a FIN is sent again, has an owner and no cgroup
! slow_machine || { probes='tcp:::send, tcp:::receive' && settled='&& args[3]->tcps_state != TCP_STATE_TIME_WAIT'; }
check() { # PATH RUNTIME CONTAINER
	local dir=$root part
	for part in ${1//\// }; do
		dir+=/$part
		[ -d "$dir" ] && continue
		mkdir "$dir" || skip "cannot make a cgroup"
		made+=("$dir")
	done
	trace_with "$probes /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1 $settled/ {
		printf(\"%s r=%s c=%s n=%s\\n\", args[1]->cs_runtime == \"$2\" ? \"same\" : \"other\", args[1]->cs_runtime,
		    args[1]->cs_container, args[1]->cs_cgroupname); }" "$tmp/in_cgroup" "$1" ip netns exec "$NETNS" tcp_echo -q
	expect_ge "$(count 1)" 8 "$1: segments"
	expect_eq "$(sort -u <<<"$OUT" | sed '/^$/d')" "same r=$2 c=$3 n=${1##*/}" "$1"
}

check "dwt-$$.slice/docker-$id.scope" docker 0123456789ab
check "dwt-$$.slice/cri-containerd-$id.scope" containerd 0123456789ab
check "dwt-$$.slice/crio-$id.scope" cri-o 0123456789ab
check "dwt-$$.slice/libpod-$id.scope/container" podman 0123456789ab
check "dwt-$$.slice/lxc.payload.web-1" lxc web-1
check "dwt-$$.slice/docker/$id" docker 0123456789ab
check "dwt-$$.slice/pod42f1/$id" kubernetes 0123456789ab
# systemd or another runtime inside of the container
check "dwt-$$.slice/lxc.payload.web-1/system.slice/nginx.service" lxc web-1
check "dwt-$$.slice/docker/$id/init.scope" docker 0123456789ab
check "dwt-$$.slice/libpod-$id.scope/container/system.slice/web.service" podman 0123456789ab
check "dwt-$$.slice/web.service" "" ""
check "dwt-$$.slice/a.slice/b.slice/c.slice/web.service" "" ""
