# SPDX-License-Identifier: GPL-2.0-or-later
# BEGIN runs in dwire itself: its built-in variables are what the shell and /proc know of that process.
cat >t.d <<'D'
BEGIN
{
	printf("%d %d %d %d\n", pid, ppid, tid == pid, uid);
	printf("%d %d %d %d\n", curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid);
	printf("%d %d %d %d %d\n", curpsinfo->pr_uid, curpsinfo->pr_euid, curpsinfo->pr_gid, curpsinfo->pr_egid,
	    curpsinfo->pr_zoneid);
	printf("%s %d %d %d %d\n", curpsinfo->pr_fname, curpsinfo->pr_nlwp, curpsinfo->pr_arglen, curpsinfo->pr_dmodel,
	    curpsinfo->pr_addr == curlwpsinfo->pr_addr);
	printf("%d %c %d %s %s %d %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_sname, curlwpsinfo->pr_state,
	    curlwpsinfo->pr_name, curlwpsinfo->pr_clname, curlwpsinfo->pr_nice, curlwpsinfo->pr_onpro == cpu);
	printf("%d %d %s\n", curcpu->cpu_id == cpu, curcpu->cpu_info.pi_state, curcpu->cpu_info.pi_processor_type);
	printf("%d %d %d %d\n", progenyof(pid), progenyof($1), progenyof(1), progenyof(999999));
	printf("%d\n", curpsinfo->pr_start.tv_sec * 100 + curpsinfo->pr_start.tv_nsec / 10000000);
	printf("%d %d\n", ipl, NULL == 0);
	exit(0);
}
D
args=(-q -x argref -s t.d $$)
# The shell becomes dwire: its number is dwire's; field 22 of its stat is its start in hundredths of a second.
setsid -w nice -n 5 bash -c 'echo $$ $PPID $(cut -d " " -f 22 /proc/$$/stat) >self; exec "$@"' - "$dwire" "${args[@]}" \
	>out 2>err || fail "dwire returned $?: $(<err)"
read -r self parent start <self
len=$(printf '%s\0' "$dwire" "${args[@]}" | wc -c)
mapfile -t got <out
name=$(basename "$dwire")
expect_eq "${got[0]}" "$self $parent 1 $(id -u)" "pid, ppid, tid, uid"
expect_eq "${got[1]}" "$self $parent $self $self" "pr_pid, pr_ppid, pr_pgid, pr_sid"
expect_eq "${got[2]}" "$(id -ru) $(id -u) $(id -rg) $(id -g) 0" "users and groups"
# One thread waits for signals; another may still fill the map of the rings.
expect_match "${got[3]}" "^${name:0:15} [23] $len 2 1\$" "name, threads, arguments, model"
expect_eq "${got[4]}" "1 O 6 ${name:0:15} TS $(($(nice) + 5)) 1" "the thread"
expect_eq "${got[5]}" "1 2 $(uname -m)" "the CPU"
expect_eq "${got[6]}" "1 1 1 0" "progenyof"
expect_ge "${got[7]}" $((start - 1)) "start"
expect_le "${got[7]}" $((start + 1)) "start"
expect_eq "${got[8]}" "0 1" "ipl, NULL"

for class in b=BATCH i=IDLE; do
	OUT=$(chrt -${class%=*} 0 "$dwire" -qn 'BEGIN { printf("%s", curlwpsinfo->pr_clname); exit(0); }')
	expect_eq "$OUT" "${class#*=}" "the scheduling class"
done
