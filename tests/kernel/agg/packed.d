/* aggpack and agghist: a distribution on a line, a bar for each key. */
/* options: -q -x aggpack -x agghist -x encoding=ascii */
BEGIN { @a["one"] = sum(1); @a["two"] = sum(2); @a["neg"] = sum(-3); @q["x"] = quantize(1); @q["x"] = quantize(1); @q["x"] = quantize(100); @q["yy"] = quantize(5000); @p = quantize(0); @l = lquantize(3, 0, 10); @l = lquantize(30, 0, 10);exit(0); }
