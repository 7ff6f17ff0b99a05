struct s { int a; } x;
struct t { int a; } y;
struct s *p;
BEGIN { x = y; x = 1; p = (struct t *)0; p = 0; }
