/* printa() in all its forms, negative increments, normalised values, keys of every width, cleared aggregations at the end. */
#pragma D option quiet
BEGIN { i = 0; }
BEGIN { @a["a"] = sum(1); @a["b"]=sum(2); @a["c"]=sum(3); @b["a"]=count(); @b["z"]=count(); @q["a"]=quantize(1); @q["b"]=quantize(1,-3);@q["b"]=quantize(1024,3); }
BEGIN { printa(@a, @b); printa("%s %@d\n", @a, @b); printa("%s %@d %@d %@d\n", @a, @b); printa("[%10s]\n", @a); printa("%@5d %s|%@-5d|%@x\n", @a); printa("%s%@d\n", @q); printa(@a,@q); }
BEGIN { trunc(@a, -2); printa("%s %@d,", @a); printf("\n"); trunc(@a,1); printa("%s %@d,", @a); printf("\n"); clear(@a); @a["d"] = sum(5); printa("%s %@d,", @a); printf("\n");}
BEGIN { @sk[(char)-1, (short)-2, -3, (long long)-4, (unsigned char)255] = count(); @sk[(char)1, (short)2, 3, (long long)4, (unsigned char)1] = count(); printa(@sk); printa("%d %d %d %d %d %@u\n", @sk); }
BEGIN { @n = sum(-100); normalize(@n, 3); printa(@n); printa("%@d %@u %@x\n", @n); @m = avg(-5); @m = avg(-6); printa(@m); @l = lquantize(3, 0, 10, 1, -2); @l = lquantize(100,0,10); @l = lquantize(-5,0,10); normalize(@l, 2); printa(@l); }
BEGIN { @never[1] = count(); clear(@never); @z = quantize(0); clear(@z); @lz = lquantize(1,0,100,10); clear(@lz); @mx = max(-7); clear(@mx); @mn = min(9); exit(0); }
/* stddev() in whole numbers: of 1 and 2, the mean square is 2, the square of the mean 1. */
END { @st = stddev(1); @st = stddev(2); @sn = stddev(100); @sn = stddev(-200); @sn = stddev(17); printa("%@d\n", @st); printa("%@d ", @sn); normalize(@sn, 7); printa("%@d\n", @sn); }
