# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# --self-test attaches every probe of a provider, reads its members and compares it with the kernel's counters; a
# provider that cannot be attached is WRONG, and a user without privileges reads what is missing.
need setpriv jq
line() { # PROVIDER: its state, probes, members, tiers, counted probes
	awk -v p="$1" '$1 == p { print $2, $3, ($5 > 0), $6, $7 }' "$tmp/out"
}

"$dwire" --self-test udp icmp >"$tmp/out" 2>"$tmp/err"
expect_eq "$?" 0 "status: $(<"$tmp/err")$(<"$tmp/out")"
expect_match "$(line udp)" '^ok 4 1 ([h-][f-][k-]) [2-6]$' "udp: $(<"$tmp/out")"
expect_match "$(line icmp)" '^ok 2 1 ([h-][f-][k-]) [2-6]$' "icmp"
expect_eq "$(grep -cF ", Linux $(uname -r), $(uname -m)," "$tmp/out")" 1 "the head"
expect_eq "$(awk 'END { print NR < 30 }' "$tmp/out")" 1 "a screen"
expect_eq "$(awk 'length > 80' "$tmp/out")" "" "as wide as a terminal"

# the same as an object: numbers are numbers, what is not known is null
"$dwire" --self-test --json udp >"$tmp/json" 2>"$tmp/err"
expect_eq "$?" 0 "status with --json: $(<"$tmp/err")"
expect_eq "$(wc -l <"$tmp/json")" 1 "one line"
expect_eq "$(jq -r '.kernel, .machine, .btf, (.cpus | type), .capabilities.net_admin' "$tmp/json" | paste -sd' ')" \
	"$(uname -r) $(uname -m) true number true" "its head"
expect_eq "$(jq -c '[.tiers[].tier], [.wrong, .unfinished]' "$tmp/json" | paste -sd' ')" \
	'["hooks","functions","kprobes"] [0,0]' "tiers and counts"
expect_eq "$(jq -r '.providers[] | [.state, .probes, (if .members > 0 then 1 else 0 end),
	([["hooks", "h"], ["functions", "f"], ["kprobes", "k"]] as $all | .tiers as $has |
	[$all[] | if .[0] as $t | any($has[]; . == $t) then .[1] else "-" end] | add), .counted] | join(" ")' "$tmp/json")" \
	"$(line udp)" "udp as JSON and as text"
expect_eq "$(jq -c '[.providers[] | .probes, .attached, .members, .counted | type] | unique' "$tmp/json")" '["number"]' "types"

# every attachment takes a descriptor: with few of them tcp cannot be attached; Linux 5.10 comes as far as its members
(
	ulimit -n 24
	"$dwire" doctor tcp
) >"$tmp/out" 2>"$tmp/err"
expect_eq "$?" 1 "status without descriptors"
expect_match "$(line tcp)" '^WRONG [0-9]+ [01] ' "tcp without descriptors: $(<"$tmp/out")"

expect_match "$(<"$tmp/out")" $'\n''tcp: [a-z]' "why, below the table"
expect_eq "$(awk 'length > 80' "$tmp/out")" "" "the reason is as wide as a terminal"

# no privileges: said, and nothing is claimed
setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$dwire" --self-test udp >"$tmp/out" 2>"$tmp/err"
expect_eq "$?" 2 "status of an ordinary user"
expect_match "$(<"$tmp/err")" 'CAP_BPF|root' "what is missing"
expect_eq "$(line udp)" "" "no line for what was not tested"
setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$dwire" --self-test --json udp \
	>"$tmp/json" 2>"$tmp/err"
expect_eq "$?" 2 "status of an ordinary user with --json"
expect_eq "$(jq -c '[.capabilities.bpf, .providers, .wrong]' "$tmp/json")" '[false,null,null]' "nothing is claimed in JSON either"

# a test that dies is reported at once
"$dwire" --self-test udp sock icmp >"$tmp/out" 2>&1 &
pid=$!
for ((i = 0; i < 400; i++)); do
	read -r first _ third _ <"/proc/$pid/task/$pid/children"
	[ -n "$third" ] && kill -KILL "$first" && break # one for each provider
	sleep 0.005
done
wait $pid
expect_eq "$?" 2 "status when a test was killed: $(<"$tmp/out")"
expect_match "$(line udp)" '^\? 0' "the killed test: $(<"$tmp/out")"
expect_match "$(<"$tmp/out")" 'its test ended without a result' "why there is no result"
expect_match "$(line icmp)" '^ok 2' "the others"

# ended in the middle, it leaves no process
"$dwire" --self-test sock >"$tmp/out" 2>&1 &
pid=$!
for ((i = 0; i < 400; i++)); do
	children=$(cat "/proc/$pid/task/$pid/children")
	[ -z "$children" ] || break
	sleep 0.005
done
sleep 0.05
[ -n "$children" ] || fail "no child was running"
kill -INT $pid
wait $pid
for c in $children; do
	for ((i = 0; i < 200; i++)); do
		[ -e "/proc/$c" ] && ! grep -qs '^State:.*Z' "/proc/$c/status" || break
		sleep 0.05
	done
	expect_le "$i" 199 "the child goes"
done
finish
