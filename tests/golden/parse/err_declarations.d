int x
int y;
int z = 5;
long long long a;
signed unsigned b;
int char c;
unsigned string d;
self this int e;
static int f;
const g;
int;
struct { int h } i;
struct { self int j; } k;
enum { };
int l`m;
inline int n;
inline int o[int] = 1;
translator unknown_t < struct in *P > { };
translator int < struct in * > { };
translator int < struct in *P > { a = 1 b = 2; };
BEGIN { trace(1); }
