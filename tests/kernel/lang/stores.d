/* A store outside of D's own memory is a fault, not an error of the compiler: what a pointer points to is known when it
 * is followed. Memory of alloca() is D's own.
 * status: 0 */
int *p;

BEGIN
{
	*p = 1;
	printf("written\n");
}

BEGIN
{
	p[1] = 1;
	printf("written\n");
}

BEGIN
{
	this->own = (int *)alloca(8);
	this->own[1] = 7;
	*this->own = 5;
	printf("%d %d\n", *this->own, this->own[1]);
	name = "text";
	name = 0;
	printf("[%s]\n", name);
	exit(0);
}

ERROR
{
	printf("%d %d\n", arg4, arg5);
}
