tcp:::send { i = 1; trace(args[i]->cs_pid); }
