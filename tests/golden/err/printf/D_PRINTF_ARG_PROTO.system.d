BEGIN { system("%d"); }
