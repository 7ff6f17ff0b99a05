struct rec { int a; } r;
struct rec *p;
BEGIN { p = &r; }
