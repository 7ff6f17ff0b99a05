/* NULL among strings: where it is kept, compared, and a fault; texts at their ends. */
#pragma D option quiet
self string p; string arr[string];
ERROR { printf("error %d %x\n", arg4, arg5); }
BEGIN { printf("%d\n", strlen(strchr("abc", 'z'))); }
BEGIN { this->n = strtok(NULL, ","); printf("%d\n", this->n == NULL); this->n = strchr("abc", 'b'); printf("%s %d\n", this->n, this->n == NULL); this->n = NULL; printf("%d\n", this->n == NULL); }
BEGIN { self->p = strtok("a,b", ","); self->p = NULL; printf("[%d]\n", self->p == NULL); arr["x"] = strstr("hay", "needle"); printf("%d\n", arr["x"] == NULL); arr[strjoin("k", "1")] = "v"; printf("%s\n", arr["k1"]); }
BEGIN { g = strrchr("a/b", '/'); } BEGIN { printf("%s\n", g); g = strrchr("ab", '/'); printf("%d\n", g == NULL); }
BEGIN { printf("%s\n", g); }
BEGIN { this->b = lltostr(5, 99); }
BEGIN { printf("%s|%s|%s|%s|%s\n", substr("abc", 5), substr("abc", -5), substr("abc", 0, 0), substr("abc", 1, 100), strjoin("", "")); printf("%d %d %d\n", index("", ""), index("abc", ""), rindex("abc", "")); 
 x = "abc" < "abd" ? strjoin("a", "b") : "no"; printf("%s\n", x); }
BEGIN { exit(0); }
