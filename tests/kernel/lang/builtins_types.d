/* The types of the built-in variables are DTrace's: sizes and signs. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d %d %d %d\n", sizeof (pid), sizeof (tid), sizeof (ppid), sizeof (uid), sizeof (gid), sizeof (cpu));
	printf("%d %d %d %d %d\n", sizeof (arg0), sizeof (timestamp), sizeof (vtimestamp), sizeof (walltimestamp),
	    sizeof (errno));
	printf("%d %d %d %d\n", sizeof (id), sizeof (epid), sizeof (ipl), sizeof (curthread));
	printf("%d %d %d\n", sizeof (curpsinfo), sizeof (curlwpsinfo), sizeof (curcpu));
	printf("%d %d\n", sizeof (curpsinfo->pr_pid), sizeof (curpsinfo->pr_addr));
	printf("%d %d\n", (typeof_pid = pid, -1 < (pid - pid)), (uid - uid - 1) > 0);
	printf("%d %d\n", rand() == rand() && rand() == rand(), sizeof (rand()));
	exit(0);
}
