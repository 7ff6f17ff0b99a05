struct s { int a; };
BEGIN { x = (struct s)5; exit(0); }
