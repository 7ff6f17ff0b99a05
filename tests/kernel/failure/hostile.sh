# SPDX-License-Identifier: GPL-2.0-or-later
# Misuse: the result is an error message, a count of losses, or the right answer, within seconds, and nothing stays
# in the kernel.
# timeout: 100
. "$here/lib/cli.lib"
. "$here/lib/orphans.lib"
need bpftool
run_limit=15
orphans >before

nasty() { # STATUS OUT ERR ARG…: OUT and ERR are patterns of the whole text; "" is none at all
	local status=$1 out=$2 err=$3
	shift 3
	run "$@"
	expect_eq "$STATUS" "$status" "status of ${*: -3}"
	OUT=$(tr -s ' \n' '  ' <<<"$OUT") ERR=$(tr -s ' \n' '  ' <<<"$ERR")
	[[ $OUT =~ ^\ ?$out\ ?$ ]] || fail "output of ${*: -3}: got '${OUT:0:400}', want a match of '$out'"
	[[ $ERR =~ ^$err\ ?$ ]] || fail "messages of ${*: -3}: got '${ERR:0:400}', want a match of '$err'"
}

many() { # N TEXT: the text N times, # its number
	local i
	for ((i = 1; i <= $1; i++)); do printf '%s\n' "${2//#/$i}"; done
}

# Too much of everything
run_limit=40 nasty 0 1 "" -qn 'BEGIN { @ = count(); exit(0); } ::: /probename == "no such"/ { @ = count(); }'
nasty 0 10000 "" -qs <(many 10000 'BEGIN { x = #; }' && echo 'BEGIN { printf("%d", x); exit(0); }')
nasty 1 "" '.*D_LIMIT.*: more than 8000 conditions .*hint: trace in several runs.*' -qs <(many 10000 'tcp:::send /pid == #/ { x = #; }')
nasty 1 "" '.*D_LIMIT.*the clauses of dtrace:::BEGIN make too large a program.*hint:.*' -qs <(many 9000 'BEGIN { @a# = count(); }')
nasty 1 "" '.*D_LIMIT.*make too large a program.*trace in several runs.*' -qs <(many 9000 'BEGIN { self->a# = #; }')
mapfile -t clauses < <(many 100 'BEGIN { n += #; }' | sed 'i -n')
nasty 0 5050 "" -q "${clauses[@]}" -n 'BEGIN { printf("%d", n); exit(0); }'
mapfile -t clauses < <(many 3000 'tcp:::send,')
nasty 1 "" '.*D_LIMIT.*' -qn "${clauses[*]} BEGIN { exit(0); }"
nasty 0 '[0-9]+' '(dwire: [0-9]+ tick firings? missed \(too late\) ?)?' -qs <(many 300 'tick-#ms { @ = count(); }' && echo 'tick-400ms { exit(0); }')
nasty 0 "" "" -qn "BEGIN { $(head -c 50000 /dev/zero | tr '\0' a) = 1; exit(0); }"

# Texts
printf 'BEGIN { exit(0); }\0' >nul.d
nasty 1 "" '.*D_SYNTAX.*not a D program: it holds a zero byte.*' -qs nul.d
nasty 1 "" 'dwire: cannot read /tmp: Is a directory' -qs /tmp
nasty 1 "" '.*D_LIMIT.*the text is larger than 16 MiB.*' -qs /dev/zero
nasty 1 "" '.*D_EMPTY.*the program is empty' -qs /dev/null
nasty 1 "" '.*D_LIMIT.*nested too deeply.*' -qs <(printf 'BEGIN { x = '; head -c 100000 /dev/zero | tr '\0' '(')
nasty 1 "" '.*D_LIMIT.*nested too deeply.*' -qs <(printf 'BEGIN { x = '; head -c 100000 /dev/zero | tr '\0' '-')
nasty 1 "" '.*D_SYNTAX.*this comment never ends.*' -qn 'BEGIN { /* '
nasty 1 "" '.*D_SYNTAX.*the width or precision is too large.*' -qn 'BEGIN { printf("%1000000d", 1); exit(0); }'
echo '#include "self.d"' >self.d
nasty 1 "" '.*include nested depth .*Preprocessor failed to process input program' -Cqs self.d

