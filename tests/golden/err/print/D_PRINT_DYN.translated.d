tcp:::send { print(args[2]); print(*args[2]); }
