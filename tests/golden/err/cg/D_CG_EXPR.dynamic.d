int n; BEGIN { n ? printf("a") : 1; n ? 1 : 1; }