# Options
for o in bufsize=abc bufsize=-1 bufsize= bufsize=1e3 bufsize=99999999999999999999 switchrate=0 switchrate=-1 aggrate=0 cpu=-1 \
	cpu=x tier=none bufpolicy=x quiet=maybe aggsortpos=x; do
	nasty 1 "" "dwire: failed to set -x $o: Invalid value for specified option +hint: it takes .*" -x "$o" -qn 'BEGIN { exit(0); }'
done
for o in nosuch '' = =1; do
	nasty 1 "" "dwire: failed to set -x $o: Invalid option name" -x "$o" -qn 'BEGIN { exit(0); }'
done
nasty 1 "" 'dwire: cannot trace on CPU 99: Invalid argument' -x cpu=99 -qn 'tick-1s { exit(0); }'
for o in dynvarsize=0 strsize=0 aggsize=0 bufsize=0 nspec=0 specsize=0 stackframes=0 switchrate=1h strsize=1g nspec=1000000; do
	nasty 0 ok "" -x "$o" -qn 'BEGIN { printf("ok"); exit(0); }'
done

# Commands
echo 'kill -9 $$' >suicide
echo 'sleep 0.3 & exit 3' >leaves
nasty 0 end "" -qn 'END { printf("end"); }' -c 'sh suicide'
nasty 0 end "" -qn 'END { printf("end"); }' -c 'sh leaves'
nasty 3 "" "" -qn 'BEGIN { exit(3); }' -c 'sleep 30'
nasty 1 "" 'dwire: failed to execute /nonexistent/x: No such file or directory' -qn 'BEGIN { exit(0); }' -c /nonexistent/x
nasty 1 "" 'dwire: failed to execute /tmp: Permission denied' -qn 'BEGIN { exit(0); }' -c /tmp
nasty 1 "" 'dwire: failed to grab pid 99999999: No such process' -qn 'BEGIN { exit(0); }' -p 99999999
nasty 0 "" "" -wqn 'syscall::kill:entry /pid == $target/ { raise(9); }' -c "sh -c 'kill -0 1; sleep 30'"
printf 'kill -9 $PPID\n' >killer
nasty 137 "" "" -qn 'tcp:::send, udp:::, mib::: { @[args[1]->cs_execname] = count(); } tick-1s { } profile-97 { }' -c 'sh killer'

# Bad addresses, sizes and numbers; an error in what is done for errors
nasty 0 1 '.*divide-by-zero in action #1 at BPF pc [0-9]+ dwire: 1 error in ERROR probe enabling' \
	-qn 'BEGIN { trace(1 / (0 * pid)); } ERROR { n++; trace(1 / (0 * pid)); } tick-20ms { printf("%d", n); exit(0); }'
nasty 0 "" '.*END.: invalid address \(0x0\) in action #1.*' -qn 'BEGIN { exit(0); } END { trace(*(int *)0); }'
for d in 'trace(copyinstr(0))' 'trace(copyinstr(-1))' 'p = copyin(4096, 1000000000)' 'p = alloca(1 << 30)' 'chill(1000000000000)'; do
	nasty 0 2 '.*(invalid address|out of scratch space|illegal operation) .*in action #1.*' \
		-wqn "BEGIN { $d; } ERROR { n++; } tick-20ms { printf(\"%d\", n + 1); exit(0); }"
done
nasty 1 "" '.*D_TRACEMEM_SIZE.*' -qn 'BEGIN { tracemem(0, 1 << 20); exit(0); }'
nasty 1 "" '.*D_LQUANT_STEPSMALL.*' -qn 'BEGIN { @ = lquantize(1, 0, 1000000000, 1); exit(0); }'
nasty 1 "" '.*D_STACK_SIZE.*' -qn 'BEGIN { stack(-1); exit(0); }'
nasty 1 "" '.*D_KERNEL.*panic\(\) is not possible.*' -wqn 'BEGIN { panic(); }'
nasty 1 "" '.*Destructive actions not allowed' -qn 'BEGIN { system("true"); exit(0); }'

