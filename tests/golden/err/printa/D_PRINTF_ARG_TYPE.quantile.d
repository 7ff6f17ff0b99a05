BEGIN { @n = count(); @d = quantize(1); printa("%@d %@.99Q\n", @d, @n); }
