BEGIN { tracemem("a", 1); }
