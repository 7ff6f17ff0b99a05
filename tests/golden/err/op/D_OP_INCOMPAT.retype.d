BEGIN { x = 1; x = "s"; exit(0); }
