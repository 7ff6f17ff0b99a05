float f;
BEGIN { printf("%f", 5); printf("%d", f); }
