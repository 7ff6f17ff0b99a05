#!/usr/sbin/dwire -s
/* probe descriptions in all their forms, and bodies that are there, empty or not there */
#pragma D option quiet
#pragma D option switchrate=10hz	/* ten
	times a second */

BEGIN
{
}

send:x, m:f:n
p:m:f:n
{
	trace(1)
}

tcp:::send,
udp:::send, /* both */
ip:*:tcp_v[46]_*:!x?
{
	;
	n++;;
}

42, 1000 { exit(0); }
tick-1s, profile-997 , END
