# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks begin at the probe: the functions that run BPF programs are omitted, with one program at a tracepoint and
# with several.
[ "$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)" = 0000000000000000 ] && skip "the kernel hides its addresses"
script='
sdt:::sched_switch /pid == $target/ { @s[stack(2)] = count(); @c[func(caller)] = count(); @d = min(stackdepth); }
syscall::clock_nanosleep:entry /pid == $target/ { @n[stack(1)] = count(); @e[ustack(1)] = count(); }
END { printa("S%k", @s); printa("N%k", @n); printa("E%k", @e); printa("C %a\n", @c); printa("D %@d\n", @d); }'
check() {
	local first
	for first in $(grep -A 1 '^[SN]$' <<<"$1" | grep -o 'vmlinux`[A-Za-z0-9_.]*' | sort -u); do
		expect_match "$first" '^vmlinux`(__schedule|schedule|__sched.*|syscall_trace_enter.*|syscall_enter_.*|trace_syscall_enter|do_syscall_64)$' "$2"
	done
	grep -q '^S$' <<<"$1" && grep -q '^N$' <<<"$1" || fail "$2: no stacks: $1"
	grep -A 1 '^E$' <<<"$1" | grep -q '`clock_nanosleep' || fail "$2: the system call was entered elsewhere: $1"
	grep -q '^C vmlinux`schedule' <<<"$1" || fail "$2: caller: $1"
	expect_ge "$(sed -n 's/^D //p' <<<"$1")" 2 "$2: stackdepth"
}
trace_with "$script" burn -m 30
check "$OUT" "one program"
"$dwire" -q -n "$script" -c 'sleep 3' >/dev/null 2>&1 &
sleep 0.7
trace_with "$script" burn -m 30
check "$OUT" "several programs"
kill $! 2>/dev/null
wait
