#pragma D binding 1.0 x
inline int x = 1;
BEGIN { exit(x); }
