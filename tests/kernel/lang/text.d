/* Subroutines on characters: results, NULL, the state of strtok(), pointers as strings. */
#pragma D option quiet
BEGIN {
 printf("[%s] [%s] %d\n", strjoin("abc", "def"), strjoin(execname, "/x"), strlen("hello"));
 printf("[%s] [%s] [%s] [%s] [%s]\n", substr("hello world", 6), substr("hello", 1, 3), substr("hello", -3), substr("hello", -3, 2), substr("hello", 1, -1));
 printf("[%s] [%s]\n", tolower("HeLLo [@Z"), toupper("HeLLo {`z"));
 printf("[%s] [%s] %d\n", strchr("a/b/c", '/'), strrchr("a/b/c", '/'), strchr("abc", 'x') == NULL);
 printf("[%s] %d\n", strstr("foobarbaz", "bar"), strstr("foo", "x") == NULL);
 printf("%d %d %d %d\n", index("hello", "l"), rindex("hello", "l"), index("hello", "l", 3), rindex("hello", "l", 2));
 printf("[%s] [%s] [%s] [%s]\n", basename("/a/b/c.d//"), dirname("/a/b/c"), basename("/"), dirname("x"));
 printf("[%s] [%s]\n", cleanpath("/a/./b//c/../d"), cleanpath("/foo/bar/.."));
 printf("[%s] [%s] [%s] [%s] [%s]\n", lltostr(-5), lltostr(255, 16), lltostr(8, 8), lltostr(0), lltostr(-1, 2));
 printf("%d %d %d %d\n", strtoll("123"), strtoll("  -77x"), strtoll("0xff", 16), strtoll("zz", 36));
 this->s = ",,a,bc,,def"; 
}
BEGIN /(this->f = strtok(this->s, ",")) == NULL/ { exit(1); }
BEGIN { printf("%s\n", this->f); }
BEGIN /(this->f = strtok(NULL, ",")) != NULL/ { printf("%s\n", this->f); this->f = strtok(NULL, ","); printf("%s\n", this->f); this->f = strtok(NULL, ","); printf("%d\n", this->f == NULL); }
BEGIN { printf("%s %s\n", stringof(curthread->comm), (string)curthread->comm); printf("[%s]\n", strchr("abc", 'x')); }
ERROR { printf("error\n"); }
BEGIN { printf("%s\n", stringof(0)); }
BEGIN { exit(0); }
