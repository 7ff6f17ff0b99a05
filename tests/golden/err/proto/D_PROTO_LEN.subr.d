BEGIN { trace(strlen()); trace(strjoin("a")); trace(substr("a", 1, 2, 3)); alloca(); }
