/* Addresses stay bytes: comparing one with a literal is three compares and no call. */
string peer;
tick-1s
/peer == "10.0.0.2"/
{
	hits++;
}
tick-1s
{
	peer = "10.0.0.1";
}
