/* An array of characters that is a variable is a text wherever one may stand. */
char c[4];
self char t[4];
char rows[2][4];

BEGIN
{
	c[0] = 'A';
	c[1] = 'B';
	self->t[0] = 'T';
	rows[1][0] = 'R';
	printf("%s|%5s|%d|%s|%s\n", c, c, strlen(c), self->t, rows[1]);
	a[c] = 1;
	printf("%d %s %d\n", a["AB"], strjoin(c, self->t), c == "AB");
	s = stringof(c);
	@[c, s] = count();
	c[0] = 'D';
	c[1] = 0;
	c[2] = 'E';	/* behind its end */
	printf("%d %d %d\n", c == "D", c != "D", strlen(c));
	@[c, s] = count();
	exit(0);
}
