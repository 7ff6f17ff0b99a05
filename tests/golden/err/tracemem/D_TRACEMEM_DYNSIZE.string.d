BEGIN { tracemem(curthread, 10, "a"); }
