BEGIN { trace(sizeof(undefd)); exit(0); }
