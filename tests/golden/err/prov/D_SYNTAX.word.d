provider foo { prob start(int); };
