BEGIN { trace(uregs[-1]); trace(uregs[1000]); trace(uregs["a"]); }
