BEGIN { trace(str(arg0)); }
BEGIN { @ = hist(1); }
BEGIN { trace(strcmp("a", "b")); }
