# SPDX-License-Identifier: GPL-2.0-or-later
# The owner service is loaded by a thread while the script is compiled: before the script's own programs, and only if a
# trace follows.
. "$here/lib/cli.lib"
need strace
D='tcp:::send { @[args[1]->cs_pid] = count(); } BEGIN { exit(0); }'

run_limit=60
strace -f -e trace=bpf -o calls "$dwire" -x tier=hooks -qn "$D" >out 2>err
expect_eq "$?" 0 "a trace: $(<err)"
main=$(awk 'NR == 1 { print $1 }' calls)
grep -q 'BPF_PROG_LOAD.*"owner_state"' calls || skip "this kernel has another variant of the owner service"
expect_eq "$(grep -c "^$main .*BPF_PROG_LOAD.*\"owner_state\"" calls)" 0 "owner_state, loaded by the first thread"
[ "$(grep -n 'BPF_PROG_LOAD.*"owner_state"' calls | cut -d: -f1)" -lt \
	"$(grep -n -m 1 'BPF_PROG_LOAD.*"dw_tcp_send"' calls | cut -d: -f1)" ] || fail "the service came after the script"

strace -f -e trace=bpf -o calls "$dwire" -x tier=hooks -e -qn "$D" >out 2>err
expect_eq "$? $(grep -c '"owner_' calls)" "0 0" "programs of the service that -e loads: $(<err)"

# The script fails after the thread was started: nothing stays behind, and the error is the script's.
run -x tier=hooks -n "$D" -n 'tcp:::receive { this->s = args[1]->cs_pid; nothing(this->s); }'
expect_eq "$STATUS" 1 "a script with an error"
