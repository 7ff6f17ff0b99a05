/* json(): members, elements, what is not there, strings with quotes and commas in them. */
#pragma D option quiet
BEGIN {
 this->j = "{ \"a\": 1, \"b\": { \"c\": [ 10, \"x,y\", { \"d\": true, \"e\": null } ], \"s\": \"q\\\"uote\" }, \"n\" : -1.5e3 , \"o\": [], \"last\":\"z\" }";
 printf("[%s] [%s] [%s] [%s]\n", json(this->j, "a"), json(this->j, "b.c[0]"), json(this->j, "b.c[1]"), json(this->j, "b.c[2].d"));
 printf("[%s] [%s] [%s] [%s]\n", json(this->j, "b.c[2].e"), json(this->j, "b.s"), json(this->j, "n"), json(this->j, "last"));
 printf("[%s] [%s] [%s]\n", json(this->j, "b.c"), json(this->j, "b"), json(this->j, "o"));
 printf("%d%d%d%d%d%d\n", json(this->j, "x") == NULL, json(this->j, "b.c[3]") == NULL, json(this->j, "a.b") == NULL, json(this->j, "b[0]") == NULL, json(this->j, "o[0]") == NULL, json(this->j, "a") == NULL);
 printf("[%s] [%s] %d\n", json("[1, [2, 3], 4]", "[1][1]"), json("[1, [2, 3], 4]", "[2]"), strtoll(json("{\"t\":42}", "t")));
 exit(0); }
