struct s { int a : 3; };
BEGIN { trace(sizeof (((struct s *)8)->a)); }
