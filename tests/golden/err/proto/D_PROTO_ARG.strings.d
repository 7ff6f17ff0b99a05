BEGIN { trace(strlen(5)); trace(lltostr("a")); trace(substr("abc", "d")); }
