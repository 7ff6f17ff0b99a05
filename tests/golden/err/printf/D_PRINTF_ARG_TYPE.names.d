BEGIN { printf("%I", 5); printf("%P", "http"); exit(0); }
