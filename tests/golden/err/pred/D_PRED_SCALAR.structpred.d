struct a { int x; } p; BEGIN /p/ { exit(0); }
