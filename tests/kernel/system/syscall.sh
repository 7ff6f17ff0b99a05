# SPDX-License-Identifier: GPL-2.0-or-later
# syscall: counts, arguments, values and errno of known calls; names by globs and aliases; clauses on different sets
# of calls share a program; 32-bit calls; messages for wrong names.
. "$here/lib/cli.lib"
under=()

trace_with '
syscall:::entry /execname == "calls"/ { @all[probefunc] = count(); }
syscall::getpp*:entry, syscall::getpgid:entry /execname == "calls"/ { @some[probefunc, probename, probemod, probeprov] = count(); }
syscall::getppid:return /execname == "calls"/ { @parent[arg0 == ppid, arg0 == arg1, errno] = count(); }
syscall::write:entry /execname == "calls" && arg0 == -1/ { self->len = arg2 + 1; self->args = args[2] + 1; }
syscall::write:return /self->len/ { @fail[(int)arg0, errno, self->len == self->args, execname] = count(); self->len = 0; }
syscall::read:entry /execname == "calls"/ { self->in = timestamp; self->v = vtimestamp; self->u = uid; }
syscall::read:return /self->in/ { @ok[timestamp > self->in, vtimestamp >= self->v, errno] = count(); @bytes = sum(arg0);
	self->in = 0; }
syscall::openat:entry /execname == "calls"/ { self->o = arg1; }
syscall::exit_group:entry /execname == "calls"/ { @end[tid == pid, arg0] = count(); }
syscall::exit_group:return /execname == "calls"/ { @never = count(); }
END {
	printa("all %s %@d\n", @all); printa("some %s %s %s %s %@d\n", @some); printa("parent %d %d %d %@d\n", @parent);
	printa("fail %d %d %d %s %@d\n", @fail); printa("ok %d %d %d %@d\n", @ok); printa("bytes %@d\n", @bytes);
	printa("end %d %d %@d\n", @end); printa("never %@d\n", @never);
}' calls -n 40 -i 30
getppid=$(value_of getppid) getpgid=$(value_of getpgid)
said() { expect_eq "$(grep "^$1" <<<"$OUT")" "$2" "$1"; }
said 'all getppid' "all getppid $getppid"
said 'all getpgid' "all getpgid $getpgid"
said some "some getpgid entry vmlinux syscall $getpgid
some getppid entry vmlinux syscall $getppid"
said parent "parent 1 1 0 $getppid"
said fail "fail -1 9 1 calls $(value_of write_failed)"
expect_eq "$(awk '/^ok 1 1 0/ { print $5 }' <<<"$OUT")" "$(awk '/^all read / { print $3 }' <<<"$OUT")" "reads"
expect_ge "$(awk '/^bytes/ { print $2 }' <<<"$OUT")" "$(value_of read_bytes)" "bytes read"
said end "end 1 0 1"
said never ""
said 'all writev' ""
# What is called by int 0x80 is the same call, by its 32-bit number (20), and can be distinguished.
if [ "$(uname -m)" = x86_64 ] && [ "$(value_of int80)" = 30 ]; then
	OUT=$("$dwire" -q -n 'syscall::getpid:entry, syscall::writev:entry /pid == $target && syscall32/ { @[probefunc] = count(); }
		syscall::getpid:return /pid == $target && syscall32 && (arg0 != pid || errno)/ { @["bad"] = count(); }
		END { printa("%s %@d\n", @); }' -c "calls -n 40 -i 30" 2>/dev/null | grep -v = | sed '/^$/d')
	expect_eq "$OUT" "getpid 30" "32-bit calls"
fi

# Arguments of 32 bits: int keeps its sign, uid_t has none, and other bits of the register do not count. A clause on one
# call, on several with the same type, and on all.
trace_with '
syscall::kill:entry /pid == $target/ { @["kill", arg0, (int64_t)args[0], arg1] = count(); }
syscall::fchown:entry /pid == $target/ { @["fchown", arg0, (int64_t)args[1], arg2] = count(); }
syscall::fchown:entry, syscall::kill:entry /pid == $target && arg0 < 0/ { @["both", arg0, 0, 0] = count(); }
syscall:::entry /pid == $target && (arg0 == -20424 || arg1 == 0xffffffff) && probefunc != "geteuid" && probefunc != "getgid" &&
    probefunc != "getegid"/ { /* at the start of a program, with what the registers still had */
	 @[probefunc, arg0, arg1, 0] = count(); }
END { printa("%s %d %d %d %@d\n", @); }' calls -r 3 -n 0
expect_eq "$(grep -v = <<<"$OUT" | sort)" "both -1 0 0 3
both -20424 0 0 3
fchown -1 4294967295 0 3
fchown -1 4294967295 4294967295 3
kill -20424 -20424 0 3
kill -20424 0 0 3" "arguments of 32 bits"

# a clause on all and one on each of many calls, more than a word of bits holds: one program, right membership
d='syscall:::entry /pid == $target/ { @n["all"] = count(); }'
for i in {a..z}; do
	for k in '' e; do
		d+="syscall::$i*$k*:entry /pid == \$target/ { @n[\"$i*$k\"] = count(); }"
	done
done
dwire_opts=(-Zq)
trace_with "$d"' syscall:::entry /pid == $target/ { @[probefunc] = count(); } END { printa("n %s %@d\n", @n);
	printa("f %s %@d\n", @); }' calls -n 30
