# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A program looks an element of an array up once, however often its clauses read it, until elements are made or deleted;
# and then again, so that each read sees what was assigned before it. An assignment looks for itself: it must not write
# where another CPU has deleted the element and made another one.
finds() { # CLAUSES: lookups of the whole program
	"$dwire" --dump=ir -n "uint64_t x[uint64_t]; $1" >"$tmp/ir"
	grep -c "call 1(\|lib word_" "$tmp/ir"
}
once=$(finds 'tcp:::state-change /x[7]/ { printf("%d", 5); }')
expect_eq "$(finds 'tcp:::state-change /x[7]/ { printf("%d %d", x[7], x[7]); }')" "$once" "reads of one element"
expect_ge "$(finds 'tcp:::state-change /x[7]/ { printf("%d", x[8]); }')" $((once + 1)) "reads of two"
expect_ge "$(finds 'tcp:::state-change /x[7]/ { printf("%d", 5); x[7] = 1; }')" $((once + 1)) "an assignment"
expect_ge "$(finds 'tcp:::state-change /x[7]/ { x[7] = timestamp; printf("%d", x[7]); }')" $((once + 2)) "and a read behind it"

cat >"$tmp/values.d" <<-'END'
	int x[int], text[string], n;
	BEGIN { printf("%d", x[1]); x[1] = 5; printf(" %d", x[1]); x[1] = 6; printf(" %d", x[1]); }
	BEGIN { x[1] = 0; printf(" %d", x[1]); x[1]++; printf(" %d", x[1]); x[1] += 2; printf(" %d\n", x[1]); }
	BEGIN /x[1] == 3/ { x[2] = x[1]; printf("%d %d", x[1], x[2]); x[1] = x[2] - 3; printf(" %d %d\n", x[1], x[2]); }
	BEGIN /x[1] == 0 && x[2] == 3/ { n = x[1] ? (x[2] = 0) : (x[1] = 9); printf("%d %d %d\n", n, x[1], x[2]); }
	BEGIN /x[1] == 9/ { n = x[1] == 9 ? (x[1] = 0) : (x[2] = 7); printf("%d %d %d\n", n, x[1], x[2]); }
	BEGIN { if (x[2] == 3) { x[2]--; x[2]--; x[2]--; } else { x[2] = 8; } printf("%d\n", x[2]); }
	BEGIN { x[n] = 4; n = 1; printf("%d %d", x[0], x[n]); x[n] = 2; n = 0; printf(" %d %d\n", x[n], x[1]); }
	BEGIN { text["a"] = 1; printf("%d", text["a"]); text["a"] = 0; printf(" %d\n", text["a"]); exit(0); }
END
expect_eq "$("$dwire" -qs "$tmp/values.d")" "$(printf '%s\n' "0 5 6 0 1 3" "3 3 0 3" "9 9 3" "0 0 3" "0" "4 0 4 2" "1 0")" \
	"each read sees what was assigned"

# Of structures that no clause frees, all reads and assignments share a lookup: such an element stays where it is. The
# program itself may make it between two reads. One that is freed is looked up each time.
members() { # CLAUSES: lookups of the whole program
	"$dwire" --dump=ir -n "struct two { uint64_t a, b; }; struct two x[uint64_t]; $1" >"$tmp/ir"
	grep -c "call 1(" "$tmp/ir"
}
once=$(members 'tcp:::pace /x[7].a/ { printf("%d", 5); }')
expect_eq "$(members 'tcp:::pace /x[7].a/ { printf("%d %d", x[7].a, x[7].b); }')" "$once" "reads of one structure"
makes=$(members 'tcp:::pace /x[7].a/ { printf("%d", 5); x[7].b = 1; }')
expect_eq "$(members 'tcp:::pace /x[7].a/ { printf("%d", 5); x[7].b = 1; } END { x[7].b = 1; }')" $((makes + 3)) \
	"one that is made: looked up, made and looked up again, and the drops"
frees='END { x[8] = 0; }'
once=$(members "tcp:::pace /x[7].a/ { printf(\"%d\", 5); } $frees")
expect_ge "$(members "tcp:::pace /x[7].a/ { printf(\"%d %d\", x[7].a, x[7].b); } $frees")" $((once + 1)) \
	"reads of a structure that may be freed"

cat >"$tmp/members.d" <<-'END'
	struct two { uint64_t a, b; };
	struct two x[uint64_t], y[uint64_t];
	uint64_t n;
	BEGIN { printf("%d", x[1].a); x[1].a = 5; printf(" %d", x[1].a); x[1].b = 6; printf(" %d %d\n", x[1].a, x[1].b); }
	BEGIN /x[2].a == 0/ { x[2].b = x[1].b + 1; printf("%d %d\n", x[2].a, x[2].b); }
	BEGIN /x[2].b == 7 && x[3].b == 0/ { if (x[2].a) x[3].a = 1; else x[3].b = 2; printf("%d %d", x[3].a, x[3].b); }
	BEGIN { n = x[4].a ? 1 : (x[4].a = 9); printf(" %d %d\n", n, x[4].a); x[4].a++; x[4].b += 3; }
	BEGIN { n = 4; printf("%d %d", x[n].a, x[n].b); n = 5; printf(" %d", x[n].a); x[n].a = 8; n = 4; printf(" %d\n", x[n].a); }
	BEGIN { y[1].a = 1; printf("%d", y[1].a); y[1] = 0; printf(" %d", y[1].a); y[1].b = 2; printf(" %d %d\n", y[1].a, y[1].b); }
	BEGIN { x[6] = x[4]; printf("%d %d %d\n", x[6].a, x[6].b, x[5].a); exit(0); }
END
expect_eq "$("$dwire" -qs "$tmp/members.d")" "$(printf '%s\n' "0 5 5 6" "0 7" "0 2 9 9" "10 3 0 10" "1 0 0 2" "10 3 8")" \
	"each read of a structure sees what was assigned"

# A key may be an address of characters, which the verifier knows as a pointer since Linux 6.17.
"$dwire" -qn 'uint64_t x[uint64_t]; int n; udp:::send { x[args[0]->pkt_buffer + 1] = timestamp; x[args[0]->pkt_buffer] = 1; }
	udp:::send /x[args[0]->pkt_buffer] == 1/ { x[args[0]->pkt_buffer] = 0; n++; } END { printf("%d\n", n > 0); }' \
	-c "udp_send -4 -n 3" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(grep -cx 1 "$tmp/out")" 1 "addresses as keys"
