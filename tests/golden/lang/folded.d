/* Constants cost nothing at run time: the whole clause is one store. */
inline int N = 1 << 4;
enum { LOW = -3, HIGH = LOW * -2 };
int x;
tick-1s
{
	x = (N > 15 ? HIGH : LOW) * sizeof (int) + (uint8_t)300 - 'A' / 2;
}
