struct s { string a : 3; float b : 2; };
BEGIN { exit(0); }
