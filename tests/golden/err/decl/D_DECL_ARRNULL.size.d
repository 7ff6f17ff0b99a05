int a[];
int b[0];
BEGIN { exit(0); }
