/* Aggregations: every function, keys of every width, the edges of the distributions, several clauses. */
#pragma D option quiet
BEGIN { @c = count(); @c = count(); @s = sum(-5); @s = sum(3); @a = avg(-7); @a = avg(2); @mi = min(5); @mi = min(-9); @mi = min(7); @ma = max(-5); @ma = max(-9); @sd = stddev(2); @sd = stddev(4); @sd = stddev(4); @sd = stddev(4); @sd = stddev(5); @sd = stddev(5); @sd = stddev(7); @sd = stddev(9);
	printa("%@d|", @c); printa("%@d|", @s); printa("%@d|", @a); printa("%@d|", @mi); printa("%@d|", @ma); printa("%@d\n", @sd); }
BEGIN { @k["a", 1] = count(); @k["b", -2] = count(); @k["a", 1] = count(); printa("%s/%d=%@d\n", @k); }
BEGIN { @x[1] = sum(10); @x[2] = sum(20); @y[1] = max(7); @y[3] = max(9); printa("%d: %@d %@d\n", @x, @y); printa(@x); }
BEGIN { normalize(@x, 10); printa("%d %@d\n", @x); denormalize(@x); printa("%d %@d\n", @x); trunc(@x, 1); printa("%d %@d\n", @x); clear(@x); printa("%d %@d\n", @x); trunc(@x); printa("none %d %@d\n", @x); }
BEGIN { @big[1] = sum(9223372036854775807); @big[2] = sum(-9223372036854775807 - 1); @u[(uint8_t)200] = count(); @u[(uint8_t)255] = count(); @n[(int8_t)200] = count(); @w[0xffffffffffffffff] = count(); }
BEGIN { @q = quantize(-100); @q = quantize(-1); @q = quantize(0); @q = quantize(1); @q = quantize(2); @q = quantize(3); @q = quantize(1000000, 5); }
BEGIN { @l = lquantize(-6, -5, 5, 2); @l = lquantize(-5, -5, 5, 2); @l = lquantize(4, -5, 5, 2); @l = lquantize(5, -5, 5, 2); @l = lquantize(100, -5, 5, 2); @l = lquantize(0, -5, 5, 2, 3); }
BEGIN { @ll = llquantize(0, 10, 0, 3, 10); @ll = llquantize(5, 10, 0, 3, 10); @ll = llquantize(55, 10, 0, 3, 10); @ll = llquantize(555, 10, 0, 3, 10); @ll = llquantize(100000, 10, 0, 3, 10); }
BEGIN { @qk["x"] = quantize(7); @qk["y"] = quantize(-7); @lk[1, "z"] = lquantize(3, 0, 10); exit(0); }
