int x; BEGIN { x ? trace(1) : trace(2); }
