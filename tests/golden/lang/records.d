/* Records in rings of ours: a place is taken by compare-exchange, and the head is completed last. Each path of the program
 * completes the record or marks it as not wanted; the fault and exit() ring the bell. */
tick-1s
{
	printf("%d %d", 7 / cpu, pid);
	exit(0);
}
