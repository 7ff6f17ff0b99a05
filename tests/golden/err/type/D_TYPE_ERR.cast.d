BEGIN { trace((conn_t *)arg0); x = (nosuch **)arg0 + 1; exit(0); }
