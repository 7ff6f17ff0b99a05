BEGIN
{
	a = "not closed;
	b = 'not closed;
	c = '';
	d = 'much too long';
	e = 18446744073709551616;
	f = 08 + 0x + 12abc + 1uu;
	g = "\q";
	h = “curly”;
	i = a # b;
}
