int f(self int x); BEGIN { exit(0); }
