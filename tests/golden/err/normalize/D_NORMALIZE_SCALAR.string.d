BEGIN { @a = count(); normalize(@a, "10"); }
