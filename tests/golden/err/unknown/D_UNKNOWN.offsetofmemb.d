struct s { int a; }; BEGIN { trace(offsetof(struct s, x)); exit(0); }
