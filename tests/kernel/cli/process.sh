# SPDX-License-Identifier: GPL-2.0-or-later
# -c and -p: errors before anything fires, reported exits, $target.
. "$here/lib/cli.lib"
d='BEGIN { printf("fired\n"); }'

gives 1 "" "dwire: failed to execute /nonexistent: No such file or directory" -qn "$d" -c /nonexistent
gives 1 "" "dwire: failed to execute nonexistent-command: No such file or directory" -qn "$d" -c 'nonexistent-command x'
gives 1 "" "dwire: failed to execute /tmp: Permission denied" -qn "$d" -c /tmp
gives 1 "" "dwire: cannot run \"'\": a quote is not closed" -qn "$d" -c "'"
gives 1 "" "dwire: failed to grab pid 99999999: No such process" -qn "$d" -p 99999999
gives 1 "" "dwire: -p takes the number of a process, not 12x" -qn "$d" -p 12x

# A script that has no interpreter is found only by the exec: BEGIN has fired, and the error is reported all the same.
printf '#!/nonexistent\n' >bad && chmod +x bad
run -qn 'tick-1s' -c ./bad
expect_eq "$STATUS $ERR" "1 dwire: failed to execute ./bad: No such file or directory" "a command that cannot be executed"

run -n 'tick-1h' -c 'sh -c "exit 3"'
expect_match "$STATUS $ERR" $'^0 dwire: description \'tick-1h\' matched 1 probe\ndwire: pid [0-9]+ has exited$' "-c"
run -n 'tick-1h' -c "sh -c 'kill -9 \$\$'"
expect_match "$STATUS $ERR" $'^0 .*\ndwire: pid [0-9]+ terminated by SIGKILL$' "-c of one that is killed"
gives 0 "out" "" -qn 'tick-1h' -c 'echo out'
gives 4 "out" "" -qn 'END { exit(4); }' -c 'echo out'
run -qn 'END { printf("%d\n", $target); }' -c 'sh -c "echo $$"'
expect_eq "$(uniq <<<"$OUT" | wc -l)" 1 "\$target is the command's pid: $OUT"

# -p ends with the process and does not harm it; exit() ends before.
sleep 0.5 &
run -qn 'END { printf("%d\n", $target); }' -p $!
expect_eq "$STATUS $OUT $ERR" "0 $! " "-p"
sleep 5 &
run -qn 'BEGIN { exit(7); }' -p $!
expect_eq "$STATUS" 7 "exit() with -p"
kill $! || fail "-p ended the process"
# A started process does not outlive the trace.
run -qn 'tick-10 { printf("%d\n", $target); exit(0); }' -c 'sleep 60'
kill -0 "$OUT" 2>/dev/null && fail "the command of -c runs on"

# -x evaltime: the command waits before it is executed, or at its entry, when its libraries have been opened.
printf '#pragma D option evaltime=main\nsyscall::execve:entry, syscall::openat:entry, syscall::exit_group:entry /pid == $target/ { @[probefunc] = count(); }\nEND { printa("%%s %%@d\\n", @); }\n' >eval.d
sed 's/^#pragma.*//' eval.d >plain.d
for e in exec preinit postinit main; do
	run -q -x evaltime=$e -s plain.d -c true
	[ $e = exec ] || expect_eq "$STATUS $OUT" "0 exit_group 1" "evaltime=$e: $ERR"
	[ $e != exec ] || expect_match "$STATUS $OUT" $'^0 exit_group 1\nopenat [1-9].*\nexecve [1-9]' "evaltime=exec: $ERR"
done
run -q -s eval.d -c true
expect_eq "$STATUS $OUT" "0 exit_group 1" "evaltime in a pragma: $ERR"
run -q -x version="$("$dwire" -V | cut -d' ' -f2)" -n 'BEGIN { exit(0); }'
expect_eq "$STATUS $ERR" "0 " "the version that -V names"
run -e
expect_eq "$STATUS $OUT$ERR" "0 " "-e alone"
run -e -L /nosuch -x quiet
expect_eq "$STATUS $OUT$ERR" "0 " "-e checks the options"
run -e -x nosuch
expect_eq "$STATUS" 1 "-e with a wrong option"
run -b 0 -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*failed to set -b 0: Invalid value' "-b 0"
run -q -x switchrate -n 'BEGIN { exit(0); }'
expect_eq "$STATUS" 0 "a rate without a value"
run -n $'#pragma D option ldpath=/bin/ld\nBEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*D_PRAGMA_OPTSET' "ldpath in a pragma"
