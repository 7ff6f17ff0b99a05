BEGIN { func("x"); mod(execname); @[usym(execname)] = count(); }
