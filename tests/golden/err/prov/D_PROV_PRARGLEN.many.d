provider foo { probe a(int, char *, long, int, int, int, int, int, int, int, int, int, int); };
