/* Numbers that are no addresses of the kernel: following them is a fault, whatever structure they are said to be. */
#pragma D option quiet
struct task_struct *t, *ts[int];
self struct sock *sk;
uint64_t n;
ERROR { printf("ERROR %d %d %x\n", arg2, arg4, arg5); }
BEGIN { n = 0x20; t = (struct task_struct *)0x30; ts[1] = (struct task_struct *)0x40; self->sk = (struct sock *)0x50; }
BEGIN { trace(((struct task_struct *)0x10)->pid); }
BEGIN { trace(((struct task_struct *)n)->comm); }
BEGIN { trace(t->pid); }
BEGIN { trace(ts[1]->mm); }
BEGIN { trace(self->sk->__sk_common.skc_family); }
BEGIN { trace(((struct mutex *)0x60)->owner.counter); }
BEGIN { trace(t->pid == 0 ? 1 : 2); }
BEGIN { t = curthread; ts[1] = curthread; n = (uint64_t)curthread; }
BEGIN { printf("%d %d %d\n", t->pid == tid, ts[1]->tgid == pid, ((struct task_struct *)n)->pid == tid); exit(0); }
