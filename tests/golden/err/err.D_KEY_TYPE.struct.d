BEGIN { @[*curthread] = count(); }
