BEGIN { @d = lquantize(1, 0, 9); printa("%@.99Q %@Q\n", @d); }
