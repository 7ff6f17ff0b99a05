struct out { int a; }; translator struct out < struct nonexist T > { a = T.pid; }; BEGIN { exit(0); }
