struct s { int n; };
translator struct s < int in > { n = in; }
BEGIN { exit(0); }
