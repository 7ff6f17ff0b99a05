struct s { int n; int *p; string t; };
translator struct s < int *in > { n = in; p = *in; t = *in; };
translator struct s < int in > { n = in; p = 0; t = "ok"; };
BEGIN { exit(0); }
