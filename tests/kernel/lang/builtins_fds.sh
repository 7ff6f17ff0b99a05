# SPDX-License-Identifier: GPL-2.0-or-later
# Open files of the process: as the shell opened them.
mkdir -p "$tmp/dir"
printf 'five\n' >"$tmp/dir/in"
cat >t.d <<'D'
BEGIN
{
	printf("%s|%s|%s|%d|%x\n", fds[7].fi_name, fds[7].fi_dirname, fds[7].fi_pathname, fds[7].fi_offset,
	    fds[7].fi_oflags & O_ACCMODE);
	this->n = 8;
	printf("%s|%x\n", fds[this->n].fi_pathname, fds[this->n].fi_oflags & (O_ACCMODE | O_APPEND));
	printf("%s|%s|%s|%s\n", fds[9].fi_name, fds[9].fi_fs, fds[9].fi_mount, fds[9].fi_pathname);
	printf("%s|%s|%s|%d|%d\n", fds[-1].fi_name, fds[900].fi_pathname, fds[1000000].fi_dirname, fds[-1].fi_oflags,
	    fds[900].fi_offset);
	printf("%s|%s|%s|%s\n", fds[10].fi_fs, fds[10].fi_pathname, fds[10].fi_dirname, fds[10].fi_mount);
	printf("%d %d\n", fds[7].fi_name == "in", fds[9].fi_fs == "proc");
	exit(0);
}
D
{
	read -r -N 3 _ <&7
	"$dwire" -q -s t.d >out 2>err 10< <(:) || fail "dwire returned $?: $(<err)"
} 7<"$tmp/dir/in" 8>>"$tmp/dir/out" 9</proc/version
mapfile -t got <out
here=$(cd "$tmp" && pwd -P)
expect_match "${got[0]}" "^in\|$here/dir\|$here/dir/in\|[0-5]\|0\$" "a file"
expect_eq "${got[1]}" "$here/dir/out|401" "a file that is appended to"
expect_eq "${got[2]}" "version|proc|/proc|/proc/version" "a file of a mounted file system"
expect_eq "${got[3]}" "<none>|<none>|<none>|0|0" "no such file"
expect_match "${got[4]}" '^pipefs\|<unknown>\|<unknown>\|' "a pipe"
expect_eq "${got[5]}" "1 1" "comparisons"
