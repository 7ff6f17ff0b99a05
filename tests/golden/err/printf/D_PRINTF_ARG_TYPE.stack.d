BEGIN { printf("%d %k %s %a", stack(), pid, func(caller), execname); }
