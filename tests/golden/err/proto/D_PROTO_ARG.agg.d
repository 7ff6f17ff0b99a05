BEGIN { @[1] = count(); @["one"] = count(); }
