BEGIN { trace(timestmp); }
