# SPDX-License-Identifier: GPL-2.0-or-later
# Output without -q: one line for each clause that records, with all its actions.
cat >t.d <<'D'
BEGIN { printf("p"); trace(1); trace((char)3); trace((short)-2); trace((uint64_t)7); trace("str"); printf("%s", probename); }
BEGIN { x = 1; @c[1, "k"] = count(); }
BEGIN { }
BEGIN /x == 2/ { trace(2); }
BEGIN { trace(2); trace(-3); printf("\n"); }
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("speculated"); }
BEGIN { printf("before"); }
BEGIN { commit(self->s); }
BEGIN { printa("%d %s %@d", @c); printa(@c); clear(@c); }
BEGIN { exit(3); }
BEGIN { trace("not any more"); }
END { printf("e"); }
D
"$dwire" -x nspec=2 -s t.d >out 2>err
expect_eq $? 3 "exit status"
expect_eq "$(<err)" "dwire: script 't.d' matched 13 probes" "messages"
sed -i 's/^ *[0-9]\{1,\} \( *[12]  *:\)/  0 \1/' out # whatever the CPU
diff - out <<'O' || fail "what is printed"
CPU     ID                    FUNCTION:NAME
  0      1                           :BEGIN p        1   3    -2                7  str                              BEGIN
  0      1                           :BEGIN 
  0      1                           :BEGIN         2       -3

  0      1                           :BEGIN before
  0      1                           :BEGIN speculated
  0      1                           :BEGIN 1 k 1
        1  k                                                                 1

  0      1                           :BEGIN 
  0      2                             :END e

O
