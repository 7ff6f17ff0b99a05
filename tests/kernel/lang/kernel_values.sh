# SPDX-License-Identifier: GPL-2.0-or-later
# Structures of the kernel, by member and whole, against /proc for the same process, and for a socket with known
# ports.
cat >"$tmp/me" <<'SH'
#!/bin/bash
umask 027
ulimit -n 77
ulimit -c 0
cd "$1" || exit 1
cat /proc/$$/status >status
ls -i /proc/$$/ns >/dev/null
stat -L -c %i /proc/$$/ns/net /proc/$$/ns/uts /proc/$$/ns/pid | tr '\n' ' ' >ns
readlink /proc/$$/cwd >cwd
cat /proc/$$/oom_score_adj >oom
exec "$2" -n 1
SH
chmod +x "$tmp/me"
cat >"$tmp/t.d" <<'D'
#pragma D option quiet
syscall::getppid:entry
/pid == $target && execname == "calls"/
{
	this->t = curthread;
	printf("pid %d %d %d\n", this->t->pid, this->t->tgid, this->t->real_parent->tgid);
	printf("umask %04o\n", this->t->fs->umask);
	printf("limits %d %d\n", this->t->signal->rlim[7].rlim_cur, this->t->signal->rlim[4].rlim_cur);
	printf("ns %d %d %d\n", this->t->nsproxy->net_ns->ns.inum, this->t->nsproxy->uts_ns->ns.inum,
	    this->t->nsproxy->pid_ns_for_children->ns.inum);
	printf("ids %d %d %d\n", this->t->cred->uid.val, this->t->real_cred->euid.val, this->t->cred->gid.val);
	printf("uts %s %s\n", this->t->nsproxy->uts_ns->name.release, this->t->nsproxy->uts_ns->name.nodename);
	printf("exe %s\n", stringof(this->t->mm->exe_file->f_path.dentry->d_name.name));
	printf("threads %d\n", this->t->signal->nr_threads);
	printf("oom %d\n", this->t->signal->oom_score_adj);
	printf("cwd %s\n", d_path(&this->t->fs->pwd));
	printf("%s|", ((struct task_struct *)this->t)->comm);
	print(this->t->signal->rlim[7]);
	print(this->t->nsproxy->uts_ns->name);
	print(this->t->cred->uid);
	printf("\n");
}
D
"$dwire" -s "$tmp/t.d" -c "$tmp/me $tmp $triggers/calls" >"$tmp/out" 2>"$tmp/err" || fail "dwire: $(<"$tmp/err")"
cd "$tmp" || exit 1
status() { awk -v k="$1:" '$1 == k { print $2 }' status; }
want="pid $(status Pid) $(status Tgid) $(status PPid)
umask $(status Umask)
limits 77 0
ns $(sed 's/ $//' ns)
ids $(status Uid) $(status Uid) $(status Gid)
uts $(uname -r) $(uname -n)
exe calls
threads 1
oom $(<oom)
cwd $(<cwd)"
expect_eq "$(grep -E '^(pid|umask|limits|ns|ids|uts|exe|threads|oom|cwd) ' out)" "$want" "members: $(<err)"
sed -n '/^calls|/,$p' out | tr '\n' '~' >shown
release=$(uname -r)
expect_match "$(<shown)" '^calls\|struct rlimit \{~    [a-z_]+ rlim_cur = 0x4d~    [a-z_]+ rlim_max = 0x[0-9a-f]+~\}struct new_utsname \{~    char \[65\] sysname = \[ "Linux" \]~.*nodename = \[ "'"$(uname -n)"'" \]~.*release = \[ "'"${release//+/\\+}"'" \].*struct \{~    uid_t val = 0' "whole ones"

# A socket: as the type that the tracepoint names, by a cast, and whole. Ports are those of the trigger.
trace_with '
sdt:sock::inet_sock_set_state
/args[2] == TCP_ESTABLISHED && (pid == $target || progenyof($target)) && args[1] == TCP_SYN_SENT && !done++/
{
	this->n = &((struct sock *)args[0])->__sk_common;
	printf("family %d num %d dport %d state %d\n", args[0]->__sk_common.skc_family, this->n->skc_num,
	    ntohs(((struct inet_sock *)args[0])->sk.__sk_common.skc_dport), ((struct sock_common *)args[0])->skc_state);
	printf("proto %s %s %s\n", args[0]->__sk_common.skc_prot->name, (enum sock_type)args[0]->sk_type, (enum sock_type)SOCK_DGRAM);
	print(*(struct sock *)args[0]);
	printf("\nEND\n");
	print(*this->n);
}' tcp_echo -4
port=$(value_of port)
expect_match "$OUT" "family 2 num [0-9]+ dport $port state 2" "a socket's members: $(<"$tmp/trigger")"
expect_match "$OUT" "proto TCP SOCK_STREAM SOCK_DGRAM" "enumerators by name"
num=$(sed -n 's/.* num \([0-9]*\) .*/\1/p' <<<"$OUT")
whole=$(sed -n '/^struct sock {/,/^END/p' <<<"$OUT")
grep -qE "skc_num = (0x$(printf '%x' "$num")|$num)\$" <<<"$whole" || fail "print(*(struct sock *)): no port $num: $whole"
grep -qE "skc_family = (0x)?2\$" <<<"$whole" || fail "print(*(struct sock *)): no family"
expect_ge "$(wc -l <<<"$whole")" 100 "lines of a struct sock"

# Enumerators of the kernel, in expressions and as text; what there is not.
out=$("$dwire" -qn 'BEGIN { printf("%d %d %s %s %s", TCP_ESTABLISHED, (int)BPF_PROG_TYPE_KPROBE, (enum bpf_prog_type)2,
	(enum pid_type)PIDTYPE_TGID, (enum pid_type)250); exit(0); }' 2>&1)
expect_eq "$out" "1 2 BPF_PROG_TYPE_KPROBE PIDTYPE_TGID ?" "enumerators"
# Addresses that are none are an error of the run, each time, and the trace goes on.
out=$("$dwire" -qn 'BEGIN { print(*(struct sock *)0); } BEGIN { print(*((struct file *)16)->f_op); } BEGIN
	{ printf("%d", ((struct task_struct *)8)->pid); } ERROR { @ = count(); } BEGIN { exit(0); } END { printa("errors %@d\n", @); }' 2>/dev/null)
expect_match "$out" "errors 3" "addresses that are none"
out=$("$dwire" -qn 'BEGIN { printf("%d", `_pagesize); exit(0); }' 2>&1)
expect_eq "$out" "$(getconf PAGESIZE)" "the size of a page"
