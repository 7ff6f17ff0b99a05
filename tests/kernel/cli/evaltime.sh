# SPDX-License-Identifier: GPL-2.0-or-later
# -x evaltime: which of a command's calls are traced: those of its exec and its dynamic linker, of a library's
# constructor (getsid), of its own constructor (getppid), of main() (getpgid).
need cc strip
. "$here/lib/cli.lib"
cd "$tmp" || exit 1

cat >lib.c <<'END'
#include <unistd.h>
__attribute__((constructor)) static void early(void) { getsid(0); }
END
cat >prog.c <<'END'
#include <unistd.h>
__attribute__((constructor)) static void early(void) { getppid(); getppid(); }
int main(void) { getpgid(0); getpgid(0); getpgid(0); return 0; }
END
linked=(-Wl,--no-as-needed ./lib.so)
cc -shared -fPIC -o lib.so lib.c && cc -pie -fPIE -o pie prog.c "${linked[@]}" && cc -no-pie -o fixed prog.c "${linked[@]}" &&
	strip -o stripped pie && cc -static -o static prog.c && strip -o bare static || skip "cannot build programs"

traced() { # PROGRAM EVALTIME: sets OUT, sorted
	run -qn 'syscall::getsid:entry, syscall::getppid:entry, syscall::getpgid:entry, syscall::execve:entry /pid == $target/ { @[probefunc] = count(); }
		END { printa("%s %@d\n", @); }' ${2:+-x evaltime="$2"} -c "./$1"
	OUT=$(sort <<<"$OUT" | tr '\n' ' ')
	expect_eq "$STATUS" 0 "$*: $ERR"
}

for p in pie fixed stripped; do
	traced "$p" exec
	expect_eq "$OUT" "execve 1 getpgid 3 getppid 2 getsid 1 " "$p exec"
	traced "$p" preinit
	expect_eq "$OUT $ERR" "getpgid 3 getppid 2 getsid 1  " "$p preinit"
	for e in postinit main ""; do
		traced "$p" $e
		expect_eq "$OUT $ERR" "getpgid 3  " "$p $e"
	done
done
traced static exec
expect_eq "$OUT" "execve 1 getpgid 3 getppid 2 " "static exec"
traced static preinit
expect_eq "$OUT $ERR" "getpgid 3 getppid 2  " "static preinit"
traced static postinit
expect_eq "$OUT $ERR" "getpgid 3  " "static postinit"

# A static program without symbols: from its entry on, and dwire says so.
for e in postinit main ""; do
	traced bare $e
	expect_match "$OUT $ERR" '^getpgid 3 getppid 2  .*bare is traced from its entry on: its main\(\) cannot be found$' "bare $e"
done

# A command that another debugger follows is traced from its exec on.
if command -v strace >/dev/null; then
	OUT=$(strace -f -e trace=none -o /dev/null "$dwire" -qn 'syscall::execve:entry /pid == $target/ { @ = count(); } END { printa("%@d", @); }' -c ./pie 2>err)
	expect_match "$OUT $(<err)" '^1 dwire: ./pie is traced from its exec on: ' "a command that strace follows"
fi

# The command runs on as it would: no breakpoint is left.
run -qn 'END { }' -c './pie'
expect_eq "$STATUS $ERR" "0 " "a command that nobody looks at"

# Functions of the program, before main() and from it on.
run -q -x evaltime=preinit -n 'pid$target:a.out:early:entry, pid$target:a.out:main:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c ./fixed
expect_eq "$(sort <<<"$OUT" | tr '\n' ' ')" "early 1 main 1 " "functions from preinit on: $ERR"
run -qn 'pid$target:a.out:early:entry, pid$target:a.out:main:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c ./fixed
expect_eq "$(sort <<<"$OUT" | tr '\n' ' ')" "main 1 " "functions: $ERR"
