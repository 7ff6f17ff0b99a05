inline int port = args[0];
BEGIN { trace(port); }
