enum { A }; BEGIN { A = 5; exit(0); }
