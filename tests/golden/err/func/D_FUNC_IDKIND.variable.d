int x; BEGIN { x(); }
