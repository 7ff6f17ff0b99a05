enum e { A, B, A };
BEGIN { exit(0); }
