struct s { int a; int b; };
translator struct s < int I > { a = I; };
BEGIN { trace(xlate <struct s> (1).b); }
