BEGIN
{
	x = ;
	y = 1
	z = 2;
	printf("a", ;
	for (i = 0; i < 5; i++) { trace(i); }
	while (x) trace(x);
	int q;
	a and b;
	s = "one" "two";
	addr == 10.0.0.1;
	a = b == = c;
	f(1)(2);
	return 5;
	good = 1;
}

END { self.x = 1; this = 2; @a[] = count(); x[] = 1; a->; offsetof(int); sizeof; last }
