/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sock: sockets of every family as processes use them, through system calls and io_uring. The end of a call is seen
 * in the process that makes it. A connection that completes later, and a full buffer, are seen in an interrupt and
 * reported with the socket's owner. Measured on Linux 6.18. System calls of 32-bit programs have other numbers and
 * are left out. */
#include "prov/net/functions.h"
#include "prov/provider.h"

/* Conditions over P (struct dw_sk). foreign: the call is one of a 32-bit program, whose numbers differ. */
#define CALL(name) "P->nr == __nr_" name " && P->foreign == 0"
#define A_SOCKET " && P->sk != 0"
#define URING(opcode) "P->op == " opcode
/* clang-format off */
#define SYSCALLS(...) (const char *const[]){ __VA_ARGS__, NULL }
/* io_uring_complete has three arguments in newer kernels and more in older ones: one of the two sites attaches. */
#define URING_SITES(cond, text) \
	{ TP("io_uring_complete", 3, "dw_uring"), .fewer = 4, .when = cond, .optional = true, .sees = text }, \
	{ TP("io_uring_complete", 4, "dw_uring_res"), .when = cond, .optional = true, .sees = text }
/* clang-format on */
#define SK "(uint64_t)P->sk"
/* connect(2) on a nonblocking descriptor: it reports a connection that is still under way, or a result that was
 * reported before. The end of the handshake is seen elsewhere. */
#define TOLD_LATER                                                                                                   \
	"(dw_sk_later[" SK "] && (P->err == 0 || P->err == DW_EINPROGRESS || P->err == DW_EALREADY || P->err == "    \
	"DW_EISCONN || P->err == DW_ECONNREFUSED || P->err == DW_ETIMEDOUT || P->err == DW_ECONNRESET || P->err == " \
	"DW_ECONNABORTED))"

/* connect(2) itself takes the socket back, as without a free port: its end reports why. */
#define FAILS_AT_ONCE "(P->err == DW_ECANCELED && P->nr == __nr_connect)"

/* TCP: the bytes of this call, and perhaps the FIN, are all that was read of the connection. */
#define NOTHING_READ_BEFORE                                                                                        \
	"P->sk->sk_protocol == DW_IPPROTO_TCP && P->sk->sk_type == DW_SOCK_STREAM && P->bytes > 0 && (P->flags & " \
	"DW_MSG_PEEK) == 0 &&"                                                                                     \
	" ((struct tcp_sock *)P->sk)->bytes_received -"                                                            \
	" (uint32_t)(((struct tcp_sock *)P->sk)->rcv_nxt - ((struct tcp_sock *)P->sk)->copied_seq) - P->bytes <= 1"

/* args[0] and args[1] of all probes. */
#define SOCKET "sockinfo_t *", "csinfo_t *"
static const char *const args[] = { SOCKET, NULL };
static const char *const res_args[] = { SOCKET, "sockres_t *", NULL };
static const char *const full_args[] = { SOCKET, "sockfull_t *", NULL };
static const char *const fds_args[] = { SOCKET, "sockfds_t *", NULL };

