#pragma D binding "first" x
inline int x = 1;
BEGIN { exit(x); }
