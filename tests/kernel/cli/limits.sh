# SPDX-License-Identifier: GPL-2.0-or-later
# Messages when the machine lacks what tracing needs. Not simulated here: a kernel without bpf(), one that allows
# only unprivileged user namespaces, and one built without BTF (the test hides its file).
. "$here/lib/cli.lib"
need setpriv unshare
prog='tcp:::send { @ = count(); } tick-10 { exit(0); }'
cp "$dwire" "$tmp/copy"
chmod 755 "$tmp" "$tmp/copy"

under() { # COMMAND… -- ARG…: dwire under that command
	local cmd=()
	while [ "$1" != -- ]; do cmd+=("$1") && shift; done
	shift
	STATUS=0
	timeout 10 "${cmd[@]}" "$tmp/copy" "$@" >"$tmp/out" 2>"$tmp/err" || STATUS=$?
	OUT=$(<"$tmp/out") ERR=$(<"$tmp/err")
}
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
lacks='dwire: tracing needs capabilities that this process lacks'

under "${nobody[@]}" -- -n "$prog"
expect_eq "$STATUS $OUT $ERR" "1  $lacks: CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN; run it as root" "nobody"
under "${nobody[@]}" -- tcptop
expect_eq "$STATUS $OUT $ERR" "1  $lacks: CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN; run it as root" "nobody's tcptop"
under "${nobody[@]}" -- -l -n tcp:::send
expect_match "$STATUS $OUT" '^0 .* send$' "nobody's -l"
under "${nobody[@]}" -- -qe -n "$prog"
expect_eq "$STATUS $OUT$ERR" "0 " "nobody's -e"
under setpriv --bounding-set -sys_admin,-net_admin --inh-caps -sys_admin,-net_admin -- -n "$prog"
expect_eq "$STATUS $ERR" "1 $lacks: CAP_NET_ADMIN; root lost them here: grant them to the container or service that \
this process runs in" "without CAP_NET_ADMIN"
under setpriv --bounding-set -sys_admin --inh-caps -sys_admin -- -qn "$prog"
expect_eq "$STATUS $ERR" "0 " "without CAP_SYS_ADMIN"

mkdir -p "$tmp/none"
hidden() { # MOUNT OVER: unshare with MOUNT bound over
	printf '%s\n' unshare -m sh -c "mount --bind '$1' '$2' && exec \"\$@\"" -
}
mapfile -t hide < <(hidden "$tmp/none" /sys/kernel/btf)
under "${hide[@]}" -- -n "$prog"
expect_match "$STATUS $ERR" '^1 dwire: cannot read the kernel.s types from /sys/kernel/btf/vmlinux: No such file' "no BTF"
head -c 100000 /dev/urandom >"$tmp/junk"
mapfile -t hide < <(hidden "$tmp/junk" /sys/kernel/btf/vmlinux)
under "${hide[@]}" -- -n "$prog"
expect_match "$STATUS $ERR" '^1 dwire: cannot read the kernel.s types \(/sys/kernel/btf/vmlinux\): ' "junk for BTF"

# No cgroup2 mounted: a mount of its own, which nobody sees.
under unshare -m sh -c 'for m in $(findmnt -rn -t cgroup2 -o TARGET); do umount -l "$m"; done; exec "$@"' - -- -qn "$prog"
expect_eq "$STATUS $ERR" "0 " "no cgroup2 mounted"
# In a container (own cgroup, mount, network and process namespaces) tracing works and says what it cannot see.
cgroup=$(findmnt -rn -t cgroup2 -o TARGET | head -n 1)
if [ -n "$cgroup" ] && mkdir "$cgroup/dwt$$" 2>/dev/null; then
	under sh -c "echo \$\$ >$cgroup/dwt$$/cgroup.procs && exec unshare -C -m -n -p -f --mount-proc \"\$@\"" - -- -qn "$prog"
	for i in {1..20}; do rmdir "$cgroup/dwt$$" 2>/dev/null && break || sleep 0.1; done
	expect_match "$STATUS $ERR" '^0 dwire: warning: in a cgroup namespace: only its own packets are seen' "a container"
fi

# Probes see the machine's process numbers: $target, $pid and a tool's -p are made those; pid$target stays one of here.
# shellcheck disable=SC2016
under unshare -p -f --mount-proc -- -qn 'BEGIN { @t["told"] = sum(pid == $pid); } syscall::exit_group:entry /pid == $target/ { @t["exit of the target"] = sum(1); }
	pid$target::main:entry { @t["main"] = sum(pid == $target); }' -c "$triggers/tcp_echo -q"
expect_eq "$STATUS $(grep -v = <<<"$OUT" | sort | tr -s ' \n' ' ')" "0  exit of the target 1 main 1 told 1 " "a pid namespace"
# shellcheck disable=SC2016
under unshare -p -f --mount-proc -- -qn 'pid$target::main:entry { ustack(1); }' -c "$triggers/tcp_echo -q"
expect_match "$STATUS $OUT" 'tcp_echo`main' "a stack in a pid namespace"
# shellcheck disable=SC2016
STATUS=0 OUT=$(timeout 10 unshare -p -f --mount-proc bash -c '(sleep 1; : <>/dev/tcp/127.0.0.1/1) 2>/dev/null & exec "$0" soconnect -p $! --csv -d 2' "$tmp/copy" 2>"$tmp/err") || STATUS=$?
ERR=$(<"$tmp/err")
expect_match "$STATUS $(tail -n +2 <<<"$OUT") $ERR" '^0 "[^"]+",[0-9]+,"bash",2,"127.0.0.1",1,[0-9]+,"Connection refused" dwire: warning: in a pid namespace: .*$' "a tool there"
# Names and numbers of network namespaces are the machine's there, too.
under unshare -n -p -f --mount-proc -- -qn 'BEGIN { printf("%s", zonename); exit(0); }'
expect_match "$STATUS $OUT" '^0 [0-9]+$' "in network and pid namespaces"
under unshare -p -f --mount-proc -- -qn 'BEGIN { printf("%s", zonename); exit(0); }'
expect_eq "$STATUS $OUT" "0 global" "in a pid namespace"

# Limits that are too small are reported, and an incomplete trace prints nothing.
for n in 3 4 5 6 8 10 12 14 16; do
	under bash -c "ulimit -n $n && exec \"\$@\"" - -- -qn "$prog"
	if [ "$STATUS" -ne 0 ]; then
		expect_match "$STATUS $OUT $ERR" '^1  dwire: cannot .*Too many open files' "$n open files"
	fi
done
under bash -c 'ulimit -Sn 16 && exec "$@"' - -- -qn "$prog"
expect_eq "$STATUS $ERR" "0 " "16 open files, a limit that everybody may raise"
under bash -c 'ulimit -v 30000 && exec "$@"' - -- -qn "$prog"
expect_eq "$STATUS $ERR" "0 " "30 MB of memory"