/* socketpair() makes two sockets in one call: a site for each. */
static const struct site create_sites[] = {
	{ TP("sys_exit", 2, "dw_sknew"), .calls = SYSCALLS("socket"), .when = CALL("socket"), .sees = "socket()" },
	{ TP("sys_exit", 2, "dw_skfirst"), .calls = SYSCALLS("socketpair"), .when = CALL("socketpair"),
		.sees = "socketpair(), the first one" },
	{ TP("sys_exit", 2, "dw_sksecond"), .calls = SYSCALLS("socketpair"),
		.when = CALL("socketpair") " && P->err == 0", .sees = "socketpair(), the second one" },
	URING_SITES(URING("DW_IORING_OP_SOCKET"), "io_uring"),
};
static const struct site bind_sites[] = {
	{ TP("sys_exit", 2, "dw_skexit"), .calls = SYSCALLS("bind"), .when = CALL("bind") A_SOCKET, .sees = "bind()" },
	URING_SITES(URING("DW_IORING_OP_BIND") A_SOCKET, "io_uring"),
};
static const struct site listen_sites[] = {
	{ TP("sys_exit", 2, "dw_skexit"), .calls = SYSCALLS("listen"), .when = CALL("listen") A_SOCKET,
		.sees = "listen()" },
	URING_SITES(URING("DW_IORING_OP_LISTEN") A_SOCKET, "io_uring"),
};
/* io_uring and sendto() with MSG_FASTOPEN make no connect(2): their start is the step to SYN_SENT. */
static const struct site connect_start_sites[] = {
	{ TP("sys_enter", 2, "dw_skenter"), .calls = SYSCALLS("connect"),
		.when = CALL("connect") A_SOCKET " && dw_sa_family[P->raddr] != 0 && !dw_sk_begun[" SK "]",
		.sees = "connect(), but not one that ends a connection (AF_UNSPEC) or asks how far it is" },
	{ TP("inet_sock_set_state", 3, "dw_skbegins"),
		.when = "P->oldstate == DW_TCP_CLOSE && P->state == DW_TCP_SYN_SENT && P->nr != __nr_connect && "
			"dw_sk_file[" SK "]",
		.sees = "TCP connections opened by io_uring or sendto()" },
};
/* A blocking connect(2) is done when it returns. A nonblocking one is done when the handshake ends, in an
 * interrupt. */
static const struct site connect_done_sites[] = {
	{ TP("sys_exit", 2, "dw_skexit"), .calls = SYSCALLS("connect"),
		.when = CALL("connect") A_SOCKET " && !" TOLD_LATER " && dw_sa_family[P->raddr] != 0",
		.sees = "the end of connect() that waits, or fails at once" },
	{ TP("inet_sock_set_state", 3, "dw_skstate"),
		.when = "P->oldstate == DW_TCP_SYN_SENT && (P->state == DW_TCP_ESTABLISHED || P->state == "
			"DW_TCP_CLOSE) && dw_sk_nonblock[" SK "] && !" FAILS_AT_ONCE,
		.sees = "the end of the handshake, of connect() that does not wait" },
	URING_SITES(URING("DW_IORING_OP_CONNECT") A_SOCKET " && !dw_sk_nonblock[" SK "]", "io_uring"),
};
static const struct site connect_return_sites[] = {
	{ TP("sys_exit", 2, "dw_skexit"), .calls = SYSCALLS("connect"),
		.when = CALL("connect") A_SOCKET " && dw_sa_family[P->raddr] != 0", .sees = "the end of connect()" },
};
static const struct site accept_sites[] = {
	{ TP("sys_exit", 2, "dw_sknew"), .calls = SYSCALLS("accept", "accept4"),
		.when = "(P->nr == __nr_accept || P->nr == __nr_accept4) && P->foreign == 0" A_SOCKET,
		.sees = "accept()" },
	URING_SITES(
		URING("DW_IORING_OP_ACCEPT") A_SOCKET, "io_uring, but not what one request accepts again and again"),
};
static const struct site send_sites[] = {
	{ TP("sock_send_length", 3, "dw_skio"), .sees = "every call that sends, however it is made" },
	FUNC_END("__sock_sendmsg", 2, "dw_skfsend", .sees = "calls that send"),
};
/* splice() from TCP and UNIX sockets bypasses the function through which all other calls receive. */
#define SPLICE                                                                                       \
	CALL("splice")                                                                               \
	A_SOCKET " && P->sk->sk_type == DW_SOCK_STREAM && (P->sk->sk_protocol == DW_IPPROTO_TCP || " \
		 "P->sk->__sk_common.skc_family == DW_AF_UNIX)"
