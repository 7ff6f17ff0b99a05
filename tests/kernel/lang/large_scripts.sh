# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Large programs work, or are refused with a clear error before anything is loaded.
run() { # NAME WANT SCRIPT-FILE
	local got
	got=$("$dwire" -q -s "$3" 2>err) || fail "$1: dwire returned $?: $(head -c 400 err)"
	expect_eq "$got" "$2" "$1"
}
repeat() { # TEXT COUNT: %d in the text is the number
	local i
	for ((i = 0; i < $2; i++)); do printf "${1//%d/$i}"; done
}

{ echo 'BEGIN { x = 3; y ='; repeat '(' 1000; printf x; repeat ')' 1000; echo '; printf("%d\n", y); exit(0); }'; } >s.d
run "1000 parentheses" 3 s.d
{ echo 'BEGIN { x = 3; y ='; repeat '(x + ' 1000; printf 1; repeat ')' 1000; echo '; printf("%d\n", y); exit(0); }'; } >s.d
run "1000 nested sums" 3001 s.d
{ echo 'BEGIN { x = 7; y ='; repeat 'x == %d ? %d0 : ' 900; echo '-1; printf("%d\n", y); exit(0); }'; } >s.d
run "900 conditions" 70 s.d
{ echo 'BEGIN { x = 850; y ='; repeat 'x == %d ? "text%d" : ' 900; echo 'execname; printf("%s\n", y); exit(0); }'; } >s.d
run "900 conditions of strings" text850 s.d
{ echo 'BEGIN { x = 2; this->a = 1; y ='; repeat 'x * %d - this->a + ' 500; echo '0; printf("%d\n", y); exit(0); }'; } >s.d
run "1000 terms" $((2 * 499 * 500 / 2 - 500)) s.d
{ repeat 'BEGIN { x += %d; }\n' 10000; echo 'BEGIN { printf("%d\n", x); exit(0); }'; } >s.d
run "10000 clauses" $((9999 * 10000 / 2)) s.d
{ echo 'BEGIN { x = 0; }'; repeat 'BEGIN /x >= %d/ { x++; this->y = x; }\n' 1000
	echo 'BEGIN { printf("%d %d\n", x, this->y); exit(0); }'; } >s.d
run "1000 clauses with predicates" "1000 1000" s.d
{ repeat 'tick-%dms { x++; }\n' 300; echo 'BEGIN { printf("all\n"); exit(0); }'; } | sed 's/tick-\([0-9]*\)ms/tick-1\1000ms/' >s.d
run "300 probes" all s.d
{ repeat 'BEGIN { printf("%%i %%s ", %d, execname); }\n' 100; echo 'BEGIN { exit(0); }'; } >s.d
run "100 records" "$(for ((i = 0; i < 100; i++)); do printf '%d dwire ' $i; done)" s.d
{ echo 'BEGIN {'; repeat 's = strjoin("a", lltostr(%d)); n += strlen(s);\n' 300; echo 'printf("%d %s\n", n, s); exit(0); }'; } >s.d
run "300 strings" "1090 a299" s.d
{ echo 'BEGIN {'
	for ((i = 0; i < 700; i++)); do
		((i < 10)) && echo "self->x$i = $i;" || echo "self->x$((i % 10)) = self->x$(((i + 1) % 10)) + $i;"
	done
	echo 'printf("%d\n", self->x9); exit(0); }'; } >s.d
# x[i % 10] is x[(i + 1) % 10], set nine steps before, and i: the sum of 699, 690, ... 15 and the 6 of the first ten
run "700 statements on self->" $(((699 + 15) * 77 / 2 + 6)) s.d

{ echo 'BEGIN {'; repeat 'trace(%d); trace(execname); @a%d[%d] = quantize(%d); y[%d, execname] = 1; self->z%d = "b";\n' 300
	echo 'exit(0); }'; } >s.d
"$dwire" -q -s s.d >out 2>err
expect_eq $? 0 "status of 300 lines with four maps each"
# The kernel's allocator of map elements keeps some tens a CPU at hand, and gets more once the program has ended: a burst
# of births may find none. Then it is counted.
expect_eq $(($(grep -c 'Distribution' out) + $(sed -n 's/^dwire: \([0-9]*\) aggregation drops on CPU .*/\1/p' err | paste -sd+ | sed 's/^$/0/'))) \
	300 "their aggregations, shown or reported as dropped"

# What is too large is refused in words of D.
{ echo 'BEGIN { x = 0; }'; repeat 'BEGIN /x >= %d/ { x++; }\n' 10000; } >s.d
"$dwire" -q -s s.d >out 2>err
expect_eq $? 1 "status of 10000 predicates"
expect_match "$(<err)" 'D_LIMIT.*more than 8000 conditions' "what it says"
