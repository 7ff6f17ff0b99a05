/* A text that nothing was assigned to is a key like any other, the empty one. */
#pragma D option quiet
string g, k; self string t; this string u;
struct s { string m; } v;
BEGIN { x = g; @a[x] = count(); @b[v.m, 1] = sum(3); @c[x == g ? g : x] = sum(7); @d[k] = sum(2); @e[self->t, this->u] = sum(4); as[k] = 5; }
BEGIN { printf("%d %d\n", as[""], as[k]); exit(0); }
END { printa("a[%s] %@d\n", @a); printa("b[%s,%d] %@d\n", @b); printa("c[%s] %@d\n", @c); printa("d[%s] %@d\n", @d); printa("e[%s,%s] %@d\n", @e); }
