# SPDX-License-Identifier: GPL-2.0-or-later
# sched: a thread that sleeps N times leaves the CPU N times to sleep, and is woken and queued as often; its time on
# the CPU is its CPU time. Bound to one CPU, so that it does not change queues.
cpu=$(awk '$1 == "Cpus_allowed_list:" { print $2 }' /proc/self/status)
cpu=${cpu%%[-,]*}
trace_with '
sched:::on-cpu /pid == $target/ { self->on = timestamp; self->v = vtimestamp; @n["on", curlwpsinfo->pr_lwpid == tid] = count(); }
sched:::off-cpu /self->on/ { @n["off", args[0]->pr_lwpid != tid] = count(); @on = sum(timestamp - self->on);
	@v = sum(vtimestamp - self->v); self->on = 0; }
sched:::sleep /pid == $target/ { @n["sleep", 1] = count(); }
sched:::preempt /pid == $target/ { @n["preempt", 1] = count(); }
sched:::wakeup /args[1]->pr_pid == $target/ { @n["wakeup", args[0]->pr_lwpid == $target] = count(); }
sched:::enqueue /args[1]->pr_pid == $target/ { @n["enqueue", args[2]->cpu_id < 1024] = count(); }
sched:::dequeue /args[1]->pr_pid == $target && args[2]->cpu_id == cpu/ { @n["dequeue", 1] = count(); }
END { printa("%s %d %@d\n", @n); printa("cpu %@d\n", @on); printa("vtime %@d\n", @v); }' taskset -c "$cpu" bash -c 'for i in {1..20}; do read -t 0.005 <>/dev/ptmx; done'
n() { awk -v k="$1" '$1 == k { s += $3 } END { print s + 0 }' <<<"$OUT"; }
one() { expect_eq "$(awk -v k="$1" '$1 == k && $2 != 1' <<<"$OUT")" "" "arguments of $1"; }
for p in on off sleep preempt wakeup enqueue dequeue; do one $p; done
expect_ge "$(n sleep)" 20 "sleeps"
expect_ge "$(n wakeup)" 20 "wakeups"
# each time on the CPU ends by one of: sleep, preempt, the end of the process
off=$(($(n off))) parts=$(($(n sleep) + $(n preempt)))
expect_ge "$off" "$((parts - 2))" "times off the CPU"
expect_le "$off" "$((parts + 2))" "times off the CPU"
# who runs was in the queue before; the trace begins and ends in the middle
expect_ge "$(n dequeue)" "$(($(n enqueue) - 2))" "dequeued"
expect_le "$(n dequeue)" "$(($(n enqueue) + 2))" "dequeued"
# ... but for moves from queue to queue
expect_ge "$(n dequeue)" "$(($(n on) - 2))" "on the CPU"
expect_le "$(n dequeue)" "$(($(n on) + 15))" "on the CPU"
on=$(awk '$1 == "cpu" { print $2 }' <<<"$OUT") v=$(awk '$1 == "vtime" { print $2 }' <<<"$OUT")
expect_ge "$((v * 100))" "$((on * 80))" "vtimestamp advances on the CPU"
expect_le "$((v * 100))" "$((on * 105))" "vtimestamp advances on the CPU"

# Sleeps so short that the thread is woken before it has left the CPU: it is in no queue then.
need python3
trace_with 'sched:::enqueue /args[1]->pr_pid == $target/ { @["enqueue"] = count(); }
sched:::dequeue /args[1]->pr_pid == $target/ { @["dequeue"] = count(); }
END { printa("%s %@d\n", @); }' python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(29, 1) # PR_SET_TIMERSLACK: ns
for i in range(2000): time.sleep(1e-9)'
of() { awk -v k="$1" '$1 == k { print $2 }' <<<"$OUT"; }
expect_ge "$(of dequeue)" "$(($(of enqueue) - 2))" "dequeued, of short sleeps"
expect_le "$(of dequeue)" "$(($(of enqueue) + 2))" "dequeued, of short sleeps"

# A program at the tracepoint of surrender may end the kernel: no kernel has the probe.
"$dwire" -n 'sched:::surrender' >out 2>&1
expect_match "$? $(<out)" "^1 .*sched:::surrender cannot be traced: it needs a program at sched_set_need_resched_tp, which may end the kernel" "surrender"
expect_eq "$(grep -c 'hint:' out)" 0 "a hint that is not true"

# Stacks at on-cpu are those of the thread that goes on, the process's too.
trace_with 'sched:::on-cpu /pid == $target/ { @k[stack(8)] = count(); @u[ustack(3)] = count(); }
sched:::tick /pid == $target && args[1]->pr_pid == pid && args[0]->pr_lwpid == tid/ { @t = count(); }
END { printa("%k%@d\n", @k); printa("%k%@d\n", @u); printa("ticks %@d\n", @t); }' burn -m 200 -r 4
if [ "$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)" != 0000000000000000 ]; then
	expect_ge "$(awk '/nanosleep/ { while ($1 !~ /^[0-9]+$/ && getline > 0); s += $1 } END { print s + 0 }' <<<"$OUT")" 3 \
		"the thread that has slept"
	grep -q '^ *vmlinux`entry_SYSCALL_64_after_hwframe' <<<"$OUT" || grep -q aarch64 <<<"$(uname -m)" || fail "whole stacks"
fi
if [ -n "$(awk '/ sched_exit_tp$/' <<<"$("$dwire" -l -P sdt)")" ]; then
	grep -q '^ *burn`main+' <<<"$OUT" || fail "the stack of the process"
fi
expect_ge "$(awk '/^ticks/ { print $2 }' <<<"$OUT")" 20 "ticks"

# Priorities that a thread gives itself. Linux counts 120 as nice 0, and none above nice 19.
own=$(ps -o ni= -p $$)
nice=$((120 + (own + 7 < 19 ? own + 7 : 19)))
trace_with 'sched:::change-pri /args[1]->pr_pid == $target/ { printf("%s %d %d\n", execname, args[0]->pr_pri, args[2]); }' \
	nice -n 7 chrt -f 5 true
expect_eq "$OUT" "nice $nice $nice
chrt 94 94" "priorities"
