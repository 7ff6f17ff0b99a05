# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Scripts in the style of the well-known toolkits, with their idioms: options as inlines that ?: folds, predicates that
# read what their own clause sets, times as differences of 64-bit globals, pointers kept in self->. The loads are known.
need dd cc findmnt
cd "$tmp" || exit 1
. "$here/lib/user.lib"

# rwtop: bytes that a command reads and writes, by file, in rows and as totals.
cat >rw.d <<'D'
#!/usr/sbin/dwire -s
#pragma D option quiet
#pragma D option switchrate=10hz
inline int OPT_count = 0;
inline int OPT_pid = 1;
inline int OPT_name = 0;
inline string NAME = ".";
inline int PID = $target;

dtrace:::BEGIN
{
	start = 0;
	reads = 0;
	writes = 0;
	OPT_count ? printf("%10s %s\n", "COUNT", "NAME") : printf("%10s %s\n", "BYTES", "NAME");
	start = timestamp;
}

syscall::read:entry,
syscall::write:entry
/(OPT_name == 1 && NAME == execname) || (OPT_pid == 1 && PID == pid)/
{
	self->ok = 1;
	self->fd = arg0;
}

syscall::read:return,
syscall::write:return
/self->ok && arg0 > 0 && fds[self->fd].fi_name == "zero"/
{
	probefunc == "read" ? (reads += arg0) : (writes += arg0);
	OPT_count ? @total["zero"] = count() : 1;
	OPT_count ? 1 : (@total["zero"] = sum(arg0));
}

syscall::read:return,
syscall::write:return
/self->ok && arg0 > 0 && fds[self->fd].fi_name == "copy"/
{
	probefunc == "read" ? (reads += arg0) : (writes += arg0);
	OPT_count ? 1 : (@total["copy"] = sum(arg0));
}

syscall::read:return,
syscall::write:return
{
	self->ok = 0;
	self->fd = 0;
}

dtrace:::END
{
	printa("%@10d %s\n", @total);
	printf("reads %d writes %d\n", reads, writes);
	printf("%s\n", (timestamp - start) / 1000000 < 60000 ? "soon" : "late");
}
D
"$dwire" -s rw.d -c "dd if=/dev/zero of=$tmp/copy bs=70000 count=300 status=none" >out 2>err || fail "rwtop: $(<err)"
expect_eq "$(<out)" "     BYTES NAME
  21000000 copy
  21000000 zero
reads 21000000 writes 21000000
soon" "rwtop: $(<err)"

# procsystime: calls, and their times, which add up to more than 32 bits.
cat >sys.d <<'D'
#pragma D option quiet
inline int COUNTS = 1;
inline int ELAPSED = 1;
inline int CPU = 0;

self int ts;

syscall:::entry
/pid == $target && execname == "calls"/
{
	COUNTS ? @num[probefunc] = count() : 1;
	(ELAPSED || CPU) ? self->ts = timestamp : 1;
	CPU ? self->vts = nosuchvariable : 1;
}

syscall:::return
/self->ts/
{
	this->elapsed = timestamp - self->ts;
	ELAPSED ? @elapsed[probefunc] = sum(this->elapsed * 1000) : 1;
	@least[probefunc] = min(this->elapsed);
	self->ts = 0;
}

dtrace:::END
{
	COUNTS ? printa("count %s %@d\n", @num) : 1;
	ELAPSED ? printa("elapsed %s %@d\n", @elapsed) : 1;
	printa("least %s %@d\n", @least);
}
D
command_file "$triggers/calls" -n 400
"$dwire" -s sys.d -c "$tmp/cmd" >out 2>err || fail "procsystime: $(<err)"
for f in getppid getpgid; do
	n=$(value_of $f)
	expect_eq "$(awk -v f=$f '$1 == "count" && $2 == f { print $3 }' out)" "$n" "procsystime: $f"
	least=$(awk -v f=$f '$1 == "least" && $2 == f { print $3 }' out)
	expect_ge "$(awk -v f=$f '$1 == "elapsed" && $2 == f { print $3 }' out)" $((n * least * 1000)) "procsystime: time of $f"
	expect_ge "$least" 20 "procsystime: the least time of $f"
