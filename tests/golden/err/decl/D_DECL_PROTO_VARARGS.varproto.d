int f(..., int); BEGIN { exit(0); }
