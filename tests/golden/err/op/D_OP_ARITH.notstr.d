BEGIN { trace(-"abc"); exit(0); }
