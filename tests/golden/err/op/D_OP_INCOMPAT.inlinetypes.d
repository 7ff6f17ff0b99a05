inline char c = 'x'; inline short s = -5; inline unsigned long u = 18446744073709551615; inline int8_t i = 200; inline string str = "s"; inline float f = 1;
BEGIN { printf("%c %d %u %d %s", c, s, u, i, str); exit(0); }
