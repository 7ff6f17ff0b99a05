BEGIN { tracemem(curthread, pid); tracemem(curthread, -1); }
