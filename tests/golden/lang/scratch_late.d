/* Scratch memory is taken behind a predicate that needs none. */
int x;
tick-1s
/x > 5/
{
	this->s = strjoin(execname, "a");
	x = strlen(this->s);
}
