/* The process that runs when a packet passes is often not the packet's: the hint is at its owner. */
tcp:::send
{
	@[execname] = count();
	@names[execname, comm] = count();
}

sock:::connect-start, udp:::send
{
	@calls[execname] = count();
}
