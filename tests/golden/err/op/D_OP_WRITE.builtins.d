BEGIN { curpsinfo = 0; pid = 1; caller = 2; ipl++; }
