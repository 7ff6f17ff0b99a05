# SPDX-License-Identifier: GPL-2.0-or-later
# A trace that reads symbols ends within half a second of SIGINT, though the file system never answers.
. "$here/lib/cli.lib"
need python3
[ -c /dev/fuse ] || skip "needs /dev/fuse"

cat >slowfs.py <<-'END'
	# A file system of one file whose content never comes: slowfs.py DIR mounts it there and serves DIR/slow.so, until a
	# signal. The protocol: linux/fuse.h, version 7.31.
	import ctypes, os, stat, struct, sys

	libc = ctypes.CDLL(None, use_errno=True)
	dev = os.open("/dev/fuse", os.O_RDWR)
	options = f"fd={dev},rootmode=40000,user_id=0,group_id=0,allow_other"
	if libc.mount(b"slow", sys.argv[1].encode(), b"fuse", 6, options.encode()):
	    sys.exit(77)

	LOOKUP, GETATTR, OPEN, READ, FLUSH, RELEASE, INIT, OPENDIR = 1, 3, 14, 15, 25, 18, 26, 27

	def attr(ino):
	    mode, size = (stat.S_IFDIR | 0o755, 0) if ino == 1 else (stat.S_IFREG | 0o755, 1 << 20)
	    return struct.pack("<QQQQQQIIIIIIIIII", ino, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

	def answer(unique, body=b"", error=0):
	    os.write(dev, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)

	while True:
	    msg = os.read(dev, 1 << 20)
	    _, op, unique, ino = struct.unpack_from("<IIQQ", msg)
	    if op == INIT:
	        answer(unique, struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 0, 16, 12, 65536, 1, 16, 0, 0) + bytes(24))
	    elif op == LOOKUP:
	        answer(unique, struct.pack("<QQQQII", 2, 0, 3600, 3600, 0, 0) + attr(2))
	    elif op == GETATTR:
	        answer(unique, struct.pack("<QII", 3600, 0, 0) + attr(ino))
	    elif op in (OPEN, OPENDIR):
	        answer(unique, struct.pack("<QII", 1, 0, 0))
	    elif op == 17: # STATFS
	        answer(unique, bytes(80))
	    elif op in (FLUSH, RELEASE):
	        answer(unique)
	    elif op == READ:
	        print("read", flush=True)
	    elif op not in (2, 36, 42): # FORGET, INTERRUPT, BATCH_FORGET have no answer
	        answer(unique, error=38)
END
cat >maps.py <<-'END'
	# Maps the file as code and calls munmap(2) with addresses in it and no length, which changes nothing.
	import ctypes, os, sys, time

	libc = ctypes.CDLL(None)
	libc.mmap.restype = ctypes.c_void_p
	libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
	libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
	at = libc.mmap(None, 65536, 5, 2, os.open(sys.argv[1], os.O_RDONLY), 0)
	for i in range(4000):
	    libc.munmap(at + 16 * i, 0)
	    time.sleep(0.02)
END
until_true() { # COMMAND…: at most 10 s
	local i
	for ((i = 0; i < 500; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.02
	done
	fail "never: $*"
}
now_ms() { # without a process
	local t=$EPOCHREALTIME
	printf '%s' $((${t/./} / 1000))
}

mounted_or_over() { grep -qs " $PWD/dir fuse" /proc/mounts || [ ! -d /proc/$fs ]; }

mkdir dir
python3 slowfs.py dir >log &
fs=$!
until_true mounted_or_over
[ -d /proc/$fs ] || skip "cannot mount a FUSE file system"
python3 maps.py dir/slow.so &
mapper=$!
until_true grep -qs slow.so /proc/$mapper/maps
umount -l dir # those who serve the file and map it keep it; it goes with them
"$dwire" -qn "syscall::munmap:entry /pid == $mapper && arg1 == 0/ { usym(arg0); }" >out 2>err &
tracer=$!
until_true grep -qs read log
sleep 0.2
began=$(now_ms)
kill -INT $tracer
for ((i = 0; i < 500; i++)); do
	grep -qs '^State:[[:space:]]*[^Z]' /proc/$tracer/status || break
	sleep 0.01
done
took=$(($(now_ms) - began))
expect_le $took 500 "ms from SIGINT to the end"
kill $fs
wait $tracer
expect_eq "$? $(<err)" "0 dwire: warning: the functions of /slow.so are shown as addresses: the trace ends" "the end"
