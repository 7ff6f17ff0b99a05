BEGIN { @[stack] = count(); }
