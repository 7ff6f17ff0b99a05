int x[int];
int x[int];
int x[string];
int y[int];
int y[int, int];
BEGIN { exit(0); }
