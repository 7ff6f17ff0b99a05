# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Lookups of names with a slow name server in its own namespace: each is seen once, with its name, result and time.
# gethostlatency prints them.
netns_new dns
mkdir "$tmp/etc"
printf 'nameserver 127.0.0.1\noptions timeout:3 attempts:1\n' >"$tmp/etc/resolv.conf"
printf '127.0.0.1 localhost\n10.1.2.3 known.example\n' >"$tmp/etc/hosts"
printf 'hosts: files dns\n' >"$tmp/etc/nsswitch.conf"
cat >"$tmp/lookups" <<END
#!/bin/bash
for f in "$tmp"/etc/*; do
	mount --bind "\$f" "/etc/\${f##*/}" || exit 1
done
exec resolve "\$@"
END
chmod +x "$tmp/lookups"

# dwire prints a line for each lookup that the trigger reports. The times differ by at most a millisecond and a tenth. In
# a slow machine something else may run between the end of the library's call and the trigger's reading of the clock.
most=1000
! slow_machine || most=100000
compare() { # WHAT, LINES as "FUNC NAME FAILED US" on stdin
	sed -n 's/^lookup_[0-9]*=//p' "$tmp/trigger" | sort -k 1,3 -k 4n >"$tmp/said"
	sort -k 1,3 -k 4n >"$tmp/seen"
	expect_eq "$(cut -d' ' -f1-3 "$tmp/seen")" "$(cut -d' ' -f1-3 "$tmp/said")" "$1: lookups"
	local off
	off=$(paste -d' ' "$tmp/seen" "$tmp/said" | awk -v most=$most '{ d = $8 - $4; if (d < -10 || d > most + $8 / 10) print }')
	expect_eq "$off" "" "$1: times: seen, then said"
}

trace_in "$NETNS" '
resolver:::lookup-start /args[0]->cs_netns == '"$NETNS_ID"'/ { starts++; }
resolver:::lookup-done /args[0]->cs_netns == '"$NETNS_ID"'/ {
	printf("%s %s %d %d\n", args[1]->lkp_func, args[1]->lkp_host, args[1]->lkp_result != 0, args[1]->lkp_latency / 1000);
	whose[args[0]->cs_pid, args[0]->cs_execname] = 1;
	@pid[args[0]->cs_pid, args[0]->cs_execname] = count();
	@err[args[1]->lkp_func == "getaddrinfo" ? args[1]->lkp_result : 0, args[1]->lkp_error] = count();
}
END { printf("starts %d\n", starts); printa("by %d %s %@d\n", @pid); printa("error %d %s %@d\n", @err); }
' "$tmp/lookups" -n 2 -m 4 -d 60
compare resolver < <(grep -v '^starts\|^by\|^error\|^$' <<<"$OUT")
expect_eq "$(value_of lookups)" 34 "lookups of the trigger"
expect_match "$OUT" "starts 34" "lookup-start"
expect_match "$OUT" "by $(value_of pid) resolve 34" "the process"
expect_match "$OUT" "error -2 name or service not known 2" "getaddrinfo's error"
expect_match "$OUT" "error 0 not found 8" "the others' errors"
expect_eq "$(total_failed=$(value_of failed); echo "$total_failed")" 10 "failed lookups"

# Only ends asked for: the calls are noted all the same.
trace_in "$NETNS" 'resolver:::lookup-done /args[0]->cs_netns == '"$NETNS_ID"' && args[1]->lkp_latency >= 70000000/
	{ @[args[1]->lkp_host] = count(); } END { printa("%s %@d\n", @); }' "$tmp/lookups" -d 80
expect_eq "$(sort <<<"$OUT")" "none.example 5
slow.example 5" "slow lookups"

# Literal addresses are not lookups, nor what is to be no name.
cat >"$tmp/literal.py" <<'END'
import ctypes
c = ctypes.CDLL(None)
hints = (ctypes.c_int * 12)(4) # AI_NUMERICHOST
for name in b"127.0.0.1", b"::1", b"fe80::1%lo", b"0x7f.1", b"10.1.2.3", b"2130706433":
    found = ctypes.c_void_p()
    c.getaddrinfo(name, None, None, ctypes.byref(found))
    c.gethostbyname(name)
    c.gethostbyname2(name, 2)
c.getaddrinfo(b"known.example", None, hints, ctypes.byref(ctypes.c_void_p()))
for name in b"known.example", b"10.1.2.3.example", b"256.1.1.1":
    c.getaddrinfo(name, None, None, ctypes.byref(ctypes.c_void_p()))
