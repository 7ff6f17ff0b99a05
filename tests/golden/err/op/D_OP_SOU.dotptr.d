BEGIN { trace(curthread.pid); exit(0); }
