BEGIN { @a = count(); x = 1; printa("%@d\n", x); }
