BEGIN { @b = count(); @a[@b] = count(); @c[exit(0)] = count(); }
