BEGIN { trace('ABCDEFGHI'); exit(0); }
