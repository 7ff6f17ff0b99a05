provider foo { probe a-b(int); probe a-b(int); };
