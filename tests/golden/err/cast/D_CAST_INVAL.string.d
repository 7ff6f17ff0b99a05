BEGIN { trace((int)"12"); }
