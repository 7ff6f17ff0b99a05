BEGIN { trace(curthread->comm[15]); trace(curthread->comm[16]); }
