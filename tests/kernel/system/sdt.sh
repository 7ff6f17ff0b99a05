# SPDX-License-Identifier: GPL-2.0-or-later
# sdt and rawtp: tracepoints by name and group, their typed and plain arguments, against a trigger's counts.
. "$here/lib/cli.lib"
under=()
trace_with '
sdt:::sched_process_fork /pid == $target/ { @n["fork", args[0]->tgid == pid, args[1]->tgid != args[0]->tgid] = count(); }
rawtp:::sched_process_fork /pid == $target/ { @n["raw", args[0] == curthread, arg0 == (int64_t)curthread] = count(); }
sdt:::sched_process_exec /pid == $target/ { @n[basename(stringof(args[2]->filename)), args[0]->pid == pid, args[1] == arg1] = count(); }
sdt:::sys_exit /pid == $target && execname == "calls" && args[1] == -EBADF/ { @n["badf", args[0] != NULL, arg1] = count(); }
END { printa("%s %d %d %@d\n", @n); }' calls -n 40 -f 6 -l 3
said() { expect_eq "$(grep "^$1 " <<<"$OUT" | sort)" "$2" "$1"; }
said fork "fork 1 0 3
fork 1 1 6"
said raw "raw 1 1 9"
said calls "calls 1 1 1"
said badf "badf 1 -9 $(value_of write_failed)"

# Interrupts of the disk, the device with the most, as /proc/interrupts counts them: what comes between its reading and
# the trace is some. A tenth may have interrupted process 1, where the kernel hides that.
cat >"$tmp/irqs" <<'S'
#!/bin/bash
count() { awk '/^ *[0-9]+:/ { n = 0; for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; sub(":", "", $1); print "irq=" $1, n }' /proc/interrupts; }
count >before
for _ in {1..40}; do dd if=/dev/zero of=block bs=4096 count=1 oflag=direct conv=notrunc status=none; done
count | join before - | awk '$3 > $2 { print $1 "=" $3 - $2 }' | sed 's/^irq=/irq_/'
S
chmod +x "$tmp/irqs"
want_told='recursion'
trace_with 'sdt:::interrupt-start { @s[arg3] = count(); self->at = arg0; same[arg0 == (uint64_t)args[0] && arg1 == (uint64_t)args[0]->handler] = 1; }
sdt:::interrupt-complete { @d["done", args[0]->irq] = count(); odd += arg0 != (uint64_t)args[0]; claimed += arg3 != 0; }
END { printa("irq_%d %@d\n", @s); printa("%s_%d %@d\n", @d); printf("odd %d %d claimed %d\n", odd, same[0], claimed > 0); }' "$tmp/irqs"
want_told='^$'
expect_eq "$(grep '^odd' <<<"$OUT")" "odd 0 0 claimed 1" "arguments of interrupts"
IFS== read -r irq n < <(grep '^irq_' "$tmp/trigger" | sort -t= -k2nr)
got=$(awk -v k="$irq" '$1 == k { print $2 }' <<<"$OUT")
expect_ge "${got:-0}" $((n - n / 10)) "interrupts of $irq"
over=$(awk -v k="done_${irq#irq_}" '$1 == k { print $2 }' <<<"$OUT")
cpus=$(getconf _NPROCESSORS_ONLN) # one on each may be under way when the trace begins, and when it ends
expect_ge "${over:-0}" $((got - cpus)) "interrupts of $irq that are over"
expect_le "${over:-0}" $((got + cpus)) "interrupts of $irq that are over"
expect_ge "$n" 1 "interrupts while the trigger ran"

# groups, where the kernel tells them
group=$("$dwire" -l -n sdt:::tcp_probe | awk 'NR > 1 { print $3 }')
expect_match "$group" '^(tcp|tcp_probe)$' "group"
if [ "$group" = tcp ]; then
	expect_eq "$("$dwire" -l -n 'sdt:tcp::tcp_p*' | awk 'NR > 1 { print $2, $3, $4 }')" "sdt tcp tcp_probe" "by group"
	run -qn 'sdt:sched::sched_switch { printf("%s %s %s\n", probeprov, probemod, probename); exit(0); }'
	expect_eq "$STATUS $OUT" "0 sdt sched sched_switch" "names"
