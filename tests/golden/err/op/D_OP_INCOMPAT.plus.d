BEGIN { trace(execname - 1); trace("a" + "b"); }
