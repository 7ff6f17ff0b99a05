#pragma D attributes Good/Better/Best x
inline int x = 1;
BEGIN { exit(x); }
