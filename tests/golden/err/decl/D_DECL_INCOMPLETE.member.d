struct s { struct nowhere x; };
BEGIN { exit(0); }
