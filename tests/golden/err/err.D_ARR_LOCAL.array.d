int last[10];
BEGIN { exit(0); }
