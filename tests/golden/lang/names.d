/* A name that a number chooses comes from a table, without branches; that of a constant is a constant. */
inline string name[uint64_t n] = n == 1 ? "one" : n == 2 ? "two" : n == 3 ? "three" : n == 4 ? "four" : n == 5 ? "five" :
    n == 6 ? "six" : n == 7 ? "seven" : n == 9 ? "nine" : "other";
tick-1s
{
	@[name[timestamp], name[9]] = count();
}
