provider foo1 { probe a(int); };
