BEGIN
{
	trace(netcounter(execname));
}
