# SPDX-License-Identifier: GPL-2.0-or-later
# Choosing probes: -n -P -m -f -i -s, several at once, clauses after them; messages for descriptions that match
# nothing; -l.
. "$here/lib/cli.lib"
m() { echo "dwire: description '$1' matched $2 probe$([ "$2" -eq 1 ] || echo s)"; }

run -l
expect_eq "$STATUS$ERR" 0 "-l"
expect_eq "${OUT%%$'\n'*}" "   ID   PROVIDER            MODULE                          FUNCTION NAME" "head of -l"
all=$OUT
begin=$(awk '$3 == "BEGIN" { print $1 }' <<<"$all")
in_provider() { awk -v p="$1" '$2 == p' <<<"$all"; }
tcp=$(in_provider tcp | wc -l) udp=$(in_provider udp | wc -l)
expect_ge "$tcp" 8 "tcp probes"

# Each clause counts for its own description.
gives 0 "12" "" -qn 'BEGIN { x = 10; }' -n 'BEGIN { x += 2; }' -n 'BEGIN { printf("%d\n", x); exit(0); }'
run -P tcp -P 'udp /pid == 1/ { @ = count(); }' -f 'udp:vmlinux:{ trace(1) }' -n 'BEGIN { exit(0); }' -i "$begin"
expect_eq "$STATUS $ERR" "0 $(m tcp "$tcp")
$(m "udp " "$udp")
$(m udp:vmlinux: "$udp")
$(m "BEGIN " 1)
$(m "$begin" 1)" "matched probes"
run -qP 'dtrace { printf("%s\n", probename); }' -n 'BEGIN { exit(0); }'
expect_eq "$STATUS $OUT" "0 BEGIN
END" "-P with a clause"
run -qi "$begin { printf(\"%d\\n\", id); exit(0); }"
expect_eq "$STATUS $OUT" "0 $begin" "-i with a clause"
printf 'BEGIN { printf("script\\n"); exit(0); }\n' >s.d
gives 0 "script" "" -qs s.d -n 'tick-1s'
expect_eq "$("$dwire" -qs - <s.d)" script "a script on the standard input"

# The nearest right one.
hint() { # ARGUMENT HINT
	run -n "$1"
	expect_eq "$STATUS" 1 "status of -n $1"
	expect_eq "$ERR" "-n:1:1: error[D_PDESC_ZERO]: probe description $1 does not match any probes
    $1
    ^$(printf '%*s' $((${#1} - 1)) '' | tr ' ' '~') hint: $2" "-n $1"
}
hint tcp:::sned 'did you mean tcp:::send?'
hint tpc:::send 'did you mean tcp:::send?'
hint tcp::send 'did you mean tcp:::send?'
hint udp:recieve 'did you mean udp:::receive?'
hint begin 'did you mean BEGIN?'
hint tcp 'all probes of the provider: tcp:::'
hint tcp:::nothing '-l -P tcp lists the probes of tcp'
hint tick-10000 'N times a second, 5000 at most, or every Ns, Nms, Nus: profile-97, tick-5s'
hint 'tcp:::nothing*' '-l lists all probes'
run -n nosuch::read:entry
expect_match "$ERR" 'hint: there is no provider nosuch; the providers: dtrace, .*tcp' "an unknown provider"
run -n BEGIN -n 'bogus:::x'
expect_match "$STATUS $ERR" '^1 -n #2:1:1: error\[D_PDESC_ZERO\]' "the second -n"
run -i abc
expect_match "$STATUS $ERR" '^1 -i:1:1: error\[D_PDESC_INVAL\]: the number of a probe is needed' "-i abc"
run -i 99999
expect_match "$STATUS $ERR" '^1 -i:1:1: error\[D_PDESC_ZERO\]' "-i 99999"
run -Z -n bogus::: -n 'BEGIN { exit(0); }'
expect_eq "$STATUS $ERR" "0 dwire: description 'bogus:::' matched 0 probes
dwire: description 'BEGIN ' matched 1 probe" "-Z"

# -l with descriptions: these, once each, in order; what is not there is an error, after those that are.
head=${all%%$'\n'*}
gives 0 "$head
$(in_provider tcp)
$(in_provider udp)" "" -l -P udp -P tcp -n tcp:::send
gives 0 "$head
$(grep ' BEGIN$' <<<"$all")" "" -l -s s.d
gives 0 "$head
$(grep ' BEGIN$' <<<"$all")" "" -l -i "$begin"
gives 0 "$head
$(in_provider udp)" "dwire: failed to match :::bogus: No probe matches description
    hint: -l lists all probes" -l -n bogus -n udp:::
run -l -n tick-7s
expect_match "$STATUS $OUT" '^0 .* profile +tick-7s$' "-l of a probe that is made by its name"
gives 0 "$head" "" -lZ -n bogus
run -lv -n tcp:::send
expect_match "$STATUS $OUT" $'Argument Types\n.*args\[0\]: pktinfo_t \*\n.*args\[4\]: tcpinfo_t \*' "-lv"
expect_match "$OUT" $'^[^\n]*\n[^\n]*send\n\n\tProbe Description Attributes\n.*\n\n\tArgument Types(\n\t\targs\[[0-4]\]: [a-z]*_t \*){5}\n*$' "no more than that"
gives 0 "$head" "dwire: failed to match :bogus::: No probe matches description
    hint: -l lists all probes" -lm bogus
run -lvv -n tcp:::send
expect_match "$STATUS $OUT" $'Argument Types.*\n\tSite: ' "sites of -lvv"
run -e -vv -n tcp:::send
expect_match "$STATUS $OUT" $'^0 .*tcp:vmlinux::send\n.*Site: ' "-vv"
# As users of others try it: descriptions without -n, the kernel's module by the name that it has elsewhere.
gives 0 "$head
$(in_provider udp)" "" -l udp:::
gives 0 "$head
$(grep 'tcp .* send$' <<<"$all")" "" -ln tcp:kernel::send
expect_eq "$("$dwire" -lm kernel | wc -l)" "$("$dwire" -lm vmlinux | wc -l)" "-m kernel"
gives 1 "$head
$(in_provider udp)" "dwire: failed to match dcp:::: No probe matches description
    hint: did you mean tcp:::?
dwire: failed to match tpc:::: No probe matches description
    hint: did you mean tcp:::?" -l -P udp -P dcp -P tpc
