/* precedence and grouping, lowest first */
BEGIN
{
	a = b, c = d;
	a = b += c -= d *= e /= f %= g <<= h >>= i &= j |= k ^= l;
	a ? b : c ? d : e;
	a || b ^^ c && d;
	a | b ^ c & d;
	a == b != c < d <= e > f >= g;
	a << b >> c + d - e * f / g % h;
	-a + +b * !c - ~d;
	++a - --b + c++ - d--;
	*p++ = &q[1];
	(a, b) + (c ? d : e) * (f || g);
}
