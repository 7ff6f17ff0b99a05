BEGIN { trace(pid ? 1 : "one"); }
