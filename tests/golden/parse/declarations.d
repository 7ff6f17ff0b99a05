/* variables, types, inlines, translators, providers */
int last[int];
string a[int, string], *b;
self int depth;
this string name, other;
extern struct vmlinux`task_struct *curthread;
extern void printf(@, ...);
unsigned long long int big, *const p, **pp, m[2][3], (*pm)[4], (*fn)(int, char *), *ret(void);

typedef struct pair {
	int first, *second;
	unsigned flag:1, :7, rest:24;
	struct {
		char text[16];
		union { long l; double d; } u;
	};
	enum { ONE = 1, TWO, SIX = ONE + 5, } which;
} pair_t, *pair_p;

pair_t pairs[int];
struct later;
union word { int i; char c[sizeof (int)]; };
enum color { RED, GREEN } paint;

inline int LIMIT = 5;
inline string state_name[int32_t state, int full] = state == 0 ? "idle" : full ? "state" : "s";

translator pair_t < struct pair *P > {
	first = P->first;
	which = P->which ? TWO : 0;
};

provider mine {
	probe start(int);
	probe request__done(char *, int n) : (string, int);
	probe dash-name();
};
#pragma D attributes Evolving/Evolving/Common provider mine provider
BEGIN { x = (pair_t *)y; }
