BEGIN { trace(stringof(12)); }
