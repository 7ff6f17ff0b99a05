BEGIN { printa("%@d\n"); printa(); }
