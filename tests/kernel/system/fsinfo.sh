# SPDX-License-Identifier: GPL-2.0-or-later
# fsinfo: each operation as often as the trigger does it, with the file and the bytes; failed calls are none.
need python3
cat >"$tmp/work" <<-'END'
	#!/usr/bin/env python3
	import ctypes, fcntl, mmap, os, struct, sys
	os.chdir(sys.argv[1])
	os.mkdir("d")
	fd = os.open("d/file", os.O_RDWR | os.O_CREAT, 0o600)
	for _ in range(7):
	    os.write(fd, bytes(1000))
	os.pwrite(fd, bytes(5), 0)
	os.lseek(fd, 0, 0)
	os.lseek(fd, 100, 0)
	for _ in range(3):
	    os.read(fd, 50)
	os.pread(fd, 11, 0)
	os.fsync(fd)
	os.fdatasync(fd)
	os.fchmod(fd, 0o640)
	os.ftruncate(fd, 5000)
	os.posix_fallocate(fd, 0, 6000)
	fcntl.flock(fd, fcntl.LOCK_EX)
	fcntl.flock(fd, fcntl.LOCK_UN)
	os.fstat(fd)
	mmap.mmap(fd, 4096)
	try:
	    os.lseek(fd, -1, 0)
	except OSError:
	    pass
	os.close(fd)
	for _ in range(4):
	    os.close(os.open("d/file", os.O_RDONLY))
	os.stat("d/file")
	os.access("d/file", os.R_OK)
	os.chmod("d/file", 0o600)
	os.link("d/file", "d/other")
	os.symlink("d/file", "d/soft")
	os.readlink("d/soft")
	os.rename("d/other", "d/third")
	for path in "d/third", "d/soft", "d/file":
	    os.unlink(path)
	for path in "d/none", "d/no":
	    try:
	        os.unlink(path)
	    except OSError:
	        pass
	d = os.open("d", os.O_RDONLY | os.O_DIRECTORY)
	os.listdir(d)
	os.close(d)
	# openat2() has its flags in the process's memory
	syscall = ctypes.CDLL(None).syscall
	for flags in os.O_RDWR | os.O_CREAT, os.O_RDONLY:
	    os.close(syscall(437, -100, b"d/second", struct.pack("QQQ", flags, 0o600 if flags & os.O_CREAT else 0, 0), 24))
	os.unlink("d/second")
	os.rmdir("d")
END
chmod +x "$tmp/work"
mkdir "$tmp/w"
trace_with 'fsinfo::: /pid == $target/ {
	printf("fs op=%s name=%s full=%d n=%d same=%d fs=%s\n", probename, args[0]->fi_name,
	    args[0]->fi_pathname == "'"$tmp"'/w/d/file", args[1], args[1] == arg1, args[0]->fi_fs); }' "$tmp/work" "$tmp/w"
# what is done with the file by its descriptor: operation, times, bytes. Python maps a copy of the descriptor, and closes it.
while read -r op times bytes; do
	ours="v[\"op\"] == \"$op\" && v[\"full\"]"
	expect_count "$ours" "$times" "$op of the open file"
	expect_total n "$ours" "$bytes" "bytes of $op"
done <<-'END'
	open 5 0
	create 1 0
	close 6 0
	read 4 161
	write 8 7005
	seek 2 0
	fsync 2 0
	setattr 2 0
	space 1 0
	frlock 2 0
	map 1 0
END
expect_ge "$(count 'v["op"] == "getattr" && v["full"]')" 1 "getattr by a descriptor"
expect_count 'v["op"] == "open" && v["name"] == "second"' 2 "open by openat2"
expect_count 'v["op"] == "create" && v["name"] == "second"' 1 "create by openat2"
# by a path, as the process gives it
while read -r op name times; do
	expect_count "v[\"op\"] == \"$op\" && v[\"name\"] == \"$name\" && !v[\"full\"] && v[\"fs\"] == \"<unknown>\"" "$times" "$op $name"
done <<-'END'
	getattr file 1
	access file 1
	setattr file 1
	link file 1
	symlink file 1
	readlink soft 1
	rename other 1
	remove third 1
	remove soft 1
	remove file 1
	remove none 0
	mkdir d 1
	rmdir d 1
END
expect_count 'v["op"] == "readdir" && v["name"] == "d" && v["n"] > 0' 1 "readdir"
expect_count '!v["same"]' 0 "arg1 and args[1]"
expect_count 'v["op"] == "read" && v["full"] && v["fs"] == "<none>"' 0 "the kind of file system"
for name in lookup getpage addmap poll fid; do
	"$dwire" -n "fsinfo:::$name { @ = count(); }" >/dev/null 2>"$tmp/err" && fail "$name is traced"
	expect_match "$(<"$tmp/err")" "does not match any probes: Linux|a call of poll" "$name"
done
