#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels as distributions configure them, a machine each: PREEMPT_RT; 64 possible CPUs; a CPU that is offline;
# cgroups of version 1 only, of both versions, of none; no tracefs; each value of unprivileged_bpf_disabled;
# strict kptr_restrict and perf_event_paranoid; no JIT for BPF, switched off or not built; no IPv6; no addresses
# of data; no modules to load; a profile of AppArmor; domains of SELinux (selinux.cil). Lockdown and a kernel
# without types are in errors.lib, modules without types in modules.lib.
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$here/tiers.lib"

# What each must do: segments as the trigger counts them, in each tier; owners; an aggregation of several CPUs' values.
works() { # NAME [TIER…]
	local name=$1 tier
	shift
	for tier in "${@:-hooks}"; do
		check "$name-segments-$tier" tier_segments "$tier"
	done
	check "$name-owner" owners
	check "$name-samples" samples
}

owners() {
	trace -qn 'udp:::send, udp:::receive { @[probename, args[1]->cs_execname] = count(); }
		END { printa("%s %s %@d\n", @); }' -c "$triggers/udp_echo -4 -n 3"
	OUT+=$'\n'
	[ "$STATUS" -eq 0 ] && [ -z "$ERR" ] && has "$OUT" $'\nsend dw_udp_client 3\n' && has "$OUT" $'\nreceive dw_udp_server 3\n'
}

# profile fires on each CPU that is online, and on no other.
samples() {
	local online
	online=$(getconf _NPROCESSORS_ONLN)
	trace -qn 'profile-97 { @[cpu] = count(); } tick-2s { exit(0); } END { printa("cpu %d %@d\n", @); }'
	[ "$STATUS" -eq 0 ] && [ "$(grep -c '^cpu' <<<"$OUT")" -eq "$online" ]
}

# There a thread may run between the load and the store of a plain addition.
atomic() {
	trace --dump=ir -n 'softnet:::entry { @ = count(); }'
	[ "$STATUS" -eq 0 ] && has "$OUT" xadd8
}

rt_guest() {
	check rt-is-rt grep -q PREEMPT_RT /proc/version
	check rt-atomic atomic
	works rt hooks functions kprobes
	kernel_test cli/selftest.sh
}

possible() { [ "$(cat /sys/devices/system/cpu/possible)" = 0-63 ]; }

# min and max know which values there are: those of a CPU that never came are no one's.
merged() {
	trace -qn 'BEGIN { @a = min(7); @b = max(-7); @c = sum(7); @d = avg(-7); @e = count(); exit(0); }
		END { printa("values %@d %@d %@d %@d %@d\n", @a, @b, @c, @d, @e); }'
	[ "$STATUS" -eq 0 ] && has "$OUT" 'values 7 -7 7 -7 1'
}

cpus_guest() {
	check cpus-possible possible
	works cpus functions kprobes
	check cpus-merged merged
}

offline_guest() {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	works offline hooks functions
}

v1() { # mounts the hierarchies of version 1 as systemd's "legacy" does
	umount /sys/fs/cgroup && mount -t tmpfs cgroup /sys/fs/cgroup || return
	mkdir -p /sys/fs/cgroup/{systemd,memory,net_cls,unified} && mount -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd &&
		{ mount -t cgroup -o net_cls net_cls /sys/fs/cgroup/net_cls || true; }
}

# cgroup2's programs see all traffic, wherever cgroup2 is mounted: dwire mounts one for itself where none is.
cgroups_guest() {
	local tier=hooks
	[[ $(uname -r) != 6.1.* ]] || tier=functions # hooks see segments from Linux 6.11 on
	check v1-only v1
	works v1-only $tier
	check hybrid mount -t cgroup2 unified /sys/fs/cgroup/unified
	works hybrid $tier
	umount -R /sys/fs/cgroup
	works no-cgroup $tier
}

# unprivileged_bpf_disabled goes from 2 to 0 and 1; from 1 nowhere.
unprivileged() { # VALUE
	echo "$1" >/proc/sys/kernel/unprivileged_bpf_disabled && [ "$(cat /proc/sys/kernel/unprivileged_bpf_disabled)" = "$1" ]
}

