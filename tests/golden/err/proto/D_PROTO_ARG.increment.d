BEGIN { @ = quantize(1, "x"); }
