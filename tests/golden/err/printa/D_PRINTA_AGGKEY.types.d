BEGIN { @a["x"] = count(); @b[1] = count(); printa("%s %@d %@d\n", @a, @b); }
