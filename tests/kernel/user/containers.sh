# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Programs that exist only in another mount namespace or root: their functions, USDT probes and names in stacks. A
# different file has the same path here; files are deleted; processes have ended.
need cc unshare mount
. "$here/lib/user.lib"
cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -o "$tmp/inside" "$user_prog" 2>/dev/null || skip "cannot build programs"
raw_getppid >"$tmp/call.c"
cat >>"$tmp/call.c" <<'C'
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
static __attribute__((noinline)) long ask(void)
{
	volatile char room[32] = "";
	long r;
	RAW_GETPPID(r);
	return r + room[3];
}
__attribute__((noinline)) long NAME(int n) { return ask() + n; }
int main(int argc, char **argv)
{
	if (argc == 2)
		puts("ready"), fflush(stdout), getchar();
	for (int i = 0; i < 7; i++)
		NAME(i);
	if (argc > 2)
		usleep(400000);
	return 0;
}
C
build() { gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -DNAME="$1" -o "$2" "$tmp/call.c"; }
cd "$tmp" || exit 1
build in_container call_in && build on_host call_host || skip "cannot build programs"
# A folder "app" that is a file system of its own in there; on the host it has another program of that name.
mkdir app root root/app root/proc
cp call_host app/prog
cat >enter <<'SH'
#!/bin/bash
mount -t tmpfs none app && cp call_in app/prog && cp inside app/inside && exec "$@"
SH
chmod +x enter
mount_ns=(unshare -m --propagation private ./enter)
"${mount_ns[@]}" true || skip "no mount namespaces here"
[ -e app/inside ] && fail "the mount is seen outside"

gone() { # ends the last that was started
	kill "$pid" 2>/dev/null
	exec 8>&-
	wait "$pid" 2>/dev/null
}

frames='syscall::getppid:entry /pid == $target/ { @[ustack(3)] = count(); @c[ufunc(ucaller)] = count(); @m[umod(ucaller)] = count(); }
	END { printa("%k%@d\n", @); printa("caller %A %@d\n", @c); printa("mod %A\n", @m); }'
expect_frames() { # OBJECT FUNCTION WHAT
	local got
	got=$(sed -n 's/^ *\(.*`[a-z_]*\)+0x[0-9a-f]*$/\1/p' <<<"$OUT" | tr '\n' ' ')
	expect_eq "$got" "$1\`ask $1\`$2 $1\`main " "$3: frames: $OUT $ERR"
	grep -qx "caller $1\`$2 7" <<<"$OUT" || fail "$3: ucaller: $OUT"
	grep -qx "mod $1" <<<"$OUT" || fail "$3: umod: $OUT"
}

# Names in its stacks come from its own file, not from that of the same path here.
start "${mount_ns[@]}" app/prog wait
traced "${lets_go[@]}" -n "$frames" -p "$pid"
expect_frames prog in_container "another mount namespace"
gone

# Its functions, by name: of the process, and of all processes by the file in its root.
start "${mount_ns[@]}" app/inside 41 wait
traced "${lets_go[@]}" -n "pid$pid:a.out:add_all:entry, pid$pid:a.out:text_length:return { @[probemod, probefunc, probename] = count(); }
	userprog$pid:::query-* { @u[probemod, probename] = count(); }
	END { printa(\"%s %s %s %@d\\n\", @); printa(\"%s %s %@d\\n\", @u); }" -p "$pid"
expect_eq "$(sort <<<"$OUT")" "inside add_all entry 41
inside query-done 41
inside query-start 41
inside text_length return 41" "functions and probes of a program in another mount namespace: $ERR"
gone

start "${mount_ns[@]}" app/inside 17 wait
cat >later <<SH
echo >go
while kill -0 $pid 2>/dev/null; do sleep 0.02; done
SH
traced -n "pid*:/proc/$pid/root$tmp/app/inside:add_all:entry { @[probefunc, pid == $pid] = count(); }
	END { printa(\"%s %d %@d\n\", @); }" -c 'bash later'
expect_eq "$OUT" "add_all 1 17" "every process, by a file in another's root: $ERR"
gone

# -c: a process that enters its namespace while it is traced, and ends. What ran here meanwhile has the other name.
cat >both <<'SH'
#!/bin/bash
app/prog
unshare -m --propagation private ./enter app/prog stay a_moment
app/prog
unshare -m --propagation private ./enter bash -c 'app/prog; app/prog; sleep 0.4'
SH
chmod +x both
traced -n 'syscall::getppid:entry /execname == "prog" && progenyof($target)/
	{ @[ufunc(ucaller)] = count(); } END { printa("%A %@d\n", @); }' -c ./both
expect_eq "$(sort <<<"$OUT" | sed '/^$/d')" 'prog`in_container 21
prog`on_host 14' "programs of one path, in several namespaces, which have ended: $ERR"

# Another root, which has nothing of ours.
cp inside root/app/inside
gcc -O1 -g -static -fno-omit-frame-pointer -fno-optimize-sibling-calls -DNAME=in_root -o root/app/prog call.c || fail "static"
start chroot root /app/prog wait
traced "${lets_go[@]}" -n "$frames" -p "$pid"
expect_frames prog in_root "another root"
gone
start chroot root /app/inside 23 wait
traced "${lets_go[@]}" -n "pid$pid:a.out:add_all:entry, userprog$pid:::query-done { @[probefunc] = count(); } END { printa(\"%s %@d\\n\", @); }" -p "$pid"
expect_eq "$(sort <<<"$OUT")" "add_all 23
query 23" "another root: $ERR"
gone

# An overlay: the file that is mapped has another device and number than what stat() says.
mkdir lower upper work merged
cp call_in lower/prog
if mount -t tmpfs none upper 2>/dev/null && mkdir upper/u upper/w &&
	mount -t overlay -o "lowerdir=lower,upperdir=upper/u,workdir=upper/w" none merged 2>/dev/null; then
	start merged/prog wait
	traced "${lets_go[@]}" -n "$frames" -p "$pid"
	expect_frames prog in_container "overlay"
	gone
	start merged/prog wait
	traced "${lets_go[@]}" -n "pid$pid:a.out:in_container:entry { @ = count(); } END { printa(\"%@d\\n\", @); }" -p "$pid"
	expect_eq "$OUT" 7 "overlay: functions: $ERR"
	gone
	umount merged
fi
umount upper 2>/dev/null

# A program that was deleted, then replaced by another.
cp call_in doomed
start ./doomed wait
rm doomed
cp call_host doomed
traced "${lets_go[@]}" -n "$frames" -p "$pid"
expect_frames doomed in_container "deleted and replaced"
gone
