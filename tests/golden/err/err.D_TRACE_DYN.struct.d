BEGIN { trace(*curthread); }
