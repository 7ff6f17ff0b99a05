tcp:::send, ip:::send { trace(args[4]->tcp_sport); }
