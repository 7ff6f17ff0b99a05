unsigned void *x;
