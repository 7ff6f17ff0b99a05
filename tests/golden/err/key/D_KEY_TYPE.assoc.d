BEGIN { a[*curthread] = 1; }
