struct s { int a; };
translator struct s < int I > { b = I; };
BEGIN { exit(0); }
