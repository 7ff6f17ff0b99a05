BEGIN { ntohs(1) = 0; exit(0); }
