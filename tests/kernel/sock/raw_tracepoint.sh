# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The sock provider without the tracepoints of single system calls: a clause asks for the stack, or tracefs cannot
# be opened. The same calls with the same arguments are seen at the tracepoints that all calls pass.
. "$here/sock/calls.lib"
need_ipv6
need unshare setpriv

# What kinds of programs dwire has, before it starts the trigger: 5 is tracepoint (BPF_PROG_TYPE_TRACEPOINT).
printf '#!/bin/bash\ncat /proc/$PPID/fdinfo/* 2>/dev/null | sed -n "s/^prog_type:\\t//p" | sort | uniq -c >%q\nexec "$@"\n' \
	"$tmp/types" >"$tmp/types.sh"
chmod +x "$tmp/types.sh"
start=("$tmp/types.sh")
of_calls() {
	awk '$2 == 5 { n = $1 } END { print n + 0 }' "$tmp/types"
}
of_all() {
	awk '{ n += $1 } END { print n + 0 }' "$tmp/types"
}

check_calls 4 127.0.0.1 TCP
expect_ge "$(of_calls)" 8 "programs at calls' own tracepoints"

plain=$program
program+='
sock::: /args[1]->cs_pid == 0 && pid == 4194305/ { stack(); }'
check_calls 4 127.0.0.1 TCP
expect_eq "$(of_calls)" 0 "programs at calls' own tracepoints, with stack()"
expect_ge "$(of_all)" 8 "programs, with stack()"

# Without CAP_SYS_ADMIN it cannot open a tracefs that is mounted nowhere.
program=$plain
cat >"$tmp/hidden" <<-END
	#!/bin/bash
	for dir in /sys/kernel/tracing /sys/kernel/debug; do
		umount -l \$dir 2>/dev/null
		mount -t tmpfs none \$dir || exit
	done
	exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$dwire" "\$@"
END
printf '#!/bin/bash\nexec unshare -m %q "$@"\n' "$tmp/hidden" >"$tmp/dwire"
chmod +x "$tmp/hidden" "$tmp/dwire"
dwire=$tmp/dwire
check_calls 6 ::1 TCPv6
expect_eq "$(of_calls)" 0 "programs at calls' own tracepoints, without tracefs"
expect_ge "$(of_all)" 8 "programs, without tracefs"
