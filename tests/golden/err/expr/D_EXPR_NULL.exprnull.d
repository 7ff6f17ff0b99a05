BEGIN { "text"; exit(0); }
