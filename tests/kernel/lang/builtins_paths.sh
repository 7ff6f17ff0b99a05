# SPDX-License-Identifier: GPL-2.0-or-later
# Working directory, root and arguments of a process: as the shell and /proc show them.
cat >t.d <<'D'
BEGIN
{
	printf("%s\n%s\n%s\n%s\n", cwd, root, execargs, curpsinfo->pr_psargs);
	printf("%s\n", d_path(&curthread->mm->exe_file->f_path));
	printf("%d %d %d\n", cwd == $$1, cwd != $$1, cwd > "/");
}
BEGIN { here[cwd]++; @[cwd] = count(); this->c = cwd; there = cwd; exit(0); }
END { printf("%d %s", here[$$1], there); printa("%s %@d\n", @); }
D
look() { # FOLDER: what is printed when dwire runs there
	local args=(-q -x strsize=400 -s "$tmp/t.d" "$1" 'a b' '')
	(cd "$1" && exec "$dwire" "${args[@]}" -x argref=1) >out 2>err || fail "in $1: dwire returned $?: $(<err)"
	local line="$dwire ${args[*]} -x argref=1"
	mapfile -t got <out
	expect_eq "${got[0]}" "$1" "cwd"
	expect_eq "${got[1]}" / "root"
	expect_eq "${got[2]}" "${line:0:255}" "execargs"
	# Where it is cut, a blank between two arguments may be the last.
	expect_eq "$(sed 's/ *$//' <<<"${got[3]}")" "$(sed 's/ *$//' <<<"${line:0:79}")" "pr_psargs"
	expect_eq "${got[4]}" "$(readlink -f "$dwire")" "the program's path"
	expect_eq "${got[5]}" "1 0 $([[ $1 > / ]] && echo 1 || echo 0)" "comparisons"
	expect_eq "${got[6]}" "1 $1$1 1" "as a key, in variables"
}
long=$tmp/$(printf 'x%.0s' {1..100})/$(printf 'y%.0s' {1..100})
mkdir -p "$tmp/a folder/b/c" "$long"
for d in / /proc /dev/shm "$tmp/a folder/b/c" "$long"; do look "$(cd "$d" && pwd -P)"; done
