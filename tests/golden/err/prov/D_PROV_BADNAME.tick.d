provider foo { probe a`b(int); };
