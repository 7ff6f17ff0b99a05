translator int < int I > { a = I; };
BEGIN { trace(xlate <int> (1)); }
