struct unknown *x;
BEGIN { x++; }
