/* Characters of strings are read and written; a NULL string has none. */
#pragma D option quiet
string g; string arr[int]; self string q;
ERROR { printf("error %d %x\n", arg4, arg5); }
BEGIN { this->s = "abc"; this->s[1] = 'X'; printf("%s %d\n", this->s, strlen(this->s)); this->s[1] = 0; printf("%s\n", this->s); this->s[0]++; printf("%s\n", this->s); }
BEGIN { this->s = strjoin("hello", "world"); this->s[4] = 'O'; this->s[5] -= 32; printf("%s %c\n", this->s, this->s[5]); }
BEGIN { g = "global"; g[0] = toupper(g)[0]; printf("%s\n", g); g[5] = 0; printf("%s %d\n", g, g == "Globa"); }
BEGIN { self->t = "self"; self->t[3] = 'x'; printf("%s\n", self->t); self->t = ""; printf("[%s] %d\n", self->t, self->t[0]); self->t = 0; printf("[%d]\n", self->t == NULL); }
BEGIN { printf("%s\n", self->t); }
BEGIN { trace(self->t[0]); }
BEGIN { self->t = ""; } BEGIN { printf("[%d]\n", self->t[0]); self->t = NULL; } BEGIN { trace(self->t[0]); }
BEGIN { arr[3] = "elem"; arr[3][0] = 'E'; i = 1; arr[3][i + 1] = 'E'; printf("%s %c%c\n", arr[3], arr[3][0], arr[3][1] == 'l' ? 'y' : 'n'); }
BEGIN { trace(arr[4][0]); }
BEGIN { arr[5][0] = 1; }
BEGIN { this->u = "abc"; i = 255; this->u[i] = 1; }
BEGIN { this->u = "abc"; i = -1; this->u[i] = 1; }
BEGIN { this->u = "abc"; this->u = NULL; this->u[0] = 1; }
BEGIN { g = NULL; g[0] = 1; }
BEGIN { printf("%d", self->q[0]); }
BEGIN { this->v = execname; this->v[1] = 'D'; printf("%s %s\n", this->v, execname); }
BEGIN { g = "Globa"; g[0] = 'Z'; @[g] = count(); printf("%s\n", g); h = g; g[0] = 'Y'; printf("%s %s\n", g, h); }
BEGIN { exit(0); }
