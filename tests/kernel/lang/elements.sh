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
