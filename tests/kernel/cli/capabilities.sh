# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# An ordinary user runs every tool with a dwire that has CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN: what is missing is left
# out and said, and nothing fails for it. Zones and names of libraries are found without looking into others' processes.
need setcap setpriv
dir=$(mktemp -d /tmp/dwt.XXXXXX)
at_exit 'rm -rf "$dir"'
cp "$dwire" "$dir/dwire" && chmod 755 "$dir"
setcap cap_bpf,cap_perfmon,cap_net_admin+ep "$dir/dwire" || skip "files have no capabilities here"
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
[ "$(as_user "$dir/dwire" -qn 'BEGIN { printf("%d", uid); exit(0); }' 2>/dev/null)" = 65534 ] ||
	skip "an ordinary user gets no capabilities from files here"

# the tools, a dozen at a time
one() { # TOOL
	as_user timeout 60 "$dir/dwire" "$1" -d 1 >"$tmp/out.$1" 2>"$tmp/err.$1" </dev/null
	echo $? >"$tmp/rc.$1"
}
n=0
cd /
for t in $("$dwire" help | awk '/^  [a-z]/ { print $1 }'); do
	one "$t" &
	((++n % 12)) || wait
done
wait
expect_ge "$n" 50 "tools"
for rc in "$tmp"/rc.*; do
	t=${rc##*/rc.} said=$(<"$tmp/err.${rc##*/rc.}")
	[[ $said == *"kernel's module "*" is not loaded"* ]] && continue
	expect_eq "$(<"$rc")" 0 "$t: $said"
	[[ $said != *[Pp]"ermission denied"* && $said != *"not permitted"* ]] || fail "$t: $said"
done

# a lookup of the user's is seen by both that look for libc
cat >"$tmp/look" <<-END
	for ((i = 0; i < 4; i++)); do getent hosts dwire-test.invalid; sleep 0.5; done
END
chmod 755 "$tmp" "$tmp/look"
as_user "$BASH" "$tmp/look" >/dev/null 2>&1 &
as_user "$dir/dwire" gethostlatency -d 2 >"$tmp/out" 2>"$tmp/err" || fail "gethostlatency: $(<"$tmp/err")"
expect_match "$(<"$tmp/out")" 'getent +[0-9.]+ +dwire-test.invalid' "gethostlatency: $(<"$tmp/err")"
expect_match "$(<"$tmp/err")" 'processes of other users cannot be looked at' "what is missing"

# the machine's first namespace is known, of any process
as_user "$dir/dwire" -qn 'udp:::send /args[1]->cs_execname == "dw_udp_client"/ { @[args[1]->cs_zonename, args[1]->cs_zoneid] = count(); }
	tick-1500ms { exit(0); }' >"$tmp/out" 2>"$tmp/err" &
sleep 0.7
trigger udp_echo -4 -n 3
wait
expect_match "$(<"$tmp/out")" 'global +0 +[1-9]' "zone: $(<"$tmp/err")"
