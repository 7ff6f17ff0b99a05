int x;
long x;
BEGIN
{
	y = nothing;
	prinf("%d\n", y);
	z = curthread->no_such;
	printf("%s\n", pid);
	@a = counts();
}
tcp:::sned
/x == "a"/
{
	trace(args[2]->ip_sadr);
}
