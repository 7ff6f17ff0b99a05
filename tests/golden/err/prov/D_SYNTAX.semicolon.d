provider foo { probe start(int) probe end(int); };
