BEGIN { trace(strlen(5)); trace(strjoin("a", curthread)); trace(substr("a", "b")); trace(inet_ntoa(3)); }
