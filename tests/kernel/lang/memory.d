/* alloca(), bcopy(), stores through pointers, and what is refused at run time. */
#pragma D option quiet
struct foo { int a; char b[8]; struct foo *next; };
BEGIN { this->p = (char *)alloca(10); bcopy("hello", this->p, 6); printf("%s\n", stringof(this->p)); this->p[0] = 'J'; *(this->p + 1) = 'E'; printf("[%s] %c\n", stringof(this->p), this->p[2]);
 this->q = (int *)alloca(sizeof(int) * 4); this->q[0] = 1; this->q[3] = -7; *this->q += 41; (*this->q)++; this->q[3]--; printf("%d %d %d\n", *this->q, this->q[3], this->q[1] == 0 || 1);
 this->f = (struct foo *)alloca(sizeof(struct foo)); this->f->a = 77; this->f->next = this->f; this->f->next->a = 78; bcopy(this->p, this->f->b, 6); printf("%d %s\n", this->f->a, stringof(this->f->b));
 this->n = pid ? 3 : 5; this->z = (char *)alloca(this->n); bcopy("abc", this->z, this->n); printf("%c\n", this->z[2]);
}
BEGIN { printf("%s %d\n", stringof(this->p), this->f->a); }
BEGIN { *(int *)(uintptr_t)1234 = 1; }
BEGIN { alloca(100000); printf("no\n"); }
BEGIN { bcopy(curthread->comm, this->p, 6); printf("%s\n", stringof(this->p)); bcopy((void *)0, this->p, 3); }
BEGIN { copyinstr(12); }
BEGIN { exit(0); }
