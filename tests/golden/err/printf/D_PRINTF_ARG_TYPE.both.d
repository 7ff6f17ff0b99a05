BEGIN { printf("%s %d\n", pid, execname); }
