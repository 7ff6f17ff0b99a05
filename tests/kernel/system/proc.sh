# SPDX-License-Identifier: GPL-2.0-or-later
# proc: known numbers of processes, programs, threads and signals, with their arguments.
trace_with '
proc:::create /pid == $target/ { @c["create", args[0]->pr_ppid == pid, args[0]->pr_pid != pid] = count(); }
proc:::exec /progenyof($target) && execname == "calls"/ { @c["exec", ppid == $target, pid != $target] = count(); }
proc:::exec-failure /progenyof($target)/ { @c["exec-failure", args[0] == ENOENT, 1] = count(); }
proc:::exec-success /progenyof($target) && pid != $target/ { @c["exec-success", execname == "true", curpsinfo->pr_pid == pid] = count(); }
proc:::exit /progenyof($target) && pid != $target/ { @c["exit", args[0] == CLD_EXITED, tid == pid] = count(); }
proc:::exit /pid == $target/ { @c["end", args[0] == CLD_EXITED, arg0] = count(); }
proc:::lwp-exit /pid == $target/ { @c["lwp-exit", tid == pid, 1] = count(); }
proc:::lwp-create /pid == $target/ { @c["lwp-create", args[1]->pr_pid == pid, args[0]->pr_lwpid != tid] = count(); }
proc:::lwp-start /progenyof($target)/ { @c["lwp-start", tid == pid, 1] = count(); }
proc:::start /ppid == $target/ { @c["start", tid == pid, 1] = count(); }
proc:::signal-send /pid == $target && args[1]->pr_pid == pid/ { @s["send", args[2], args[0]->pr_lwpid == tid] = count(); }
proc:::signal-discard /pid == $target && args[1]->pr_pid == pid/ { @s["discard", args[2], args[1]->pr_pid == pid] = count(); }
proc:::signal-handle /pid == $target/ { @s["handle", args[0], args[1]->si_signo == args[0] && args[2] != NULL] = count(); }
proc:::signal-clear /pid == $target/ { @s["clear", args[0], 1] = count(); }
END { printa("c %s %d %d %@d\n", @c); printa("s %s %d %d %@d\n", @s); }' calls -n 1 -f 7 -e 3 -l 4 -s 6
f=$(value_of forks) e=$(value_of execs) t=$(value_of threads)
said() { expect_eq "$(grep -F "$1 " <<<"$OUT" | sort)" "$2" "$1"; }
said 'c create' "c create 1 1 $((f + e))"
said 'c exec-failure' "c exec-failure 1 1 $e"
said 'c exec-success' "c exec-success 1 1 $e"
said 'c exec' "c exec 1 1 $((2 * e))" # one that fails, one that does not
said 'c exit' "c exit 1 1 $((f + e))"
said 'c end' "c end 1 1 1"
said 'c lwp-exit' "c lwp-exit 0 1 $t
c lwp-exit 1 1 1"
said 'c lwp-create' "c lwp-create 0 1 $((f + e))
c lwp-create 1 1 $t"
said 'c lwp-start' "c lwp-start 0 1 $t
c lwp-start 1 1 $((f + e))"
said 'c start' "c start 1 1 $((f + e))"
rt=$(kill -l RTMIN)
said 's send' "$(printf 's send %d 1 6\n' 1 12 "$rt" | sort)"
said 's discard' "s discard 12 1 6"
said 's handle' "s handle 1 1 $(value_of handled)"
said 's clear' "s clear $rt 1 $(value_of waited)"
expect_eq "$(value_of handled) $(value_of waited)" "6 6" "signals of the trigger"

# how processes end; faults; the path of exec
printf '#!/bin/bash\nbash -c "kill -9 \\$\\$"\nbash -c "kill -SEGV \\$\\$"\n/bin/true\nexit 3\n' >"$tmp/ends"
chmod +x "$tmp/ends"
trace_with '
proc:::exit /ppid == $target/ { @[args[0], execname] = count(); }
proc:::exec /pid != $target && progenyof($target)/ { @path[args[0]] = count(); }
proc:::fault /progenyof($target)/ { @fault[args[0]] = count(); }
END { printa("end %d %s %@d\n", @); printa("path %s %@d\n", @path); printa("fault %d %@d\n", @fault); }' "$tmp/ends"
expect_eq "$(awk '/^end [23] bash/ { s += $4 } END { print s }' <<<"$OUT")" 2 "processes that signals ended"
expect_eq "$(grep '^end 1' <<<"$OUT")" "end 1 true 1" "a process that exited"
expect_match "$(grep '^path' <<<"$OUT")" 'path /bin/true 1' "path of exec"
expect_eq "$(grep '^fault' <<<"$OUT")" "" "no fault: kill sent it"

# A signal that a process dies of is that signal, not the SIGKILL that the kernel ends it by.
printf '#!/bin/bash\nbash -c "kill -USR1 \\$\\$"\nbash -c "kill -KILL \\$\\$"\nexit 0\n' >"$tmp/dies"
chmod +x "$tmp/dies"
trace_with '
proc:::signal-handle /progenyof($target) && args[0] != 17/ { printf("%d\n", args[0]); }' "$tmp/dies"
expect_eq "$(grep . <<<"$OUT")" "10
9" "signals that processes die of"
