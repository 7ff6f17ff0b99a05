BEGIN { exit(0);
