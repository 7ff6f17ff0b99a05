BEGIN { trace(strlen()); trace(strjoin("a")); trace(strlen("a", "b")); }
