/* Each key is what its expression was when it was evaluated, from left to right, whether keys go to the stack at once or
 * (nested arrays, calls, text) when all are known. */
int a[int, int, int];
int b[int];
string names[string, int];

BEGIN
{
	this->i = 1;
	a[this->i, this->i++, this->i] = 10;
	b[10] = 3;
	x = 5;
	@direct[x, x++, x, "literal", probename] = sum(x);
	@nested[a[1, 1, 2], b[a[1, 1, 2]], b[a[1, 1, b[10] - 1]], probename] = count();
	this->n = 7;
	@late[this->n, b[this->n++], this->n, strjoin("n", lltostr(this->n))] = count();
	names["one", 1] = strjoin("o", "ne");
	names[names["one", 1], a[1, 1, 2]] = "ten";
	@texts[names[names["one", b[10] - 2], 10], "z", x] = max(x);
	self->t[x, "s"] = 4;
	@self[self->t[6, "s"], self->t[x--, "s"], x] = count();
	@signs[(char)-1, (unsigned char)-1, (short)-2, x > 3 ? "yes" : "no"] = count();
	exit(0);
}

END
{
	printa("%d %d %d %s %s %@d\n", @direct);
	printa("%d %d %d %s %@d\n", @nested);
	printa("%d %d %d %s %@d\n", @late);
	printa("%s %s %d %@d\n", @texts);
	printa("%d %d %d %@d\n", @self);
	printa("%d %d %d %s %@d\n", @signs);
}
