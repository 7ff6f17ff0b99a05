tcp:::send { trace(*args[2]); }
