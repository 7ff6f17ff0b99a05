enum { FIVE = 5 };
inline int SIX = 6;
inline int twice[int n] = n * 2;
BEGIN { FIVE++; }
BEGIN { --SIX; twice[1]++; ENOENT++; }
