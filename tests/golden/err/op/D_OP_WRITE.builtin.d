inline int N = 5;
BEGIN { pid = 1; timestamp++; N = 3; }
