# SPDX-License-Identifier: GPL-2.0-or-later
# vminfo: pages that are touched, copied and read, against the trigger's numbers and the kernel's (getrusage).
need dd findmnt
[ "$(uname -m)" = x86_64 ] || skip "faults are seen on x86_64 only"
d='vminfo:::zfod, vminfo:::as_fault, vminfo:::cow_fault, vminfo:::maj_fault, vminfo:::fspgin, vminfo:::pgin
	/pid == $target || progenyof($target)/ { @[probename, pid == $target] = sum(arg0); }
vminfo:::pgpgin /pid == $target/ { @n["pgpgin"] = sum(arg0); @n["bad"] = sum(arg1); }
END { printa("%s %d %@d\n", @); printa("%s 2 %@d\n", @n); }'
n() { awk -v k="$1" -v own="$2" '$1 == k && $2 == own { s += $3 } END { print s + 0 }' <<<"$OUT"; }
trace_with "$d" pages -n 1000 -k 700
z=$(n zfod 1) a=$(n as_fault 1) c=$(n cow_fault 0)
trace_with "$d" pages -n 3000 -k 1700
# The rest of the program is the same both times, but for what depends on where its memory lies.
expect_ge "$(($(n zfod 1) - z))" 1990 "zeroed pages"
expect_le "$(($(n zfod 1) - z))" 2015 "zeroed pages"
expect_ge "$(($(n as_fault 1) - a))" 1990 "faults on pages that are not there"
expect_le "$(($(n as_fault 1) - a))" 2015 "faults on pages that are not there"
expect_ge "$(($(n cow_fault 0) - c))" 990 "copies"
expect_le "$(($(n cow_fault 0) - c))" 1010 "copies"
# A file's pages, one request each.
[ -b "$(findmnt -no SOURCE -T "$tmp")" ] || skip "no disk under $tmp"
dd if=/dev/zero of="$tmp/data" bs=4096 count=50 conv=fsync 2>/dev/null
cat "$triggers/pages" >/dev/null # so that the program itself is in the cache
trace_with "$d" pages -n 1 -f "$tmp/data"
m=$(value_of majflt)
expect_ge "$m" 1 "major faults: the trigger's own count"
expect_ge "$(n maj_fault 1)" "$m" "major faults"
expect_le "$(n maj_fault 1)" "$((m + 5))" "major faults"
expect_ge "$(n fspgin 1)" 50 "pages of files"
expect_eq "$(n pgpgin 2)" "$(n fspgin 1)" "pages"
expect_ge "$(n pgin 1)" "$m" "requests"
expect_eq "$(n bad 2)" 0 "arg1"
