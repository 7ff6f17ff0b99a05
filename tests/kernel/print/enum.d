/* %s of a value whose type is an enum prints its name. */
enum color { RED, GREEN = 5, BLUE = -3 };
enum color g;
BEGIN
{
	g = GREEN;
	printf("[%s] [%s] [%8s] [%-8s] [%s]\n", g, (enum color)-3, (enum color)0, (enum color)5, (enum color)77);
	printf("%s %d\n", (enum hrtimer_restart)1, (enum hrtimer_restart)1);
	print(g);
	exit(0);
}
