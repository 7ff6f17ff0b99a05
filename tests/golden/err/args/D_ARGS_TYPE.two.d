tcp:::send { trace(args[1, 2]); }
