# SPDX-License-Identifier: GPL-2.0-or-later
# Names that scripts written for Solaris, illumos and FreeBSD read: variables of their kernels, constants, members.
value() { "$dwire" -qn "BEGIN { printf(\"$1\", $2); exit(0); }" 2>&1; }
expect_eq "$(value '%s %s %s' '`utsname.sysname, `utsname.nodename, unix`utsname.release')" "$(uname -snr)" "utsname"
expect_eq "$(value %s '`utsname.machine')" "$(uname -m)" "utsname.machine"
expect_eq "$("$dwire" -qn 'BEGIN { this->u = `utsname; printf("%d %s %s %s", sizeof(`utsname), this->u.nodename, this->u.version,
	`utsname.domainname); exit(0); }' 2>&1)" "390 $(uname -nv) $(</proc/sys/kernel/domainname)" "utsname as a whole"
expect_eq "$(value '%d %d %d' 'chip == curcpu->cpu_chip, lgrp == curcpu->cpu_lgrp, pset')" "1 1 0" "chip, lgrp, pset"
expect_eq "$(value '%d %s' 'curcpu->cpu_info.pi_state == P_ONLINE, curcpu->cpu_info.pi_processor_type')" "1 $(uname -m)" \
	"cpu_info"
expect_eq "$(value '%d %d %d %d' 'SOBJ_NONE, SOBJ_MUTEX, SOBJ_SHUTTLE, curlwpsinfo->pr_stype')" "0 1 7 0" "SOBJ_*"

# The last process id lies between one made before and one made after.
sh -c 'echo $$' >before
got=$(value %d '`mpid')
sh -c 'echo $$' >after
[ "$(<before)" -gt "$(<after)" ] || {
	expect_ge "$got" "$(<before)" "mpid"
	expect_le "$got" "$(<after)" "mpid"
}

# Load averages: FreeBSD's, with its scale, in hundredths; a second may pass between the two.
read -r load _ </proc/loadavg
got=$(value %d '`averunnable.ldavg[0] * 100 / `averunnable.fscale')
want=$((10#${load/./}))
expect_ge "$got" $((want * 7 / 10 - 5)) "averunnable"
expect_le "$got" $((want * 13 / 10 + 20)) "averunnable"

# The idle threads have PR_IDLE, others have not. On a busy machine no idle thread may run.
OUT=$("$dwire" -qn 'sched:::on-cpu { @[(curlwpsinfo->pr_flag & PR_IDLE) != 0, pid == 0] = count(); }
	tick-300ms { exit(0); } END { printa("%d %d\n", @); }' 2>/dev/null | sort)
expect_match "$(grep . <<<"$OUT" | tr '\n' ';')" '^0 0;(1 1;)?$' "PR_IDLE"

# The base of a thread's own data, which the program asks the kernel for.
if [ "$(uname -m)" = x86_64 ] && command -v cc >/dev/null; then
	cat >base.c <<'C'
#include <asm/prctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	unsigned long base;

	syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
	printf("%lx\n", base);
	fflush(stdout);
	syscall(SYS_getppid);
	return 0;
}
C
	cc -o base base.c || skip "cannot build programs"
	OUT=$("$dwire" -qn 'syscall::getppid:entry /pid == $target/ { n = R_FSBASE; printf("%x %d %d\n", uregs[n],
		uregs[R_FSBASE] == uregs[n], uregs[R_GS] + uregs[R_DS]); }' -c ./base 2>&1 | grep .)
	expect_eq "$(tail -n +2 <<<"$OUT")" "$(head -n 1 <<<"$OUT") 1 0" "R_FSBASE"
fi

# Functions of C have a hint.
expect_match "$(value %d 'major(5)')" 'hint: getmajor\(\)' "major()"
