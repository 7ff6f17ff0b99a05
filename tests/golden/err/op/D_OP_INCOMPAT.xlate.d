struct a { int x; };
struct b { int x; };
translator struct a < int i > { x = i; };
translator struct b < int i > { x = i; };
int n;
BEGIN
{
	p = xlate <struct a *> (3);
	p = xlate <struct b *> (4);
	n = curpsinfo;
	n = *curpsinfo;
}
