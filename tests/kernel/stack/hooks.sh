# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Stacks at cgroup hooks, which dwire's own code walks: from the system call to the packet, and into the program.
[ "$(uname -m)" = x86_64 ] || skip "for x86_64"
[ "$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)" = 0000000000000000 ] && skip "the kernel hides its addresses"
trace_with '
int sent;
tcp:::send /pid == $target || progenyof($target)/ { @u[ustack(8)] = count(); @d = max(ustackdepth); }
tcp:::send /(pid == $target || progenyof($target)) && args[2]->ip_plength > 60 && !sent++/ { stack(40); trace(stackdepth); }
END { printa("USER %k %@d\n", @u); printa("depth %@d\n", @d); }
' tcp_echo
# Each function called the one above it.
grep -o 'vmlinux`[A-Za-z0-9_.]*' <<<"$OUT" | sed 's/^vmlinux`//; s/\.part\.0$//' >names
last=0
for f in tcp_sendmsg __sys_sendto do_syscall_64 entry_SYSCALL_64_after_hwframe; do
	at=$(grep -n -m 1 -x "$f" names | cut -d : -f 1)
	[ -n "$at" ] && [ "$at" -gt "$last" ] || fail "no $f, or not where it should be: $(tr '\n' ' ' <names)"
	last=${at:-$last}
done
expect_eq "$(tail -n 1 names)" entry_SYSCALL_64_after_hwframe "the last frame"
[ $failed -eq 0 ] || echo "$OUT"
grep -q '__cgroup_bpf_run_filter_skb' names && fail "what runs programs is not left out"
# libc's send() has no frame of its own, but it is where the process is.
grep -A 1 '^libc[^ ]*`send+' <<<"$OUT" | grep -q 'tcp_echo`trig_echo_client+' || fail "no way into the program: $OUT"
expect_ge "$(sed -n 's/^depth //p' <<<"$OUT")" 2 "ustackdepth"
