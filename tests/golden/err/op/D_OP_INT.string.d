BEGIN { trace(-"a"); trace(execname % 2); trace(1 << "2"); }
