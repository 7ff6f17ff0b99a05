# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The names of zones. A container has one name, from its first event on, however many begin at once. A name out of a
# cgroup path is marked, whatever a user called it. --netns takes what a column ZONE shows. A dwire inside a namespace
# says whose view it gives.
need unshare python3
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip "no cgroup2"
# of this run alone: the same test may run beside it, in another tier
short=$(printf '%05x' $(($$ % 0x100000)))
id=${short}56789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
names=(one$$ two$$ global 4026531840 three$$)
groups=("${names[@]/#/lxc.payload.}" "docker-$id.scope")
shown=("${names[@]/#/@}" "@${short}56789ab")
remove() {
	local g
	for g in "${groups[@]}"; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do [ ! -d "$root/dwt-$$/$g" ] || rmdir "$root/dwt-$$/$g" 2>/dev/null && break || sleep 0.05; done
	done
	rmdir "$root/dwt-$$" 2>/dev/null
}
at_exit remove
mkdir "$root/dwt-$$" || skip "cannot make a cgroup"

# One after the other: a process in the cgroup, then a namespace, then traffic. The kernel gives the number of a namespace
# that has ended to the next one.
cat >"$tmp/containers" <<-END
	for g in "\$@"; do
		(mkdir "$root/dwt-$$/\$g" && echo 0 >"$root/dwt-$$/\$g/cgroup.procs" &&
			exec unshare -n "$BASH" -c 'ip link set lo up; tcp_echo -4 -n 1 >$tmp/of.\$1; sleep 0.3' - "\$g")
		sed -n "s/^client_pid=/\$g=/p" "$tmp/of.\$g"
	done
END
trace_with 'tcp:::send /args[1]->cs_execname == "dw_client"/ { printf("%d %s\n", args[1]->cs_pid, args[1]->cs_zonename); }' \
	"$BASH" "$tmp/containers" "${groups[@]}"
for i in "${!groups[@]}"; do
	expect_eq "$(awk -v n="$(value_of "${groups[i]}")" '$1 == n { print $2 }' <<<"$OUT" | sort -u)" "${shown[i]}" "${groups[i]}"
done

# --netns: the whole name, and what a column of six shows of it; a number and its end
cat >"$tmp/one" <<-END
	echo 0 >"$root/dwt-$$/\$1/cgroup.procs" || exit 1
	exec unshare -n "$BASH" -c 'ip link set lo up; echo "netns=\$(stat -L -c %i /proc/self/ns/net)" >&2
		while [ ! -e $tmp/end ]; do udp_echo -4 -n 1 >/dev/null; sleep 0.05; done'
END
"$BASH" "$tmp/one" "docker-$id.scope" 2>"$tmp/netns" &
"$BASH" "$tmp/one" "lxc.payload.global" 2>"$tmp/other" &
until grep -qs netns "$tmp/netns" && grep -qs netns "$tmp/other"; do sleep 0.02; done
number=$(sed 's/netns=//' "$tmp/netns")
during=1 # seconds
! slow_machine || during=3
for zone in "@${short}56789ab" "@$short" "$number"; do
	"$dwire" udpsnoop -o zone -d $during --netns "$zone" >"$tmp/rows" 2>"$tmp/err" || fail "--netns $zone: $(<"$tmp/err")"
	expect_eq "$(awk 'NR > 1 && NF { print $1 }' "$tmp/rows" | sort -u)" "@${short}56789ab" "--netns $zone: $(<"$tmp/err")"
done
"$dwire" -qn 'udp:::send /args[1]->cs_zonename == "@global"/ { @ = count(); } tick-'$during's { printa(@); exit(0); }' >"$tmp/rows"
expect_ge "$(tr -d '[:space:]' <"$tmp/rows")" 2 "a zone by its name"
unshare -n "$BASH" -c "ip link set lo up; stat -L -c netns=%i /proc/self/ns/net >$tmp/plain
	while [ ! -e $tmp/end ]; do udp_echo -4 -n 1 >/dev/null; sleep 0.05; done" &
until grep -qs netns "$tmp/plain"; do sleep 0.02; done
number=$(sed 's/netns=//' "$tmp/plain")
"$dwire" udpsnoop -o zone -d $during --netns "${number: -6}" >"$tmp/rows" 2>"$tmp/err" || fail "--netns ${number: -6}: $(<"$tmp/err")"
expect_eq "$(awk 'NR > 1 && NF { print $1 }' "$tmp/rows" | sort -u)" "$number" "the end of a number: $(<"$tmp/err")"
# solisten shows the zone as the others do
"$dwire" solisten >"$tmp/rows" 2>&1 &
listing=$!
for _ in {1..600}; do # its header says that it sees what comes
	! grep -q PID "$tmp/rows" && kill -0 $listing 2>/dev/null || break
	sleep 0.1
done
for _ in {1..20}; do
	nsenter -t "$(head -n 1 "$root/dwt-$$/docker-$id.scope/cgroup.procs")" -n python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0))'
	! grep -q python3 "$tmp/rows" || break
	sleep 0.1
done
kill -INT $listing
wait $listing
expect_eq "$(awk -v short="@$short" '$2 == "python3" && index($3, short) == 1 { print $3 }' "$tmp/rows" | sort -u)" "@${short}56789ab" "solisten: $(<"$tmp/rows")"
touch "$tmp/end"

netns_new view
# whose view: in whichever tier packets are seen
view() { # COMMAND that starts dwire: its messages, without that of a machine that has no event for ticks
	"$@" "$dwire" "${dwire_opts[@]}" -n 'udp:::send { @ = count(); } tick-100ms { exit(0); }' 2>&1 >/dev/null |
		grep -v 'tick probes are fired by a timer'
}
need_traced udp:::send
expect_eq "$(view env | grep -c whole)" 0 "outside of every namespace"
expect_match "$(view ip netns exec "$NETNS")" "in network namespace $NETNS: the whole machine is traced" "in a network namespace"
expect_match "$(view unshare -p -f --mount-proc)" "in a pid namespace: the whole machine is traced" "in a pid namespace"
expect_match "$(view unshare -C)" '^$|only its own packets' "in a cgroup namespace"
