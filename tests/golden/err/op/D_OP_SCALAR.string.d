BEGIN { s = "a"; x = !s; }
BEGIN { x = s && 1; }
BEGIN { x = 0 || s; }
BEGIN { x = s ^^ 1; }
BEGIN { x = s ? 1 : 2; }
BEGIN { if (s) x = 1; }
BEGIN { if (s != "") x = s == NULL ? 1 : 2; }
