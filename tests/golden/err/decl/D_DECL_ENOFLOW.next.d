enum e { BIG = 0x7fffffff, BIGGER };
BEGIN { exit(0); }
