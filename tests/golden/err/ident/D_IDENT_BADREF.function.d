BEGIN { printf = 1; }
