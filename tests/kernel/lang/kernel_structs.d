/* Structures of the kernel and of the script, pointers, casts, translators, side effects in their order. */
#pragma D option quiet
inline int N = 5;
inline string pick[string a, int n] = n == 1 ? a : "other";
typedef struct info { int pid; string name; int twice; } info_t;
translator info_t < struct task_struct *T > { pid = T->tgid; name = T->comm; twice = T->tgid * 2; };
translator info_t < int V > { pid = V; twice = V * N; };
struct bits { int a : 3; unsigned b : 5; short c; };
BEGIN
{
	printf("%d %d %d\n", N, sizeof (struct bits), offsetof(struct bits, c));
	printf("[%s] [%s] [%s]\n", pick["abc", 1], pick["abc", 2], pick[execname, 1]);
	printf("%d %s %d %d\n", xlate <info_t *> (curthread)->pid == pid, xlate <info_t> (curthread).name,
	    xlate <info_t *> (curthread)->twice == 2 * pid, xlate <info_t> (21).twice);
	printf("%s %c %d\n", curthread->comm, curthread->comm[0], curthread->comm[2] == 'i');
	this->i = 1;
	printf("%c %c\n", curthread->comm[this->i], *(curthread->comm + 3));
	printf("%d %d\n", curthread->real_parent->tgid == ppid, curthread->group_leader->pid == curthread->tgid);
	printf("%d %d\n", curthread->cred->uid.val == uid, curthread->nsproxy->net_ns->ns.inum > 0);
	this->p = curthread;
	printf("%d %d\n", this->p->tgid == pid, (uint64_t)this->p == (uint64_t)curthread);
	printf("%d %d\n", ((uint64_t)curthread & 7) == 0, ((uint64_t)curthread >> 63) == 1);
	printf("%d %d\n", (uint8_t)(uint64_t)curthread == ((uint64_t)curthread & 255), &curthread->tgid - &curthread->pid);
	printf("%d\n", *(int *)((uint64_t)curthread + offsetof(struct task_struct, tgid)) == pid);
	printf("%d %d\n", (bool)256, (_Bool)0);
}
BEGIN
{
	x++; y[3, "a"]++; ++self->z; --self->w["k"];
	printf("%d %d %d %d\n", x, y[3, "a"], self->z, self->w["k"]);
	printf("%d %d %d %d\n", x++ + x++, x, x-- - --x, x);
	y[3, "a"] -= 1; y["no" == "no", "b"] += 7;
	printf("%d %d\n", y[3, "a"], y[1, "b"]);
	printf("%d %d\n", (this->q = 5, this->q * 2), (x = y[1, "b"] = 9) + x);
	this->c = (int8_t)200; this->u = (uint8_t)this->c; printf("%d %d %d\n", this->c, this->u, this->c == this->u);
	printf("%d %d\n", -1 < 1u, -1 < 1l); printf("%d %d\n", (char)-1 > 0, (uint8_t)-1 > 0);
	m[(int8_t)-1] = 1; printf("%d %d\n", m[-1], m[255]);
	all = 33; eq = 33; printf("%d\n", eq == all); /* the kernel has an enumerator of this name, too */
}
BEGIN / x == 9 && (hits = 1) / { printf("hits %d\n", hits); }
BEGIN / x == 8 && (hits = 2) / { printf("never\n"); }
BEGIN / x == 9 || (hits = 3) / { printf("hits %d\n", hits); exit(0); }