# A user with the capabilities that docs/KERNELS.md names, and one without any.
by_user() {
	local before
	before=$(tier_counters)
	OUT=$(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon,+net_admin \
		--ambient-caps=-all,+bpf,+perfmon,+net_admin "$dwire" -qn 'tcp:::send /args[2]->ip_saddr == "127.0.0.1"/ { @ = count(); }
		END { printa("sent %@d\n", @); }' -c "$triggers/tcp_echo -4 -n 3" 2>"$work/err")
	STATUS=$? ERR=$(<"$work/err")
	[ $STATUS -eq 0 ] && tier_sent_is "$before"
}

# Debian's kernel forbids perf events to this user: named, with the way out.
by_user_events() {
	trace_in=(setpriv --reuid=65534 --regid=65534 --clear-groups "--inh-caps=-all,+bpf,+perfmon,+net_admin"
		"--ambient-caps=-all,+bpf,+perfmon,+net_admin")
	trace -qn 'profile-97 { exit(0); }'
	trace_in=()
	[ $STATUS -eq 1 ] && has "$ERR" 'Permission denied: kernel.perf_event_paranoid is 4,.* sysctl kernel.perf_event_paranoid=2$'
}

by_nobody() {
	OUT=$(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$dwire" -qn 'BEGIN { exit(0); }' 2>&1)
	STATUS=$? ERR=$OUT
	[ $STATUS -ne 0 ] && has "$OUT" 'CAP_BPF.*run it as root'
}

sysctls_guest() {
	local v
	umount /sys/kernel/tracing
	works no-tracefs hooks functions kprobes
	for v in 2 0 1; do
		check "unprivileged-$v" unprivileged $v
		works "unprivileged-$v" hooks
		check "unprivileged-$v-capabilities" by_user
		check "unprivileged-$v-nobody" by_nobody
	done
	echo 2 >/proc/sys/kernel/kptr_restrict
	echo 4 >/proc/sys/kernel/perf_event_paranoid
	works strict hooks kprobes
	check strict-capabilities by_user
	check strict-events by_user_events
	no_jit
}

# BPF is interpreted: kprobes do, and functions unless the kernel has no trampolines either; the hooks of
# sockets and the owners are refused, and nothing is wrong.
no_jit_refuses() { # NAME LACKS
	check "$1-hooks" refused "needs $2" -x tier=hooks -n 'tcp:::send { exit(0); }'
	check "$1-owners" refused "cannot find the owners of sockets: this needs $2" -n 'tcp:::send { trace(args[1]->cs_execname); }'
	check "$1-samples" samples
	check "$1-udp" self_tested udp
}

no_jit() {
	local tier
	echo 0 >/proc/sys/net/core/bpf_jit_enable
	for tier in functions kprobes; do
		check "no-jit-segments-$tier" tier_segments $tier
	done
	no_jit_refuses no-jit "the kernel's JIT compiler for BPF, which is switched off; use sysctl net.core.bpf_jit_enable=1"
}

jit_not_built_guest() {
	local lacks="the kernel's JIT compiler for BPF, which is switched off or which this kernel does not have "
	lacks+="(net.core.bpf_jit_enable, CONFIG_BPF_JIT)"
	check jit-not-built-is-so [ ! -e /proc/sys/net/core/bpf_jit_enable ]
	check jit-not-built-segments-kprobes tier_segments kprobes
	check jit-not-built-functions refused "needs $lacks" -x tier=functions -n 'tcp:::send { exit(0); }'
	no_jit_refuses jit-not-built "$lacks"
}

refused() { # WHY ARG…
	trace -q "${@:2}"
	[ "$STATUS" -eq 1 ] && [ -z "$OUT" ] && [[ $ERR == *"$1"* ]]
}

self_tested() { # PROVIDER
	trace --self-test "$1"
	[ "$STATUS" -eq 0 ] && has "$OUT" $'\n'"$1 +ok "
}

# Only functions in /proc/kallsyms, as without CONFIG_KALLSYMS_ALL, and modules that cannot be loaded.
fewer_names() {
	mkdir "$work/none" && awk '$2 ~ /^[tTwW]$/' /proc/kallsyms >"$work/names" && mount --bind "$work/names" /proc/kallsyms &&
		mount --bind "$work/none" /lib/modules
}

no_ipv6_guest() {
	check no-ipv6-disabled [ "$(cat /sys/module/ipv6/parameters/disable)" = 1 ]
	works no-ipv6 hooks functions kprobes
	check no-ipv6-udp self_tested udp
	check fewer-names fewer_names
	works fewer-names hooks functions kprobes
}

# Confined by a profile that grants what docs/KERNELS.md names, and by one that does not.
confined() { # CAPABILITIES COMMAND…
	mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
	printf 'profile confined flags=(attach_disconnected) {\n%s network, signal, ptrace, unix, file,\n}\n' "$1" >"$work/profile"
	apparmor_parser -r "$work/profile" || return
	shift
	OUT=$(aa-exec -p confined -- "$@" 2>"$work/err")
	STATUS=$? ERR=$(<"$work/err")
}

confined_may() {
	confined 'capability bpf, capability perfmon, capability net_admin,' "$dwire" -qn 'udp:::send { @[args[1]->cs_execname] = count(); }
		END { printa("%s %@d\n", @); }' -c "$triggers/udp_echo -4 -n 3"
	[ $STATUS -eq 0 ] && has "$OUT" $'\ndw_udp_client 3(\n|$)'
}

confined_may_not() {
	confined 'capability net_admin,' "$dwire" -qn 'BEGIN { exit(0); }'
	[ $STATUS -eq 1 ] && has "$ERR" 'lacks: CAP_BPF, CAP_PERFMON; the AppArmor profile "confined" .* must grant them'
}

apparmor_guest() {
	check confined confined_may
	check confined-without confined_may_not
}

# A script of hooks, and one that needs a perf event, in a domain of selinux.cil.
in_domain() { # DOMAIN SCRIPT ARG…
	trace_in=(runcon "u:r:$1:s0")
	trace -qn "${@:2}"
	trace_in=()
}

domain_may() { # DOMAIN
	in_domain "$1" 'udp:::send { @[args[1]->cs_execname] = count(); } END { printa("%s %@d\n", @); }' -c "$triggers/udp_echo -4 -n 3"
	[ "$STATUS" -eq 0 ] && [ -z "$ERR" ] && has "$OUT" $'\ndw_udp_client 3\n'
}

domain_samples() { # DOMAIN
	in_domain "$1" 'profile-97 { printf("fired\n"); exit(0); }'
	[ "$STATUS" -eq 0 ] && has "$OUT" '^fired'
}

domain_may_not() { # DOMAIN WHAT SCRIPT
	in_domain "$1" "$3"
	[ "$STATUS" -eq 1 ] && [ -z "$OUT" ] && has "$ERR" "SELinux denies $2 to the domain u:r:$1:s0; allow it"
}

enforce() { # without a configuration runcon takes the kernel for one without SELinux
	mkdir -p /etc/selinux && touch /etc/selinux/config && mount -t selinuxfs none /sys/fs/selinux &&
		secilc -M true -o "$work/policy" -f /dev/null "$here/selinux.cil" && cat "$work/policy" >/sys/fs/selinux/load && echo 1 >/sys/fs/selinux/enforce
}

selinux_guest() {
	local begin='BEGIN { exit(0); }'
	check selinux-enforces enforce
	check selinux-may domain_may tracer
	check selinux-samples domain_samples tracer
	check selinux-no-bpf domain_may_not no_bpf 'bpf [{] prog_load [}]' "$begin"
	check selinux-no-capabilities domain_may_not no_capabilities 'capability2 [{] bpf perfmon [}], capability [{] net_admin [}]' "$begin"
	check selinux-no-events domain_may no_events
	check selinux-no-samples domain_may_not no_events 'perf_event [{] open cpu kernel tracepoint read write [}]' 'profile-97 { exit(0); }'
}

if in_guest; then
	"${3}_guest"
	echo "counts $passed $failed $skipped"
	exit 0
fi

machine() { # NAME SERIES VARIABLE=VALUE…: a machine of its own; its lines here, and its counts
	local name=$1 series=$2 status=0
	shift 2
	env VM_CPUS=1 "$@" "$here/vm" "$series" "$BASH" "$(realpath "$0")" "$build" --guest "$name" >"$work/$name" 2>&1 || status=$?
	grep -v '^counts ' "$work/$name"
	if [ $status -eq 77 ]; then
		count "$name" 77 "$(tail -n 1 "$work/$name")"
	elif ! grep -q '^counts ' "$work/$name"; then
		count "$name" 1 "the machine ended with $status"
	else
		read -r _ p f s < <(grep '^counts ' "$work/$name")
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	fi
}

machine rt 6.12-rt
machine cpus 6.1 VM_BOOT=possible_cpus=64
machine offline 6.12 VM_CPUS=2
machine cgroups 6.12
machine cgroups 6.1
machine sysctls 6.12
machine jit_not_built 6.12-nojit
machine no_ipv6 6.12 VM_BOOT=ipv6.disable=1
if command -v apparmor_parser >/dev/null; then machine apparmor 6.12; else count apparmor 77 "no apparmor_parser"; fi
if command -v secilc >/dev/null; then
	machine selinux 6.12 VM_BOOT='security=selinux selinux=1'
else
	count selinux 77 "no secilc"
fi
finish
