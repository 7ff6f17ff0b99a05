/* Strings longer than registers hold: every kind of variable, keys, comparisons, what strsize cuts.
 * options: -q -x strsize=80
 */
string g, h; self string ss; string as[string, int];
BEGIN {
	g = "a literal longer than thirty-two bytes, kept in memory";
	this->t = g; this->u = execname; self->ss = g; as[g, 1] = "of a long key"; as["k", 2] = g; h = g;
	printf("[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n[%s]\n", g, this->t, self->ss, as[g, 1], as["k", 2], h);
	g = "another one, longer than thirty-two bytes as well"; this->x = pid ? g : execname;
	printf("[%s]\n[%s]\n[%s]\n", g, this->t, this->x);
	printf("%d%d%d%d\n", g == h, g != h, this->t == h, as["k", 2] == this->t);
	printf("%d%d%d%d%d\n", g < h, g > h, h <= this->t, "" < g, g >= "another one, longer than thirty-two bytes as well");
	printf("%d%d%d\n", g == "another one, longer than thirty-two bytes as well", g == "another", g == "");
	self->ss = ""; as["k", 2] = ""; printf("[%s][%s][%s]\n", self->ss, as["k", 2], as["none", 0]);
	this->v = pid ? "short" : g; printf("[%s] %d\n", this->v, this->v == "short");
	@[g, execname, 7] = count(); @[h, execname, 7] = count(); @[g, "dwire", 7] = count();
	h = "12345678901234567890123456789012345678901234567890123456789012345678901234567890 not seen";
	printf("[%s]\n", h); h = pid ? g : execname; printf("[%s]\n", h);
	if (h == g) { printf("same\n"); } else { printf("not\n"); }
}
BEGIN /this->t == "a literal longer than thirty-two bytes, kept in memory" && this->u == "dwire"/ { printf("clause-local\n"); }
BEGIN /this->t == g/ { printf("no\n"); }
BEGIN { this->a = pid ? "10.0.0.1" : g; printf("%s %d %d\n", this->a, this->a == "10.0.0.1", this->a < "10.0.0.2"); this->b = this->a; this->a = g; printf("%s %s\n", this->b, this->a); }
BEGIN { exit(0); }
