inline int N = "five";
BEGIN { trace(N); }
