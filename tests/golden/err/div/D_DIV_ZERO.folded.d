inline int N = 4;
BEGIN { x = 5; x %= N - 4; }
