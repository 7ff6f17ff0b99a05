tcp:::send { trace(args[9]->x); }
