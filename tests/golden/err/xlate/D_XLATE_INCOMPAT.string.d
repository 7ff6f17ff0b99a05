struct s { int a; }; translator struct s < int *p > { a = "x"; };
