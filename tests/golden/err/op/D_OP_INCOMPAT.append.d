string s; BEGIN { s = "a"; s += "b"; }
