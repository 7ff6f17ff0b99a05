tcp:::send { trace(args); }
