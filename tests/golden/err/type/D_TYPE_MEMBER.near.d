tcp:::send { trace(args[2]->ip_sadr); }
