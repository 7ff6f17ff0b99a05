# SPDX-License-Identifier: GPL-2.0-or-later
# Where output goes: -o, closed and full outputs, readers that exit.
. "$here/lib/cli.lib"
d='BEGIN { printf("line\n"); exit(0); }'

echo before >f
gives 0 "" "" -qn "$d" -o f
gives 0 "" "dwire: description 'BEGIN ' matched 1 probe" -n "$d" -o f
expect_eq "$(<f)" "before
line

CPU     ID                    FUNCTION:NAME
$(tail -n 3 f)" "-o appends"
gives 0 "" "" -l -n BEGIN -o g
expect_match "$(<g)" ' BEGIN$' "-l with -o"
gives 1 "" "dwire: cannot write to /nonexistent/f: No such file or directory" -qn "$d" -o /nonexistent/f
gives 1 "" "dwire: cannot write to .: Is a directory" -qn "$d" -o .
gives 1 "" "dwire: cannot write the output: No space left on device" -qn "$d" -o /dev/full

full() { # WHAT ARG…
	local what=$1
	shift
	"$dwire" "$@" >/dev/full 2>err
	expect_eq "$?" 1 "status of $* on a full disk"
	expect_eq "$(grep -v 'tick firings\? missed' err)" "dwire: cannot write $what: No space left on device" "$* on a full disk"
}
full "the output" -qn "$d"
full "the output" -qn 'tick-100 { printf("x\n"); }'
full "the output" -qn 'BEGIN { @ = count(); exit(0); }'
full "the list" -l
for a in -h -V help "help tcptop" "tcptop -h"; do
	# shellcheck disable=SC2086
	full "to the standard output" $a
done
(ulimit -f 1 && exec "$dwire" -qn 'BEGIN { printf("%2000d", 1); exit(0); }') >grown 2>err
expect_eq "$? $(<err)" "1 dwire: cannot write the output: File too large" "a file that may not grow"
expect_eq "$(stat -c %s grown)" 1024 "what was written of it"
"$dwire" -qn "$d" >&- 2>err
expect_eq "$? $(<err)" "1 dwire: cannot write the output: Bad file descriptor" "a closed output"
"$dwire" -qn "$d" >out 2>&-
expect_eq "$? $(<out)" "0 line" "closed messages"

# A reader that leaves is no error, and ends the trace; so quickly that nothing piles up.
expect_eq "$(timeout 5 "$dwire" -qn 'tick-100 { printf("x\n"); }' 2>err | head -n 2; echo "${PIPESTATUS[*]}")" "x
x
0 0" "a reader that leaves"
grep -v 'tick firings\? missed' err && fail "a reader that leaves gets no message"

# Also when there is nothing to write: of text, frames, packets, and a merge of what never comes.
mkfifo silent
exec 8<>silent
deserted() { # ARGUMENT…
	expect_eq "$(timeout 10 "$dwire" "$@" <silent 2>err | timeout 1 head -c 2 >line; echo "${PIPESTATUS[0]}")" 0 \
		"a reader that leaves: $*"
	expect_eq "$(<err)" "" "a reader that leaves gets no message: $*"
}
deserted -qn 'BEGIN { printf("x\n"); }'
expect_eq "$(<line)" x "what it has read"
deserted --emit -n BEGIN
deserted -x capture=- -qn 'BEGIN { trace(1); }'
deserted merge -
exec 8>&-
# What goes to a file needs no reader.
"$dwire" -wqn 'BEGIN { freopen("reopened"); } tick-700ms { printf("x\n"); exit(0); }' | :
expect_eq "${PIPESTATUS[0]} $(<reopened)" "0 x" "a file in the place of an output that nobody reads"
# What fired stays in order and whole when it is a pipe, a file, or both at once.
"$dwire" -qn 'BEGIN { printf("1\n"); } tick-10 { printf("2\n"); exit(0); } END { printf("3\n"); }' | cat >out
expect_eq "$(<out)" "1
2
3" "a pipe"
