# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A program that burns CPU time in a known function: profile-* finds the function and its callers.
trace_with '
profile-199 /pid == $target && arg1/ {
	@f[ufunc(arg1)] = count(); @m[umod(arg1)] = count(); @s[ustack(3)] = count(); @c[usym(ucaller)] = count();
	@d = min(ustackdepth);
	@plain[arg1] = count();
	last = arg1;
	n++;
}
profile-199 /pid == $target && n == 60 && arg1/ { printf("%A\n%k", arg1, ustack(2)); ustack(1); n++; }
END { printa("f %A %@d\n", @f); printa("m %A %@d\n", @m); printa("s%k%@d\n", @s); printa("c %A %@d\n", @c); printa("d %@d\n", @d);
	printf("END %A\n", last); printa("plain %A\n", @plain); }
' burn -m 700
[ "$(grep -c '^f burn`burn_inner ' out)" = 1 ] || fail "most of the time is in burn_inner: $OUT"
expect_ge "$(sed -n 's/^f burn`burn_inner //p' out)" 30 "samples in burn_inner"
expect_ge "$(sed -n 's/^m burn //p' out)" 30 "samples in the program"
expect_match "$(sed -n 's/^d //p' out)" '^[1-9]' "ustackdepth"
grep -q '^burn`burn_inner+0x[0-9a-f]*$' out || fail "%A: $OUT"
# Three frames: burn_inner, burn_outer, main; each with its distance. %k is not indented, a statement is.
grep -q '^ \{14\}burn`burn_inner+0x[0-9a-f]*$' out || fail "no stack: $OUT"
grep -A 2 '^burn`burn_inner+0x[0-9a-f]*$' out >frames || fail "no stack: $OUT"
grep -q '^burn`burn_outer+0x[0-9a-f]*$' frames || fail "no caller: $(<frames)"
grep -q '^burn`main+0x[0-9a-f]*$' frames || fail "no main: $(<frames)"
# A plain number is an address of $target, whichever process the probe fires in.
grep -q '^END burn`burn_inner+0x[0-9a-f]*$' out || fail "%A in END: $(grep ^END out)"
grep -q '^plain burn`burn_inner+0x[0-9a-f]*$' out || fail "%A of a key: $(grep ^plain out)"
expect_ge "$(sed -n 's/^c burn`burn_outer //p' out)" 30 "ucaller"
