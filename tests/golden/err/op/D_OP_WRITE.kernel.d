BEGIN { curthread->pid = 1; curthread->pid++; }