done

# dapptrace: functions of a program with their depth, elapsed times and counts.
cc -O1 -o app "$user_prog" || skip "cannot build a program"
cat >app.d <<'D'
#pragma D option quiet
inline int OPT_elapsed = 1;
inline int OPT_counts = 1;
inline int OPT_printid = 0;
inline int OPT_relative = 0;

dtrace:::BEGIN
{
	OPT_printid ? printf("%-8s  ", "PID/LWP") : 1;
	OPT_elapsed ? printf("%8s  ", "ELAPSD") : 1;
	printf("CALL\n");
}

pid$target:a.out:add_all:entry,
pid$target:a.out:text_length:entry
/self->depth < 100/
{
	self->depth++;
	self->start[self->depth] = timestamp;
	self->arg0 = arg0;
	n[probefunc]++;
}

pid$target:a.out:add_all:return,
pid$target:a.out:text_length:return
/self->start[self->depth]/
{
	this->elapsed = timestamp - self->start[self->depth];
	self->start[self->depth] = 0;
	self->depth -= 1;
	OPT_relative ? printf("%d ", nosuch) : 1;
	this->elapsed > 0 && this->elapsed < 10000000000 ? good++ : bad++;
	OPT_counts ? @Counts[probefunc] = count() : 1;
	OPT_elapsed ? @Elapsed = sum(this->elapsed) : 1;
}

dtrace:::END
{
	OPT_counts ? printa("%s %@d\n", @Counts) : 1;
	OPT_elapsed ? printa("elapsed %@d\n", @Elapsed) : 1;
	printf("good %d bad %d depth %d\n", good, bad, self->depth);
}
D
"$dwire" -s app.d -c './app 700' >out 2>err || fail "dapptrace: $(<err)"
expect_eq "$(grep -vi elaps out)" "add_all 700
text_length 700
good 1400 bad 0 depth 0" "dapptrace: $(<err)"

# so1stbyte: from connect() to the first byte of the answer, by process; the server waits.
cat >first.d <<'D'
#pragma D option quiet
inline int OPT_quantize = 0;

syscall::connect:entry
/execname == "dw_client"/
{
	self->connected = timestamp;
	self->name = arg1;
}

syscall::recvfrom:entry, syscall::read:entry
/self->connected && !self->reading/
{
	self->reading = 1;
	self->buf = 1;
	self->buf = arg1;
}

syscall::recvfrom:return, syscall::read:return
/self->reading && arg0 > 0/
{
	this->us = (timestamp - self->connected) / 1000;
	OPT_quantize ? @q[execname] = quantize(this->us) : 1;
	@first = count();
	@least = min(this->us);
	@kept = max(self->buf > 0xffffffff);
	self->connected = 0;
	self->reading = 0;
	self->buf = 0;
}

dtrace:::END
{
	printa("first %@d\n", @first);
	printa("least %@d\n", @least);
	printa("whole %@d\n", @kept);
}
D
command_file "$triggers/tcp_echo" -4 -n 3 -d 60 -q
"$dwire" -s first.d -c "$tmp/cmd" >out 2>err || fail "so1stbyte: $(<err)"
expect_eq "$(awk '/^first/ { print $2 }' out)" "$(value_of client_connections)" "so1stbyte: $(<err)"
expect_ge "$(awk '/^least/ { print $2 }' out)" 60000 "so1stbyte: the least time, in us"
expect_eq "$(awk '/^whole/ { print $2 }' out)" 1 "so1stbyte: an address that is kept whole"

# tcptop with mib: totals of a namespace's counters beside bytes of its connections.
cat >top.d <<'D'
#pragma D option quiet
inline int SECS = 1;

dtrace:::BEGIN { TCP_out = 0; TCP_in = 0; secs = SECS; sent = 0; }

