# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of END are loaded behind the others: END fires all the same when the trace ends before it begins, at its
# first event, or with a command that has nothing to do.
. "$here/lib/cli.lib"
need strace
D='tcp:::send, tcp:::receive, ip:::send, ip:::receive, udp:::send, udp:::receive, tcp:::state-change { @[probename] = count(); }
	END { printf("the end %d\n", n); } END { clear(@); }'

run -qn "int n; BEGIN { n = 1; exit(0); } $D"
expect_eq "$STATUS $OUT" "0 the end 1" "exit() in BEGIN: $ERR"
run -qn "int n; tick-1ms { n = 2; exit(0); } $D"
expect_eq "$STATUS $(grep -c '^the end 2$' "$tmp/out")" "0 1" "exit() at once: $ERR"
run -qn "int n; $D" -c true
expect_eq "$STATUS $(grep -c '^the end 0$' "$tmp/out")" "0 1" "a short command: $ERR"

# They are loaded by another thread than that which sets up the rest and fires END.
run_limit=30
strace -f -e trace=bpf -o calls "$dwire" -qn "int n; BEGIN { n = 1; exit(0); } $D" >out 2>err
expect_eq "$(<out)" "the end 1" "followed: $(<err)"
main=$(awk 'NR == 1 { print $1 }' calls)
expect_eq "$(grep -c "^$main .*BPF_PROG_LOAD.*dw_dtrace_END" calls)" 0 "programs of END that the first thread loads"
[ "$(grep -c 'BPF_PROG_LOAD.*dw_dtrace_END' calls)" -ge 1 ] || fail "no program of END was loaded"
