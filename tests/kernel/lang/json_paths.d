/* json(): the value that a path of names and numbers names, as it is written; NULL when there is none. */
#pragma D option strsize=512

BEGIN
{
	j = "{\"a\": 5, \"b\": \"text\", \"c\": {\"d\": [10, 20, {\"e\": true}], \"f\": null}, \"neg\": -1.5e3, \"q\": \"a\\\"b\", \"arr\": [[1,2],[3,4]]}";
	printf("%s\n", json(j, "a"));
	printf("%s\n", json(j, "b"));
	printf("%s\n", json(j, "c"));
	printf("%s\n", json(j, "c.d"));
	printf("%s\n", json(j, "c.d[1]"));
	printf("%s\n", json(j, "c.d[2].e"));
	printf("%s\n", json(j, "c.f"));
	printf("%s\n", json(j, "neg"));
	printf("%s\n", json(j, "q"));
	printf("%s\n", json(j, "arr[1][0]"));
	printf("%s\n", json("[\"x\", \"y\"]", "[1]"));
	printf("%s\n", json("[\"x\", \"y\"]", "0"));
	printf("%d %d %d %d %d\n", json(j, "z") == NULL, json(j, "c.z") == NULL, json(j, "a.b") == NULL, json("5", "a") == NULL, json(j, "arr[7]") == NULL);
	printf("%d\n", strtoll(json(j, "a")) + 1);
	exit(0);
}