mib:::tcpOutDataBytes /args[1]->cs_netns == $1/ { TCP_out += args[0]; }
mib:::tcpInDataInorderBytes, mib:::tcpInDataUnorderBytes /args[1]->cs_netns == $1/ { TCP_in += args[0]; }

tcp:::send
/execname != "" && args[1]->cs_netns == $1 && (this->bytes = args[2]->ip_plength - args[4]->tcp_offset) > 0/
{
	@out[args[3]->tcps_lport < args[3]->tcps_rport ? args[3]->tcps_lport : args[3]->tcps_rport] = sum(this->bytes);
	sent += this->bytes;
}

profile:::tick-1sec /secs > 0/ { secs--; }

dtrace:::END
{
	printf("in %d out %d sent %d scaled %d\n", TCP_in, TCP_out, sent, sent * 1024 / 1024);
	printa("%d %@d\n", @out);
}
D
netns_new top
command_file ip netns exec "$NETNS" "$triggers/tcp_echo" -4 -n 2 -c 40 -k 50000
"$dwire" -s top.d -c "$tmp/cmd" "$NETNS_ID" >out 2>err || fail "tcptop: $(<err)"
both=$(($(value_of client_bytes_out) + $(value_of server_bytes_out)))
read -r _ in _ to _ sent _ scaled <out
expect_eq "$sent" "$both" "tcptop: bytes that segments carry"
expect_eq "$scaled" "$sent" "tcptop: a product of more than 32 bits"
expect_eq "$to" "$both" "tcptop: mib's bytes out"
expect_eq "$in" "$both" "tcptop: mib's bytes in"
expect_eq "$(awk 'NR > 1 { n += $2 } END { print n }' out)" "$sent" "tcptop: the rows"

# iosnoop: each request with its size and time, where there is a disk that is written without a cache.
disk=$(findmnt -no SOURCE -T "$tmp")
[ -b "$disk" ] && dd if=/dev/zero of="$tmp/probe" bs=4096 count=1 oflag=direct 2>/dev/null || exit 0
cat >io.d <<'D'
#pragma D option quiet
inline int OPT_time = 0;
inline int OPT_dtime = 1;
inline int FILTER = 1;
inline string NAME = "dd";

io:::start
/!FILTER || execname == NAME/
{
	start_time[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	start_name[args[0]->b_edev, args[0]->b_blkno] = execname;
	started++;
	asked += args[0]->b_flags & B_READ ? 0 : args[0]->b_bcount;
}

io:::done
/start_time[args[0]->b_edev, args[0]->b_blkno]/
{
	this->start = start_time[args[0]->b_edev, args[0]->b_blkno];
	this->delta = (timestamp - this->start) / 1000;
	OPT_time ? printf("%d ", walltimestamp / 1000) : 1;
	OPT_dtime ? printf("%s ", this->delta >= 0 && this->delta < 10000000 ? "ok" : "wrong") : 1;
	printf("%s %s %d\n", start_name[args[0]->b_edev, args[0]->b_blkno], args[0]->b_flags & B_READ ? "R" : "W", args[0]->b_bcount);
	start_time[args[0]->b_edev, args[0]->b_blkno] = 0;
	start_name[args[0]->b_edev, args[0]->b_blkno] = 0;
}

dtrace:::END
{
	printf("started %d asked %d\n", started, asked);
}
D
"$dwire" -s io.d -c "dd if=/dev/zero of=$tmp/direct bs=16384 count=23 oflag=direct status=none" >out 2>err || fail "iosnoop: $(<err)"
read -r _ started _ asked <<<"$(grep ^started out)"
expect_ge "$started" 23 "iosnoop: requests"
expect_ge "$asked" $((23 * 16384)) "iosnoop: bytes"
expect_le "$asked" $((24 * 16384)) "iosnoop: bytes, and a block of the file system"
expect_eq "$(grep -c '^wrong' out)" 0 "iosnoop: times"
missed=$(sed -n 's/^dwire: \([0-9]*\) probe firings\? missed in io.*done (recursion)$/\1/p' err)
expect_ge "$(grep -c '^ok dd W' out)" $((started - ${missed:-0})) "iosnoop: rows"