END
printf '#!/bin/bash\nfor f in "%s"/etc/*; do mount --bind "$f" "/etc/${f##*/}"; done\nexec python3 "$@"\n' "$tmp" >"$tmp/python"
chmod +x "$tmp/python"
trace_in "$NETNS" 'resolver::: /args[0]->cs_netns == '"$NETNS_ID"'/ { @[args[1]->lkp_host, probename] = count(); }
	END { printa("%s %s %@d\n", @); }' "$tmp/python" "$tmp/literal.py"
expect_eq "$(grep . <<<"$OUT" | sort)" "10.1.2.3.example lookup-done 1
10.1.2.3.example lookup-start 1
256.1.1.1 lookup-done 1
256.1.1.1 lookup-start 1
known.example lookup-done 1
known.example lookup-start 1" "literal addresses"

# The tool.
tool() {
	command_file ip netns exec "$NETNS" "$tmp/lookups" -n 1 -d 80
	OUT=$("$dwire" gethostlatency --netns "$NETNS" --everyone --command "$tmp/cmd" "$@" 2>"$tmp/err") || fail "gethostlatency: $(<"$tmp/err")"
}
tool
expect_eq "$(sed -n 2p <<<"$OUT")" "TIME     PID    COMM                  LATms HOST" "heading"
expect_eq "$(tail -n +3 <<<"$OUT" | awk '{ print $2, $3, $5 }' | sort | uniq -c | awk '{ print $1, $2, $3, $4 }')" \
	"5 $(value_of pid) resolve known.example
5 $(value_of pid) resolve none.example
5 $(value_of pid) resolve slow.example" "rows"
expect_eq "$(tail -n +3 <<<"$OUT" | grep -cv '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9] [0-9]* *resolve *[0-9]*\.[0-9][0-9] [a-z.]*$')" 0 "form"
tool -e -x -m 70
expect_eq "$(tail -n +3 <<<"$OUT" | awk '{ print $5, $NF }' | sort)" "getaddrinfo none.example
gethostbyname none.example
gethostbyname2 none.example
gethostbyname2_r none.example
gethostbyname_r none.example" "failed ones"
tool -p 1
expect_eq "$(wc -l <<<"$OUT")" 2 "nothing of another process"

# Another C library, that no process had mapped when the trace began.
if command -v musl-gcc >/dev/null; then
	cat >"$tmp/musl.c" <<-'END'
		#include <netdb.h>
		int main(void)
		{
			struct addrinfo *r = 0;
			return getaddrinfo("localhost", 0, 0, &r) | !getaddrinfo("no.such.invalid", 0, 0, &r);
		}
	END
	musl-gcc -o "$tmp/musl" "$tmp/musl.c" || fail "musl-gcc"
	trace_in "$NETNS" 'resolver:::lookup-done /args[0]->cs_execname == "musl"/ {
		printf("%s %s %d\n", args[1]->lkp_func, args[1]->lkp_host, args[1]->lkp_result < 0); }' "$tmp/musl"
	expect_eq "$(grep . <<<"$OUT")" "getaddrinfo localhost 0
getaddrinfo no.such.invalid 1" "musl"
fi

# One file with two names, each of which is a C library's: both are mapped, and a lookup is seen once.
c=$(ldd "$(command -v getent)" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
if [ -n "$c" ]; then
	mkdir "$tmp/names"
	cp -L "$c" "$tmp/names/libc.so.6" && ln "$tmp/names/libc.so.6" "$tmp/names/libc.so" || fail "no copy of libc"
	cat >"$tmp/mapped.py" <<'END'
import mmap, subprocess, sys
files = [open(f, "rb") for f in sys.argv[1:3]]
keep = [mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC) for f in files]
sys.exit(subprocess.call(sys.argv[3:]))
END
	printf '#!/bin/bash\nLD_LIBRARY_PATH=%s exec getent ahosts localhost\n' "$tmp/names" >"$tmp/one"
	chmod +x "$tmp/one"
	OUT=$(python3 "$tmp/mapped.py" "$tmp/names/libc.so.6" "$tmp/names/libc.so" \
		"$dwire" -qn 'resolver::: /pid == $target/ { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c "$tmp/one" 2>&1)
	expect_eq "$(grep ^lookup <<<"$OUT" | sort)" "lookup-done 1
lookup-start 1" "a library with two names: $OUT"
fi
