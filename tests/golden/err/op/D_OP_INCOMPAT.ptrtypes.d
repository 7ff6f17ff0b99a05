struct a *p; BEGIN { p = curthread; exit(0); }
