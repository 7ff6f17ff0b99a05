# SPDX-License-Identifier: GPL-2.0-or-later
# sysinfo: system calls, bytes, forks and switches against the trigger's numbers and the kernel's (/proc/PID/status).
need python3
d='sysinfo:::syscall, sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech, sysinfo:::sysfork,
sysinfo:::sysexec, sysinfo:::nthreads, sysinfo:::sysvfork, sysinfo:::sema, sysinfo:::msg
	/pid == $target && execname != "cmd" && execname != "bash"/ { @[probename] = sum(arg0); }
END { printa("%s %@d\n", @); }'
n() { awk -v k="$1" '$1 == k { s += $2 } END { print s + 0 }' <<<"$OUT"; }
declare -A first
all='syscall sysread syswrite readch sysfork nthreads'
trace_with "$d" calls -n 25 -f 2 -l 1
for k in $all; do first[$k]=$(n "$k"); done
bytes=$(value_of read_bytes)
trace_with "$d" calls -n 125 -f 5 -l 4
by() { echo $(($(n "$1") - first[$1])); }
expect_eq "$(by sysread)" 100 "read"
expect_eq "$(by readch)" "$(($(value_of read_bytes) - bytes))" "bytes read"
expect_eq "$(by syswrite)" 20 "write"
expect_eq "$(by sysfork)" 3 "fork"
expect_eq "$(by nthreads)" 6 "threads and processes"
expect_ge "$(by syscall)" 270 "system calls"
expect_le "$(by syscall)" 320 "system calls"
trace_with "$d" python3 -c '
import ctypes, os
libc = ctypes.CDLL(None)
for i in range(3): os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
for i in range(7): libc.semop(-1, None, 0)
for i in range(4): libc.msgsnd(-1, None, 0, 0); libc.msgrcv(-1, None, 0, 0, 0)
fd = os.open("/dev/null", os.O_WRONLY)
for i in range(10): os.write(fd, b"x" * 1000)'
expect_eq "$(n sysvfork)" 3 "vfork"
expect_eq "$(n sema)" 7 "semop"
expect_eq "$(n msg)" 8 "msgsnd, msgrcv"
expect_eq "$(n writech)" 10000 "bytes written"
# Switches: the kernel's count of the process, which goes on for a moment after it was read.
trace_with 'sysinfo:::pswitch, sysinfo:::inv_swtch /pid == $target/ { @[probename] = sum(arg0); }
END { printa("%s %@d\n", @); }' bash -c 'for i in {1..30}; do read -t 0.003 <>/dev/ptmx; done
	while read -r k v; do case $k in *ctxt_switches:) echo "$k$v" ;; esac; done </proc/$$/status | tr : ='
v=$(value_of voluntary_ctxt_switches) i=$(value_of nonvoluntary_ctxt_switches)
expect_ge "$(n pswitch)" "$((v + i - 8))" "switches"
expect_le "$(n pswitch)" "$((v + i + 40))" "switches"
expect_le "$(n inv_swtch)" "$((i + 30))" "involuntary switches"
# Ticks of a program that burns time in itself are the user's.
trace_with 'sysinfo:::cpu_ticks_user, sysinfo:::cpu_ticks_kernel /pid == $target/ { @[probename] = sum(arg0); }
END { printa("%s %@d\n", @); }' burn -m 600
expect_ge "$(n cpu_ticks_user)" "$(($(n cpu_ticks_kernel) + 5))" "ticks"