static const struct site receive_sites[] = {
	{ TP("sock_recv_length", 3, "dw_skio"), .sees = "every call that receives, however it is made" },
	{ TP("sys_exit", 2, "dw_sksplice"), .calls = SYSCALLS("splice"), .when = SPLICE,
		.sees = "splice() from a stream" },
	FUNC_END("sock_recvmsg", 3, "dw_skfrecv", .sees = "calls that receive"),
};
static const struct site first_byte_sites[] = {
	{ TP("sock_recv_length", 3, "dw_skio"), .when = NOTHING_READ_BEFORE,
		.sees = "of TCP: the call that reads the connection's first byte" },
	{ TP("sys_exit", 2, "dw_sksplice"), .calls = SYSCALLS("splice"), .when = SPLICE " && " NOTHING_READ_BEFORE,
		.sees = "of TCP: splice() of it" },
	FUNC_END("sock_recvmsg", 3, "dw_skfrecv", .when = NOTHING_READ_BEFORE,
		.sees = "of TCP: the call that reads the connection's first byte"),
};
/* The cgroup hook sees Internet sockets only; close(2) serves the others. */
static const struct site close_sites[] = {
	{ .attach = ATTACH_CGROUP_RELEASE,
		.native = "dw_skrelease",
		.sees = "the end of an Internet socket's last descriptor, by close(), exit or another way" },
	{ TP("sys_enter", 2, "dw_skenter"), .calls = SYSCALLS("close"),
		.when = CALL("close") A_SOCKET
		" && P->sk->__sk_common.skc_family != DW_AF_INET &&"
		" P->sk->__sk_common.skc_family != DW_AF_INET6 && dw_file_last[dw_fd_file[P->fd]]",
		.sees = "close() of the last descriptor of any other socket" },
	FUNC_SITE("sock_close", 2, "dw_skfclose", .when = "P->sk != 0",
		.sees = "the end of a socket's last descriptor, by close(), exit or another way"),
};
/* UDP has tracepoints of its protocol: sock_rcvqueue_full does not fire there. The third argument came with Linux
 * 6.10. */
static const struct site full_sites[] = {
	{ TP("sock_rcvqueue_full", 2, "dw_skqueue"), .sees = "what is dropped because the receive buffer is full" },
	{ TP("udp_fail_queue_rcv_skb", 3, "dw_skdatagram"), .when = "P->rc == -DW_ENOMEM", .optional = true,
		.sees = "the same of UDP" },
	{ TP("udp_fail_queue_rcv_skb", 2, "dw_skdatagram0"), .fewer = 3, .when = "P->rc == -DW_ENOMEM",
		.optional = true, .sees = "the same of UDP, before Linux 6.10" },
	{ TP("sock_exceed_buf_limit", 4, "dw_sklimit"), .sees = "the limit of a protocol's memory" },
};
static const struct site passed_sites[] = {
	{ TP("sys_exit", 2, "dw_skexit"), .calls = SYSCALLS("sendmsg", "recvmsg"),
		.when = "(P->nr == __nr_sendmsg || P->nr == __nr_recvmsg) && P->foreign == 0 && P->err == 0 &&"
			" P->sk != 0 && P->sk->__sk_common.skc_family == DW_AF_UNIX && P->rights != 0",
		.sees = "sendmsg() and recvmsg() with SCM_RIGHTS, first or second in the control data" },
};

static const struct probe_def probes[] = {
	{ "accept-done", res_args, TABLE(accept_sites),
		"accept() has ended: args[0] is the new socket, or the listener where it failed" },
	{ "bind", res_args, TABLE(bind_sites), "a socket has been bound to an address, or could not be" },
	{ "buffer-full", full_args, TABLE(full_sites), "a socket's buffer, or its protocol's memory, is full" },
	{ "close", args, TABLE(close_sites), "a socket's last descriptor is closed" },
	{ "connect-done", res_args, TABLE(connect_done_sites),
		"a connection has been made, or failed, whether the process waited for it or not" },
	{ "connect-return", res_args, TABLE(connect_return_sites),
		"connect() comes back, whether the connection is made, has failed, or goes on" },
	{ "connect-start", args, TABLE(connect_start_sites), "a process begins to connect a socket" },
	{ "create", res_args, TABLE(create_sites), "a process has made a socket, or could not" },
	{ "fd-passed", fds_args, TABLE(passed_sites), "a process has sent or received file descriptors" },
	{ "first-byte", res_args, TABLE(first_byte_sites), "a process reads the first byte of a connection" },
	{ "listen", res_args, TABLE(listen_sites), "a process listens for connections, or could not" },
	{ "receive", res_args, TABLE(receive_sites), "a call that receives has ended" },
	{ "send", res_args, TABLE(send_sites), "a call that sends has ended" },
};

const struct provider sock_provider = { PROVIDER("sock", "dw_sk", probes) };
