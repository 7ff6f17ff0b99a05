BEGIN { x = curpsinfo + 1; }
