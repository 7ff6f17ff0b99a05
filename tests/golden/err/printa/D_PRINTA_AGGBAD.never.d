BEGIN { printa("%@d\n", @never); }
