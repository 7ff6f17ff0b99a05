struct out { int a; }; BEGIN { trace(xlate <struct out> (curthread).a); exit(0); }
