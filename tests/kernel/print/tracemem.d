/* tracemem(): memory as it is, of a constant size, and no more of it than a third argument says. */
struct pair {
	int a;
	char text[20];
};

BEGIN
{
	this->p = (struct pair *)alloca(24);
	this->p->a = 0x01020304;
	this->p->text[0] = 'h';
	this->p->text[1] = 'i';
	tracemem(this->p, 24);
	tracemem((uint64_t)this->p, 24, 6);
	n = 5;
	tracemem(this->p, 24, n - 1);
	tracemem(this->p, 4, 0);
	tracemem(this->p->text, 2);
	exit(0);
}