sum=$(awk '$1 == "f" { s += $3 } END { print s }' <<<"$OUT")
expect_eq "$(awk '$1 == "n" && $2 == "all" { print $3 }' <<<"$OUT")" "$sum" "all calls"
for i in {a..z}; do
	expect_eq "$(awk -v p="^$i" '$1 == "f" && $2 ~ p { s += $3 } END { print s + 0 }' <<<"$OUT")" \
		"$(awk -v n="$i*" '$1 == "n" && $2 == n { s = $3 } END { print s + 0 }' <<<"$OUT")" "calls $i*"
	expect_eq "$(awk -v p="^$i.*e" '$1 == "f" && $2 ~ p { s += $3 } END { print s + 0 }' <<<"$OUT")" \
		"$(awk -v n="$i*e" '$1 == "n" && $2 == n { s = $3 } END { print s + 0 }' <<<"$OUT")" "calls $i*e*"
done

# the heads of lines, ids
dwire_opts=()
trace_with 'syscall::getpgid:,syscall::getppid: /pid == $target/ { trace(id); }' calls -n 2
ids=$("$dwire" -l -n syscall::getpgid: -n syscall::getppid: | awk 'NR > 1 { print $1, $4 ":" $5, $1 }')
expect_eq "$(awk 'NR > 1 && NF { print $2, $3, $4 }' <<<"$OUT" | sort -u)" "$(sort -u <<<"$ids")" "heads of lines"
dwire_opts=(-q)

# names
listed() { "$dwire" -l -n "$1" | awk 'NR > 1 { print $4 ":" $5 }' | tr '\n' ' '; }
expect_eq "$(listed 'syscall::recvm*:entry')" "recvmsg:entry recvmmsg:entry " "a glob"
expect_eq "$(listed syscall::pread:return)" "pread64:return " "an alias"
run -n syscall::raed:entry
expect_match "$STATUS $ERR" '^1 .*D_PDESC_ZERO.*did you mean syscall::read:entry' "a wrong name"
run -n 'syscall::read:entry { trace(args[3]); }'
expect_match "$STATUS $ERR" '^1 .*D_ARGS_IDX' "read has three arguments"
expect_match "$("$dwire" -lv -n syscall::openat:entry | tr -d '\n\t')" 'args\[0\]: intargs\[1\]: char \*args\[2\]: intargs\[3\]: mode_t' \
	"types of arguments"

# What C libraries do not call any more has a hint, unless its successor is enabled too.
if [ "$(uname -m)" = x86_64 ]; then
	run -e -n 'syscall::open:entry { trace(copyinstr(arg0)); }'
	expect_match "$STATUS $ERR" '^0 .*warning: C libraries call openat\(\) in place of open\(\).*hint: enable syscall::openat too.*or use -x legacycalls' "open"
	run -e -x legacycalls -n 'syscall::open:entry { trace(copyinstr(arg0)); }'
	expect_eq "$STATUS $ERR" "0 " "open with legacycalls"
	for d in 'syscall::open*:entry' 'syscall::openat:entry, syscall::open:entry' 'syscall:::entry' 'syscall::read:'; do
		run -e -n "$d { n++; }"
		expect_eq "$STATUS $ERR" "0 " "$d: no hint"
	done
fi
