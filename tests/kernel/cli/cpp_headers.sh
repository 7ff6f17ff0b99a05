# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# -C with headers of the system: their types and constants are defined, their functions are skipped.
cat >s.d <<'D'
#include <sys/types.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <errno.h>
#include <fcntl.h>
struct sockaddr_in name;
FILE *stream;
BEGIN
{
	name.sin_port = 80;
	printf("%d %d %d %d\n", sizeof(struct sockaddr_in), name.sin_port, SOCK_DGRAM, sizeof(size_t));
	printf("%d %d %d %d\n", ENOENT, SIGKILL, O_CREAT, S_IFREG);
	exit(0);
}
D
got=$("$dwire" -q -C -s s.d 2>err) || fail "dwire returned $?: $(head -c 300 err)"
expect_eq "$got" $'16 80 2 8\n2 9 64 32768' "types and constants of headers"
# What the script says itself is not changed, and its lines keep their numbers.
cat >e.d <<'D'
#include <stdio.h>
int f(int x) { return x; }
D
"$dwire" -C -e -s e.d >out 2>err
expect_eq $? 1 "status of a function in a script"
expect_match "$(<err)" '^e.d:2:.*D_SYNTAX' "where a function in a script is"
for h in unistd time math pthread netdb dirent poll sys/mman sys/wait net/if arpa/inet netinet/tcp linux/tcp linux/ip; do
	printf '#include <%s.h>\nBEGIN { exit(0); }\n' "$h" >h.d
	"$dwire" -C -e -s h.d >out 2>err || fail "$h.h: $(head -c 300 err)"
done
# What only GNU C has in them: members of no bytes, enumerators that are wider than an int, and enums of such.
cat >s.d <<'E'
#include <linux/bpf.h>
#include <linux/in.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
BEGIN
{
	printf("%d %d %d\n", BPF_MAP_TYPE_HASH, IPPROTO_TCP, sizeof(struct sockaddr_in));
	printf("%x %x %d %d\n", BPF_F_INDEX_MASK, EPOLLET, EPOLLET > 0, sizeof(enum EPOLL_EVENTS));
	printf("%d %s\n", SYS_close_range, (enum EPOLL_EVENTS)0x80000000);
	exit(0);
}
E
got=$("$dwire" -q -C -s s.d 2>err) || fail "dwire returned $?: $(head -c 300 err)"
expect_eq "$got" "1 6 16
ffffffff 80000000 1 4
436 EPOLLET" "headers of Linux"
echo 'enum wide { W = 0xffffffff }; BEGIN { exit(0); }' >e.d
"$dwire" -C -e -s e.d >out 2>err
expect_match "$(<err)" 'D_DECL_ENOFLOW' "an enumerator of the script's own"
