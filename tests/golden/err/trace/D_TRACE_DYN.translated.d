tcp:::send { trace(args[2]); trace(*args[2]); }
