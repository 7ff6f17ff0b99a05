BEGIN { trace(curthread->comm["a"]); }
