BEGIN { func(); sym(1, 2); umod(); progenyof(); rand(1); }
