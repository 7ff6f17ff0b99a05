BEGIN { tracemem(curthread, 10, 5, 6); }