fi
expect_match "$("$dwire" -lv -n sdt:::sched_switch | tr -d '\n\t')" \
	'args\[0\]: boolargs\[1\]: struct task_struct \*args\[2\]: struct task_struct \*args\[3\]: unsigned int' "types"
run -n sdt:::sched_swich
expect_match "$STATUS $ERR" '^1 .*did you mean sdt:::sched_switch' "a wrong name"

# numbers of pointers, also of those that no program may read through
run -qn 'sdt:::sched_switch { printf("%d %d", (arg1 & 7) == 0, arg1 % 10 < 10); exit(0); }'
expect_eq "$STATUS $OUT" "0 1 1" "a pointer as a number"
run -qn 'sdt:::kfree { printf("%d %d", (arg1 & 0xfff) < 4096, (uint64_t)args[1] == arg1); exit(0); }'
expect_eq "$STATUS $OUT" "0 1 1" "a const void * as a number"

# many at once
run -qn 'sdt:::sched_* { @[probename] = count(); } tick-200ms { exit(0); }'
expect_match "$STATUS $OUT" '^0 .*sched_switch ' "many"

# so many that those at one tracepoint are one program
many='sdt:[m-v]*::, rawtp:[m-v]*::'
expect_eq "$(($("$dwire" -ln "$many" | wc -l) > 257))" 1 "many, and the head"
trace_with "$many"'
/probename == "sched_process_fork" && pid == $target/ { @n[probeprov, arg0 == (int64_t)curthread] = count(); }
END { printa("%s %d %@d\n", @n); }' calls -n 40 -f 6 -l 3
said sdt "sdt 1 9"
said rawtp "rawtp 1 9"

# by the format file, where the kernel has one: numbers, strings, arrays, pointers of the process. bash calls getpgid(),
# too, where there is no getpgrp().
if [ "$group" = tcp ]; then
	dwire_opts=(-q -x tpformat -x evaltime=exec)
	trace_with '
sdt:::sched_process_exec /pid == $target/ { @n["exec", basename(args[0]), args[1] == pid, (arg0 >> 16) == strlen(args[0]) + 1] = count(); }
sdt:::sched_process_fork /args[1] == $target/ { @n["fork", args[0], args[3] > args[1], arg1 == args[1]] = count(); }
sdt:syscalls::sys_enter_getpgid /pid == $target && execname == "calls"/ { @n["getpgid", "", args[0], args[1]] = count(); }
sdt:syscalls::sys_exit_write /pid == $target && args[1] == -EBADF/ { @n["badf", "", args[1], 0] = count(); }
END { printa("%s %s %d %d %@d\n", @n); }' calls -n 40 -f 6 -l 3
	said exec "exec calls 1 1 1
exec cmd 1 1 1"
	said fork "fork calls 1 1 9"
	said badf "badf  -9 0 $(value_of write_failed)"
	case $(uname -m) in aarch64) getpgid=155 ;; *) getpgid=121 ;; esac
	said getpgid "getpgid  $getpgid 0 $(value_of getpgid)"
	run -n sdt:syscalls::sys_enter_getpgid
	expect_match "$STATUS $ERR" '^1 .*syscall::getpgid:entry' "system calls"
	run -x tpformat -qn 'sdt:tcp::tcp_probe /args[0][4] == 127/ { printf("%d %d.%d %d\n", args[4], args[0][4], args[1][7], sizeof(args[0])); exit(0); }' \
		-c "$triggers/tcp_pingpong -4 -n 3"
	expect_eq "$STATUS $(grep ' 127' <<<"$OUT")" "0 2 127.1 28" "an array"
	expect_match "$("$dwire" -x tpformat -lvvn 'sdt:net::net_dev_xmit' | tr -d '\n\t')" \
		'args\[0\]: void \*args\[1\]: unsigned intargs\[2\]: intargs\[3\]: string.*args\[\] are skbaddr, len, rc, name' "fields"
fi

# lists are read when they could be meant, and -l is quick
expect_ge "$("$dwire" -l | awk '$2 == "sdt"' | wc -l)" 300 "tracepoints"
expect_eq "$("$dwire" -l -n ':::sched_switch' | awk 'NR > 1 { print $2 }' | sort | tr '\n' ' ')" "rawtp sdt " "without a provider"
