/* Numbers by name, in constant places and in expressions; a script may define one of them anew. */
#pragma D option quiet
inline int AF_UNIX = 77;
BEGIN
{
	printf("%d %d %d %d %d\n", ENOENT, EINTR, EAGAIN == EWOULDBLOCK, ETIMEDOUT, ECONNREFUSED);
	printf("%d %d %d %d\n", SIGHUP, SIGKILL, SIGTERM, SIGCHLD);
	printf("%x %x %x %x\n", O_RDONLY, O_WRONLY, O_RDWR, O_CREAT | O_TRUNC);
	printf("%o %o %o\n", S_IFMT, S_IFREG | S_IRWXU, S_IFSOCK);
	printf("%d %d %d %d %d\n", AF_INET, AF_INET6, AF_UNIX, SOCK_STREAM, SOCK_DGRAM);
	printf("%d %d %d %d\n", IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_RAW);
	printf("%d %d\n", DTRACEFLT_BADADDR, DTRACEFLT_DIVZERO);
	printf("%d\n", ENOENT * 10 + SIGINT);
	exit(0);
}
