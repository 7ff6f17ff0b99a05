float f;
double d;
BEGIN { d = f; f = 1; }
