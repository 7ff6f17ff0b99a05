BEGIN
{
	x = 1;

tcp:::send
{
	if (x) {
		y = 2;
}

END {
	z = 3
