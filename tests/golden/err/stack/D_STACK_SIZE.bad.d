BEGIN { stack(0); stack(-1); stack(pid); stack("a"); @[stack(0)] = count(); }
