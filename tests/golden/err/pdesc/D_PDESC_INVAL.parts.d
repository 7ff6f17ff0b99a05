a:b:c:d:e { exit(0); }
