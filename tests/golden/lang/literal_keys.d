/* A literal is kept by its number: 8 bytes in a key or record, whatever its length. */
tick-1s
{
	@["a literal of any length takes eight bytes in a key, as every other one does", 1] = count();
}
