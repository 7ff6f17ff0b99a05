struct wide {
	char a[500000000];
	char b[500000000];
};
BEGIN { exit(sizeof (struct wide)); }
