# SPDX-License-Identifier: GPL-2.0-or-later
# On a locked-down kernel, whose functions cannot be traced, the message names the lockdown and not the kernel's
# configuration.
state=$(unshare -m sh -c 'mount -t securityfs none /sys/kernel/security 2>/dev/null; cat /sys/kernel/security/lockdown' 2>/dev/null)
[[ $state =~ \[(integrity|confidentiality)\] ]] || skip "the kernel is not locked down"
how=${BASH_REMATCH[1]}
list=$(unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; cat /sys/kernel/tracing/available_filter_functions' 2>&1)
[[ $list =~ 'Operation not permitted' ]] || skip "the functions can be traced all the same"
"$dwire" -n 'fbt::tcp_sendmsg:entry' >"$tmp/out" 2>&1
expect_match "$? $(<"$tmp/out")" "^1 .*D_PDESC_ZERO.* the kernel's lockdown \($how\) forbids to trace its functions" "fbt"
"$dwire" -x tier=functions -n 'tcp:::send' >"$tmp/out" 2>&1
expect_match "$? $(<"$tmp/out")" "^1 .*D_KERNEL.* needs fentry, which the kernel's lockdown \($how\) forbids" "functions"
