BEGIN { stop(1); }
