# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# docs/dwire.lua makes fields of the comments: process, command, container, pod, reason of a drop.
need tshark
tshark -v 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || skip "needs tshark with Lua"
cgroups=/sys/fs/cgroup
[ -e $cgroups/cgroup.controllers ] || cgroups=$cgroups/unified
[ -e $cgroups/cgroup.controllers ] || skip "no cgroup2"
netns_new lua
id=$(printf 'c0ffee%058d' 0)
pod=$cgroups/dwtest$$/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice
mkdir -p "$pod/cri-containerd-$id.scope" || skip "cannot make a cgroup"
undo() {
	rmdir "$pod/cri-containerd-$id.scope" "$pod" "$cgroups/dwtest$$"
}
cat >"$tmp/traffic" <<-END
	echo \$\$ >$pod/cri-containerd-$id.scope/cgroup.procs
	udp_echo -4 -n 3 -k 10
	echo closed >/dev/udp/127.0.0.1/9
	echo \$\$ >$cgroups/cgroup.procs
	exec 3<>/dev/udp/127.0.0.1/7
	echo data >&3
	echo self=\$\$
	sleep 1
END
dwire_opts+=(-x capture="$tmp/x.pcapng")
# "ip netns exec" would hide the cgroups
trace_with "udp:::send, udp:::no-port /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }" \
	nsenter --net="/run/netns/$NETNS" "$BASH" "$tmp/traffic"
undo

matching() { # FILTER FIELD…
	local f=$1
	shift
	tshark -X lua_script:"$here/../../docs/dwire.lua" -r "$tmp/x.pcapng" -Y "$f" -T fields "${@/#/-e}" 2>/dev/null
}
expect_eq "$(matching 'dwire.comm == "dw_udp_client"' dwire.pid | sort -u)" "$(value_of client_pid)" "dwire.pid"
expect_eq "$(matching "dwire.pid == $(value_of client_pid)" dwire.comm | sort | uniq -c | awk '{ print $1, $2 }')" "3 dw_udp_client" \
	"dwire.comm"
expect_eq "$(matching 'dwire.container == "c0ffee000000" && dwire.probe == "udp:::send"' frame.number | wc -l)" 7 \
	"dwire.container"
expect_eq "$(matching "dwire.pid == $(value_of self) && udp.dstport == 7" dwire.args | sort -u)" "$BASH $tmp/traffic" "dwire.args"
expect_eq "$(matching 'dwire.reason' dwire.verdict dwire.reason udp.dstport | sort -u | tr '\t\n' '  ')" \
	"drop NO_SOCKET 7 drop NO_SOCKET 9 " "dwire.verdict, dwire.reason"
