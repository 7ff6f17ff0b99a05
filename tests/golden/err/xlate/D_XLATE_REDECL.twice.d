struct s { int a; };
translator struct s < int I > { a = I; };
translator struct s < int J > { a = J; };
BEGIN { exit(0); }
