/* Structures, unions and arrays are keys by their bytes. The values were worked out by hand. */
#pragma D option quiet
struct p { int x; char c; int64_t y; } p, q;
union u { int i; char c[4]; } u;
struct big { char name[20]; short n; } b;
int a[struct p]; int ints[3];
struct bf { unsigned a : 3, b : 5; } bf;
self int sa[struct p, int];
BEGIN
{
	p.x = 1; p.c = 'c'; p.y = -1;
	q = p;
	a[p] = 5;
	printf("%d %d\n", a[q], ++a[q]);
	q.y = 2;
	printf("%d %d\n", a[q], a[p]);
	m[p, "s"] = 3;
	printf("%d %d %d\n", m[q, "s"], m[p, "s"], m[p, "t"]);
	self->sa[p, 3] = 9;
	printf("%d %d\n", self->sa[q, 3], self->sa[p, 3]);
	a[p] = 0;
	printf("%d\n", a[p]);
	@a[p] = count(); @a[q] = count(); @a[p] = count();
	@b[p, 7] = sum(3);
	u.i = 0x41424344; @u[u] = count();
	b.name[0] = 'h'; b.name[1] = 'i'; @t[b] = count(); b.n = 300; @t[b] = count();
	ints[1] = 4; @i[ints] = count(); n[ints] = 8; printf("%d\n", n[ints]);
	bf.b = 9; @bf[bf] = count();
	@c[curthread->cred->uid] = count(); k[curthread->cred->uid] = 4; printf("%d\n", k[curthread->cred->gid.val == 0 ? curthread->cred->uid : curthread->cred->uid]);
	this->l = q; @a[this->l] = count();
	printa("%@d\n", @a);
	printa(@a);
	exit(0);
}
