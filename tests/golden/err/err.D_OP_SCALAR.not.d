BEGIN { trace(!*curthread); }
