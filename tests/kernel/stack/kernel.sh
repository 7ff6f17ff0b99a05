# SPDX-License-Identifier: GPL-2.0-or-later
# A system call runs BEGIN: the stack has its functions, by the kernel's own symbols.
[ "$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)" = 0000000000000000 ] && skip "the kernel hides its addresses"
cat >t.d <<'D'
BEGIN { stack(2); }
BEGIN { printf("[%k]", stack(1)); trace(stack(1)); }
BEGIN { printf("[%a][%d][%48a][%A]", caller, stackdepth > 3, caller, 16); sym(caller); mod(caller); func(1); }
BEGIN { @a[stack(3)] = count(); @b[func(caller), mod(caller)] = count(); @c[stack(1), 5] = sum(7); }
BEGIN { @a[stack(2)] = count(); @b[func(caller + 1), mod(caller - 1)] = count(); exit(0); }
D
"$dwire" -q -s t.d >out 2>err || fail "dwire returned $?: $(<err)"
sed 's/+0x[0-9a-f]\{1,\}/+0xX/g' out >got
cat >want <<'O'

              vmlinux`__bpf_prog_test_run_raw_tp+0xX
              vmlinux`bpf_prog_test_run_raw_tp+0xX
[
vmlinux`__bpf_prog_test_run_raw_tp+0xX
]
              vmlinux`__bpf_prog_test_run_raw_tp+0xX
[vmlinux`bpf_prog_test_run_raw_tp+0xX][1][  vmlinux`bpf_prog_test_run_raw_tp+0xX][0x10]  vmlinux`bpf_prog_test_run_raw_tp                    vmlinux                                             0x1                                               

              vmlinux`__bpf_prog_test_run_raw_tp+0xX
              vmlinux`bpf_prog_test_run_raw_tp+0xX
                1

              vmlinux`__bpf_prog_test_run_raw_tp+0xX
              vmlinux`bpf_prog_test_run_raw_tp+0xX
              vmlinux`__sys_bpf+0xX
                1
  vmlinux`bpf_prog_test_run_raw_tp                    vmlinux                                                           2

              vmlinux`__bpf_prog_test_run_raw_tp+0xX
        5                7
O
sed -i 's/\[ *vmlinux/[vmlinux/g' got want
diff got want || fail "what is printed"
"$dwire" -q -x noresolve -x stackindent=3 -n 'BEGIN { stack(2); exit(0); }' >out 2>&1
[ "$(grep -c '^   0xf[0-9a-f]\{15\}$' out)" = 2 ] || fail "noresolve: $(<out)"
"$dwire" -q -x stackframes=2 -n 'BEGIN { stack(); exit(0); }' >out 2>&1
expect_eq "$(grep -c '^ \{14\}vmlinux' out)" 2 "stackframes"
# A whole system call: it ends where it began.
case $(uname -m) in aarch64) entry=el0t_64_sync ;; *) entry=entry_SYSCALL_64_after_hwframe ;; esac
"$dwire" -n 'BEGIN { stack(50); exit(0); }' 2>/dev/null >out
sed -i 's/+0x[0-9a-f]\{1,\}/+0xX/g' out
expect_eq "$(sed '/^$/d' out | tail -n 1)" "              vmlinux\`$entry+0xX" "the last frame"
# %k has no indentation of its own, but for a width with "-"; -x stackindent=0 and setopt() are heeded.
"$dwire" -q -n 'BEGIN { printf("%k|", stack(1)); printf("%-5k|", stack(1)); printf("%*k|", -3, stack(1)); @[stack(1)] = count();
	printa("%k %@d|", @); setopt("stackindent", "2"); stack(1); setopt("stackindent", "0"); stack(1); exit(0); }' >out 2>&1
expect_eq "$(sed 's/vmlinux.*/F/' out)" "
F
|
     F
|
   F
|
F
 1|
  F

F" "%k"
