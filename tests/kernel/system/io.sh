# SPDX-License-Identifier: GPL-2.0-or-later
# io: requests of known number and size, with their disk; the file of requests through the page cache.
need dd findmnt python3
disk=$(findmnt -no SOURCE -T "$tmp")
[ -b "$disk" ] || skip "no disk under $tmp"
dd if=/dev/zero of="$tmp/probe" bs=4096 count=1 oflag=direct 2>/dev/null || skip "no direct I/O under $tmp"
# By a name of its own: others run dd too.
dd=$tmp/dd_$$
cp "$(type -P dd)" "$dd"
number=$(printf '%d %d' "0x$(stat -Lc %t "$disk")" "0x$(stat -Lc %T "$disk")")

d='io:::start /execname == "'"${dd##*/}"'" && (args[0]->b_flags & B_WRITE) != 0/ { t[arg0] = timestamp;
	@["start", args[1]->dev_major, args[1]->dev_minor, args[0]->b_edev == (args[1]->dev_major << 20 | args[1]->dev_minor)] = count();
	@bytes = sum(args[0]->b_bcount); }
io:::done /t[arg0]/ { @["done", args[0]->b_error, args[0]->b_resid, timestamp > t[arg0]] = count(); t[arg0] = 0; }
END { printa("%s %d %d %d %@d\n", @); printa("bytes %@d\n", @bytes); }'
trace_with "$d" "$dd" if=/dev/zero of="$tmp/data" bs=12288 count=17 oflag=direct
n=$(awk '/^start/ { print $5 }' <<<"$OUT") # a block may lie in two places of the disk
expect_ge "$n" 17 "requests"
expect_eq "$(grep ^start <<<"$OUT")" "start $number 1 $n" "requests that begin"
# an interrupt may end a request of another's while one is looked at on the same CPU: that is reported
missed=$(sed -n 's/^dwire: \([0-9]*\) probe firings\? missed in io.*done (recursion)$/\1/p' <<<"$ERR")
done=$(awk '/^done 0 0 1 / { print $5 }' <<<"$OUT")
expect_le "$done" "$n" "requests that end"
expect_ge "$done" $((n - ${missed:-0})) "requests that end, but those that were missed: $ERR"
bytes=$(awk '/^bytes/ { print $2 }' <<<"$OUT") # a block that tells where others lie may be written meanwhile
expect_ge "$bytes" $((17 * 12288)) "bytes"
expect_le "$bytes" $((18 * 12288)) "bytes"

# Direct writes wait for the disk, unless it has done them before the thread looks; what is shown is the request that
# the thread has made last. The kernel counts how often the writer gave up its CPU.
cat >"$tmp/write.py" <<'END'
import mmap, os, resource, sys
def waits(): return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
open("/proc/self/comm", "w").write(sys.argv[1])
data = mmap.mmap(-1, 12288, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
file = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
waited = 0
for i in range(17):
    before = waits()
    os.write(file, data)
    waited += waits() - before
print(f"waited={waited}")
END
writer=writer_$$
w='execname == "'$writer'" && args[0]->b_bcount == 12288 && (args[0]->b_flags & B_WRITE) != 0'
trace_with "io:::wait-start, io:::wait-done /$w/ {"' @[probename, args[1]->dev_major, args[1]->dev_minor, args[0]->b_edev != 0,
	args[2]->fi_name] = count(); }
io:::wait-start /'"$w"'/ { self->t = timestamp; b[args[0]->b_blkno] = 1; } io:::wait-done /self->t/ { @ns = min(timestamp - self->t); self->t = 0; }
END { printa("%s %d %d %d %s %@d\n", @); printa("ns %@d\n", @ns); }' python3 "$tmp/write.py" $writer "$tmp/data"
n=$(awk '/^wait-start/ { print $6 }' <<<"$OUT")
expect_eq "$(grep ^wait- <<<"$OUT" | sort)" "wait-done $number 1 <none> $n
wait-start $number 1 <none> $n" "waits"
expect_le "$n" "$(value_of waited)" "waits, of those that the kernel counts"
expect_ge "$n" "$(($(value_of waited) - 2))" "waits, of those that the kernel counts"
expect_ge "$(awk '/^ns/ { print $2 }' <<<"$OUT")" 1 "time waited"

# Pages that are not in the cache are read and waited for: the file is known.
trace_with 'io:::wait-start, io:::wait-done /execname == "'"${dd##*/}"'" && args[2]->fi_name == "data"/ {
	@[probename, args[2]->fi_pathname, args[2]->fi_fs, args[0]->b_flags & B_READ] = count(); }
END { printa("%s %s %s %d %@d\n", @); }' "$dd" if="$tmp/data" of=/dev/null bs=12288
for p in wait-start wait-done; do
	n=$(awk -v k="$p $tmp/data $(findmnt -no FSTYPE -T "$tmp") 64" 'index($0, k " ") == 1 { print $5 }' <<<"$OUT")
	expect_ge "${n:-0}" 1 "$p of pages of the file"
done

# written from the cache, by the process that asks for it
rm -f "$tmp/cached"
trace_with 'io:::start /execname == "'"${dd##*/}"'"/ { @[args[2]->fi_pathname, args[2]->fi_name, args[2]->fi_fs] = sum(args[0]->b_bcount); }
END { printa("%s %s %s %@d\n", @); }' "$dd" if=/dev/zero of="$tmp/cached" bs=65536 count=2 conv=fsync
expect_match "$OUT" "$tmp/cached cached $(findmnt -no FSTYPE -T "$tmp") 131072" "the file of a request"