# More than there is room for: what is there and what was lost are what happened.
calls=30000
counted() { # WHAT-IS-LOST AWK: which makes of the output what happened and what is there
	local lost
	OUT=$(awk "$2" out)
	lost=$(awk -v kind="$1" '$0 ~ "^dwire: [0-9]+" kind " drops?( on CPU [0-9]+)?$" { n += $2 } END { print n + 0 }' err)
	expect_ge "$lost" 1 "$1 drops"
	# shellcheck disable=SC2086
	set -- "$1" $OUT
	expect_ge "$2" $calls "what happened: $1"
	expect_eq $(($3 + lost)) "$2" "what happened, beside what is there ($3) and was dropped: $1"
}
reads="syscall::read:entry /pid == \$target/"
reader="dd if=/dev/zero of=/dev/null bs=1 count=$calls status=none"
nasty 0 '[0-9]+ [0-9]+' '(dwire: [0-9]+ dynamic variable drops ?)' -x dynvarsize=16k \
	-qn "$reads { n++; x[timestamp, n] = 1; m += x[timestamp, n]; @k = sum(x[timestamp, n]); } END { printf(\"%d\", n); printa(\" %@d\", @k); }" -c "$reader"
counted ' dynamic variable' 'NF'
nasty 0 '[0-9]+ .*' '(dwire: [0-9]+ aggregation drops on CPU [0-9]+ ?)+' -x aggsize=16k \
	-qn "$reads { n++; @k[timestamp, n] = count(); } END { printf(\"%d\\n\", n); printa(\"%@d\\n\", @k); }" -c "$reader"
counted ' aggregation' 'NF && !n { n = $1; next } NF { m += $1 } END { print n, m }'
nasty 0 '.* [0-9]+' '(dwire: [0-9]+ drops on CPU [0-9]+ ?)+' -x bufsize=4k -x switchrate=1s \
	-qn "$reads { n++; } $reads { printf(\"r\\n\"); } END { printf(\"%d\\n\", n); }" -c "$reader"
counted '' '$1 == "r" { m++; next } NF { n = $1 } END { print n, m + 0 }'
nasty 0 'none' 'dwire: 1 failed speculation \(no speculative buffer available\) dwire: 1 speculative drop' -x nspec=1 -x specsize=64 -qn 'BEGIN { s = speculation(); t = speculation(); }
	BEGIN { speculate(s); printf("%s %s %s %s", probename, probefunc, probeprov, execname); stack(); }
	BEGIN { commit(s); } tick-20ms { printf("none"); exit(0); }'

# Names of processes with codes for terminals
cat >names <<-'END'
	printf '\033[31m"\a\\%%s' >/proc/self/comm
	kill -0 $$
END
kills='syscall::kill:entry /pid == $target/ { printf("<%s>", execname); @[execname] = count(); }'
nasty 0 '<\\x1b\[31m"\\x07\\%s> \\x1b\[31m"\\x07\\%s 1' "" -qn "$kills" -c 'bash names'
nasty 0 '.*\{"keys":\["\\u001b\[31m\\"\\u0007\\\\%s"\],"count":1\}.*' "" -x oformat=json -qn "$kills" -c 'bash names'

# Eight at once
for i in 1 2 3 4 5 6 7 8; do
	timeout 15 "$dwire" -qn 'tcp:::send, udp::: { @[args[1]->cs_execname] = count(); } tick-300ms { exit(0); } END { trunc(@); printf("end"); }' \
		>out.$i 2>&1 &
done
wait
expect_eq "$(cat out.? | tr -d '\n')" endendendendendendendend "eight at once"

# More programs than the kernel has room for at a hook: the one that comes too late says why, the other goes on.
many=$(printf 'mib::: { @k%d[probename, args[1]->cs_pid, args[1]->cs_execname, args[1]->cs_container] = count(); }\n' {1..30})
traced "$many END { $(printf 'trunc(@k%d); ' {1..30}) printf(\"end\"); }"
mv out first.out && mv err first.err
run_limit=60 # a busy machine makes and loads its thirty programs slowly
nasty 1 "" 'dwire: cannot .*: Argument list too long; Linux lets no more than 64 programs be.*' -qn "$many"
kill -INT "$tracer"
wait "$tracer"
expect_eq "$? $(tr -d '\n' <first.out)" "0 end" "the first of two: $(<first.err)"

no_new_orphans before "all of it"
