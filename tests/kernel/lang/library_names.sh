# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A script that defines a name of the D library changes what the name means to the script, and nothing in the library:
# the programs of the same clauses are the same.
clauses='tcp:::send, tcp:::drop { @[args[1]->cs_container, args[3]->tcps_state, args[4]->tcp_flags] = count(); }
ip:::receive { @i[args[2]->ip_saddr, args[2]->ip_plength, args[3]->if_name] = count(); }
sock:::connect-done { @s[args[0]->so_familyname, args[2]->sr_error, curlwpsinfo->pr_state] = count(); }
dns:::response { @d[args[4]->dns_rcodestr, args[4]->dns_time] = count(); }
proc:::exit { @e[args[0]] = count(); }'

# Every inline of the library by its own type and keys, with a value that would be wrong in any place.
redefined() {
	sed -nE 's/^inline (int|int32_t|uint8_t|uint16_t|uint32_t|uint64_t) ((DW_|dw_|TCP_|TH_|IPPROTO_|S[A-Z]+ )[A-Za-z0-9_]*)(\[[^]]*\])? = .*/inline \1 \2\4 = 77;/p' \
		$(find "$here/../../dlib" -name "*.d" ! -name "regs_*") | sort -u
}
redefined >"$tmp/names"
expect_ge "$(wc -l <"$tmp/names")" 300 "inlines of the library"
printf '%s\n' "$clauses" >"$tmp/plain.d"
cat "$tmp/names" "$tmp/plain.d" >"$tmp/own.d"
"$dwire" --dump=bpf -s "$tmp/plain.d" >"$tmp/plain" 2>"$tmp/err" || fail "plain: $(<"$tmp/err")"
"$dwire" --dump=bpf -s "$tmp/own.d" >"$tmp/own" 2>"$tmp/err" || fail "with names of its own: $(head -n 5 "$tmp/err")"
expect_ge "$(grep -c '^ *[0-9]*: ' "$tmp/plain")" 1000 "instructions"
cmp "$tmp/plain" "$tmp/own" || fail "the library's programs have changed"

# The script means its own.
OUT=$("$dwire" -qn 'inline int DW_TCP_LISTEN = 77; inline int dw_is_udp[int a] = a + 1;
	BEGIN { printf("%d %d\n", DW_TCP_LISTEN, dw_is_udp[4]); exit(0); }')
expect_eq "$(grep . <<<"$OUT")" "77 5" "the script's own"
