/* setopt(): options change from the next line on; those that cannot change while tracing are refused.
 * options: -q
 */
BEGIN
{
	printf("quiet\n");
	setopt("quiet", "no");
	setopt("quiet", "yes");
}

BEGIN
{
	setopt("bufsize", "5m");
	setopt("nosuch");
	setopt("quiet", "maybe");
}

BEGIN
{
	@a[1] = count();
	@a[1] = count();
	@a[2] = count();
	printa("%d %@d\n", @a);
	name = "aggsortrev";
	setopt(name, "yes");
	printa("%d %@d\n", @a);
	setopt("aggsortrev", "disable");
	setopt("aggsortkey");
	printa("%d %@d\n", @a);
	setopt("switchrate", "20hz");
	exit(0);
}
