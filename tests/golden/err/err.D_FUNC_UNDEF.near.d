BEGIN { prinf("hello"); }
