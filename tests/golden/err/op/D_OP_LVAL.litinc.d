BEGIN { 5++; exit(0); }
