/* Structures, unions, bit-fields and arrays in variables of every scope; members as places to write to. */
struct rec { int a; char b; long c; };
typedef struct foo { int x; } foo_t;
typedef int arr_t[4];
union word { int i; char c[4]; };
struct in { int x; int y; };
struct out { struct in p; struct in *q; int arr[3]; struct in v[2]; };
struct bits { int a:3; unsigned b:5; unsigned c:8; int d:16; long e:40; };
struct anon { int a; union { int b; char c; }; struct { int d; int e; }; };
struct named { string n; int a; };
struct text { char n[8]; };
struct callinfo { uint64_t ts; uint64_t elapsed; uint64_t calls; size_t maxbytes; };
struct padded { char c; struct { int a; } i; short s; struct { char x; char y; } n; };
struct rec r, q;
this struct rec t;
self struct rec s;
struct rec m[int];
struct callinfo i[string];
union word u;
struct out o;
int k;
int a[5];
struct rec list[5];
struct bits bf;
arr_t v;
foo_t f;
struct anon an;
struct named nv;
struct named nm[int];
struct text tx;
string names[3];
self int sa[4];

BEGIN { r.a = 5; r.b = 'x'; r.c = 1LL << 40; printf("global %d %c %d\n", r.a, r.b, r.c); }
BEGIN { this->t.a = 5; this->t.b = 'x'; this->t.c = this->t.a * 7; }
BEGIN { printf("this %d %c %d\n", this->t.a, this->t.b, this->t.c); }
BEGIN { self->s.a = 6; self->s.b = 'y'; self->s.c = self->s.a-- * 7; }
BEGIN { printf("self %d %c %d\n", self->s.a, self->s.b, self->s.c); }
BEGIN
{
	i["read"].ts = 10;
	i["read"].calls++;
	i["read"].calls++;
	i["read"].maxbytes = 5 > i["read"].maxbytes ? 5 : i["read"].maxbytes;
	i["read"].elapsed += 100 - i["read"].ts;
	i["write"].calls += 3;
}
BEGIN
{
	printf("assoc %d %d %d %d", i["read"].ts, i["read"].elapsed, i["read"].calls, i["read"].maxbytes);
	printf(" %d %d\n", i["write"].calls, i["zip"].calls);
}
BEGIN { q = r; r.a = 6; this->z = q; q.c = 1; printf("copies %d %c %d\n", q.a, this->z.b, this->z.c); }
BEGIN
{
	m[1] = r;
	self->c = m[1];
	m[2] = self->c;
	m[2].a++;
	printf("dynamic %d %c %d %d", m[1].a, m[1].b, self->c.c, m[2].a);
	m[1] = 0;
	self->c = 0;
	printf(" %d %d\n", m[1].c, self->c.a);
}
BEGIN
{
	this->cred = *curthread->cred;
	x = *curthread->cred;
	printf("kernel %d %d %d\n", this->cred.uid.val, x.gid.val, sizeof(x) == sizeof(struct cred));
}
BEGIN { u.i = 0x41424344; printf("union %c %c %d\n", u.c[0], u.c[3], sizeof(u)); }
BEGIN
{
	o.p.x = 1;
	o.p.y = 2;
	o.arr[0] = 10;
	o.arr[2] = 30;
	o.v[1].y = 77;
	o.arr[2] += 5;
	o.v[1].y--;
	printf("nested %d %d %d %d %d %d\n", o.p.x, o.p.y, o.arr[0], o.arr[2], o.v[1].y, sizeof(o));
}
BEGIN { k = 2; o.arr[k] = 42; k = 0; o.v[k].x = 43; printf("index %d %d %d\n", o.arr[2], o.v[0].x, o.arr[k + 2]); }
BEGIN
{
	a[0] = 3;
	a[4] = 9;
	this->i = 4;
	a[this->i]++;
	a[1] += a[4];
	printf("array %d %d %d %d\n", a[0], a[1], a[4], sizeof(a));
}
BEGIN { list[0].a = 7; list[4].b = 'z'; list[k + 1] = list[0]; printf("structs %d %c\n", list[1].a, list[4].b); }
BEGIN { v[2] = 8; f.x = 4; self->sa[3] = 5; printf("typedefs %d %d %d %d\n", f.x, v[2], self->sa[3], self->sa[0]); }
BEGIN
{
	bf.a = 3;
	bf.b = 31;
	bf.c = 200;
	bf.d = -5;
	bf.a = -1;
	bf.e = -2;
	bf.b++;
	bf.c += 60;
	printf("bits %d %d %d %d %d %d\n", bf.a, bf.b, bf.c, bf.d, bf.e, sizeof(bf));
}
BEGIN { an.b = 0x61; an.e = 9; printf("anonymous %c %d %d\n", an.c, an.e, offsetof(struct anon, e)); }
BEGIN
{
	nv.n = "hello";
	nm[3].n = nv.n;
	nm[4] = nv;
	names[1] = "one";
	names[2] = execname;
	printf("strings %s %s %s %s %s\n", nv.n, nm[3].n, nm[4].n, names[1], names[2]);
}
BEGIN { tx.n[0] = 'h'; tx.n[1] = 'i'; printf("chars %s|%s|%d\n", tx.n, stringof(tx.n), sizeof(tx.n)); }
struct big { long a[40]; int x; };
this struct big big;
BEGIN
{
	this->big.a[39] = 4;
	this->big.x = 2;
	this->i = 39;
	this->task = *curthread;
	printf("large %d %d", this->big.a[this->i], this->big.x);
	printf(" %d %s\n", this->task.tgid == pid, this->task.comm);
}
BEGIN
{
	printf("layout %d %d %d", sizeof(struct padded), offsetof(struct padded, i), offsetof(struct padded, n));
	printf(" %d\n", sizeof("abc"));
	exit(0);
}
