BEGIN { trace(*(void *)curthread); }
