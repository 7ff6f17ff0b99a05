/* Strings: sizes of whole words and not, copies, comparisons, addresses among literals and names, conversions of printf. */
#pragma D option quiet
string gs; int gi; self string ss; string as[string, int]; int cnt[string];
BEGIN { /* strings */
	gs = "abc"; this->s = "12345678"; self->ss = "1234567890123456"; as["k", 1] = "123456789012345678901234";
	printf("[%s] [%s] [%s] [%s] [%s]\n", gs, this->s, self->ss, as["k", 1], as["k", 2]);
	this->t = this->s; this->s = "other"; printf("[%s] [%s]\n", this->t, this->s);
	printf("%d %d %d %d\n", this->t == "12345678", this->t == "1234567", this->t == "123456789", this->t != this->s);
	printf("%d %d %d\n", gs == "", as["nothing", 9] == "", "" == "");
	printf("%d%d%d%d%d%d\n", "a" < "b", "b" < "a", "a" <= "a", "abc" > "ab", "ab" >= "abc", "" < "a");
	printf("%d%d%d%d\n", execname == "dwire", execname != "dwire", execname == "dwir", execname < "e");
	as["k", 1] = ""; printf("[%s]\n", as["k", 1]);
	cnt["10.0.0.1"]++; cnt["10.0.0.1"]++; cnt["x"] += 5; this->a = "10.0.0.1";
	printf("%d %d %d\n", cnt["10.0.0.1"], cnt[this->a], cnt["x"]);
	this->a = pid ? "10.0.0.2" : execname; printf("%s %d\n", this->a, this->a == "10.0.0.2");
	this->b = pid == 0 ? "10.0.0.2" : execname; printf("%s %d\n", this->b, this->b == "dwire");
	this->c = pid ? "lit" : "10.0.0.9"; printf("%s %d %d\n", this->c, this->c == "lit", this->c == "10.0.0.9");
	this->c = pid ? "10.0.0.9" : "lit"; printf("%s %d %d %d\n", this->c, this->c == "lit", this->c == "10.0.0.9", this->c >= "10." && this->c < "11");
	printf("%%d %% [%5s] [%-5s] [%.2s] [%s]\n", "ab", "cd", "efgh", "per%cent");
	printf("%d %i %u %x %X %o %c %p %hd %ld %lld %hhx %5d|%-5d|%05d|%+d|% d|%#x|%#o\n", -1, -2, 3, 255, 255, 8, 65, 4096, (short)5, 6L, 7L, (char)8, 42, 42, 42, 42, 42, 255, 8);
	printf("%*d|%-*d|%.*s|\n", 6, 42, 6, 42, 2, "abcdef");
	printf("\x41\102\t|\\|\"|\a\n");
	printf("%d %d %d %d %d\n", 'a', '\n', '\x41', '\101', 0x1F + 010);
}
BEGIN { printf("%s\n", "" == gs ? "empty" : gs); gs = execname; printf("%s|\n", gs); gs = "abc"; printf("%s %d\n", gs, gs == "abc"); }
BEGIN / gs == "abc" / { printf("pred yes\n"); }
BEGIN / gs == "abd" / { printf("pred no\n"); }
BEGIN / this->t == "12345678" && (gi = 5) / { printf("gi %d\n", gi); }
BEGIN { printf("%s %s %s %s\n", probeprov, probemod, probefunc, probename); printf("%d %d %d\n", pid == tid, ppid > 0, uid + gid);
	printf("%d %d\n", timestamp == timestamp, walltimestamp > 1600000000000000000); this->v = vtimestamp; printf("%d %d %d\n", this->v > 0, cpu >= 0, errno);
}
BEGIN { @k["lit"] = count(); @k["10.0.0.1"] = count(); @k[execname] = count(); @k[""] = count(); @k["lit"] = count(); }
BEGIN { if (gi == 5) { printf("then\n"); } else { printf("else\n"); } if (gi == 6) { printf("then\n"); } else { gi = 9; printf("else %d\n", gi); } }
BEGIN { trace(1); trace("str"); trace(-5); trace((char)65); trace((uint64_t)-1); printf("\n"); }
BEGIN { printf("very long %s\n", "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"); }
BEGIN { exit(0); }
