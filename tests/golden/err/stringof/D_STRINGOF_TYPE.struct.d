struct s { int a; }; struct s g; BEGIN { g.a = 1; trace(stringof(g)); }
