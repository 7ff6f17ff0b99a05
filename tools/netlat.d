// SPDX-License-Identifier: GPL-2.0-or-later
/* netlat: where requests and answers spend their time, by stage.
 *
 * common: sockets interval
 * -H    hist = 0    a distribution for each stage
 * row: NO %2d SIDE %-6s WAY %-7s STAGE %-10s ROUNDS %@6d SUM_US %@10d P50_US %@8.50Q P99_US %@8.99Q
 * row: MAX_US %@8d
 * row hist: NO %d SIDE %s WAY %s STAGE %s ROUNDS[csv] - SUM_US[csv] - P50_US[csv] - P99_US[csv] -
 * row hist: MAX_US[csv] - USECS=us %@d
 */
#pragma D option dynvarsize=64m
#pragma D option aggsortkey
#pragma D option pathdata

inline int STEPS = hist ? 2 : 16;	/* of a distribution, from a time to its double */

/* A way: of a request, or of its answer. Times are in ns. A later segment of the same request takes the place of the
 * one before. */
struct way {
	uint64_t called;	/* its first send call began, or, where none is seen (io_uring), it left; 0: not yet */
	uint64_t left;		/* its segment left TCP */
	uint64_t window;	/* waits in TCP */
	uint64_t paced;
	uint64_t resent;
	uint64_t pacing;	/* since when its socket paces; 0: not now */
	uint64_t until;		/* ... and when it is to send */
	uint64_t ip;		/* parts of the way through the kernel */
	uint64_t queue;
	uint64_t driver;
	uint64_t receive;
	uint64_t at;		/* when that segment was seen last */
	uint64_t segment;	/* its identity */
	uint32_t first;		/* of a way: its first byte's sequence number */
	uint32_t start;		/* ... its first byte's sequence number, and that of the byte behind it */
	uint32_t end;
	int landed;		/* ... 1: it has come to its socket */
	int here;		/* 1: some segment of the way has */
	uint64_t queued;	/* its wait in the socket's queue */
	uint64_t waking;	/* ... for the reader to run */
	uint64_t reading;
	uint64_t done;		/* when it was read; 0: not yet */
};
inline int REQUEST = 0;
inline int ANSWER = 1;

struct round {
	struct way ways[2];
	int mine;		/* 1: the user wants it */
	int serves;		/* 1: who asks is on another host */
	uint64_t came;		/* when the other host's first segment came */
};

/* A round is known by the address of the socket that asks (that of the serving one, where the other is on another
 * host); a way by that address, of an answer plus 1. Elements are never freed, so that they are looked up once: sockets
 * use the memory of others again. */
struct round rounds[uint64_t];
uint64_t asker[uint64_t];	/* of a socket that serves: the one that asks */
uint64_t way[uint64_t];		/* of a packet's identity */
/* Of a buffer: when it left or, from another host, came; then its way, until it gets to a device. */
uint64_t buffers[uint64_t];
inline uint64_t OTHER = 2;	/* instead of a way: data that no round follows, not from another host */
inline int is_time[uint64_t word] = (int64_t)word > (int64_t)OTHER;	/* a way is an address of the kernel */
uint64_t woken[int];		/* of a thread: when it was woken */

dtrace:::BEGIN
{
	say("Tracing the stages of requests and answers on TCP connections. Ctrl-C ends.\n");
}

/* ---- what threads do -------------------------------------------------------------------------------------------- */

syscall::write:entry, syscall::writev:entry, syscall::sendto:entry, syscall::sendmsg:entry, syscall::sendmmsg:entry,
syscall::sendfile*:entry, syscall::splice:entry
{
	self->sending = timestamp;
}

syscall::write:return, syscall::writev:return, syscall::sendto:return, syscall::sendmsg:return, syscall::sendmmsg:return,
syscall::sendfile*:return, syscall::splice:return
{
	self->sending = 0;
}

syscall::read:entry, syscall::readv:entry, syscall::recvfrom:entry, syscall::recvmsg:entry, syscall::recvmmsg:entry
{
	self->receiving = timestamp;
}

sched:::wakeup
{
	woken[args[0]->pr_lwpid] = timestamp;
}

sched:::on-cpu
/ woken[tid] != 0 /
{
	self->woke = woken[tid];
	self->ran = timestamp;
	woken[tid] = 0;
}

/* ---- segments leave --------------------------------------------------------------------------------------------- */

/* Segments without data, which are of no way, are not followed (pathdata). */
path:::output
/ args[4]->path_payload /
{
	buffers[args[0]->pkt_buffer] = timestamp;
}

/* A process writes what TCP cannot send yet, or has sent. */
tcp:::write
/ self->sending != 0 /
{
	this->socket = arg0;
}

tcp:::pace
{
	this->socket = arg0;
}

tcp:::send
/ arg0 && args[2]->ip_plength > args[4]->tcp_offset /
{
	this->socket = arg0;
	this->again = args[3]->tcps_retransmit != 0;
	this->sends = 1;
	this->buffer = args[0]->pkt_buffer;
	this->left = is_time[buffers[this->buffer]] ? buffers[this->buffer] : timestamp;
	this->goes = 0;
}

tcp:::send, tcp:::write, tcp:::pace
/ this->socket /
{
	this->asks = args[3]->tcps_active;
	this->dir = this->asks ? REQUEST : ANSWER;
	this->with = this->asks ? 0 : asker[this->socket];
	this->round = this->asks || (this->with == 0 && rounds[this->socket].serves) ? this->socket : this->with;
}

tcp:::pace
/ this->round /
{
	rounds[this->round].ways[this->dir].pacing = timestamp;
	rounds[this->round].ways[this->dir].until = timestamp + args[5];
}

/* A request begins; or the answer, when the request has come. A call that began before is that of the answer before:
 * its process may come to its end late. The thread's call sends the segment if a call has the socket's lock: interrupts
 * send only where none has it. */
tcp:::send, tcp:::write
/ this->round && this->again == 0 && rounds[this->round].ways[this->dir].called == 0 /
{
	this->call = self->sending;
	this->own = probename == "write" || ((struct sock *)this->socket)->sk_lock.owned != 0;
	this->begins = this->asks ? probename == "send" || this->call > rounds[this->round].ways[ANSWER].done :
	    rounds[this->round].ways[REQUEST].called && rounds[this->round].ways[REQUEST].here &&
	    (this->call == 0 || this->call >= rounds[this->round].ways[REQUEST].at || this->own == 0);
}

tcp:::send, tcp:::write
/ this->begins /
{
	rounds[this->round].ways[this->dir].called = this->call != 0 && this->own ? this->call : this->left;
}

tcp:::send, tcp:::write
/ this->begins && this->asks /
{
	rounds[this->round].serves = 0;
	rounds[this->round].mine = 0;
	rounds[this->round].came = 0;
	rounds[this->round].ways[REQUEST].left = 0;
	rounds[this->round].ways[REQUEST].here = 0;
	rounds[this->round].ways[REQUEST].landed = 0;
	rounds[this->round].ways[REQUEST].done = 0;
	rounds[this->round].ways[REQUEST].segment = 0;
	rounds[this->round].ways[REQUEST].window = 0;
	rounds[this->round].ways[REQUEST].paced = 0;
	rounds[this->round].ways[REQUEST].resent = 0;
	rounds[this->round].ways[ANSWER].called = 0;
	rounds[this->round].ways[ANSWER].left = 0;
	rounds[this->round].ways[ANSWER].here = 0;
	rounds[this->round].ways[ANSWER].landed = 0;
	rounds[this->round].ways[ANSWER].segment = 0;
	rounds[this->round].ways[ANSWER].window = 0;
	rounds[this->round].ways[ANSWER].paced = 0;
	rounds[this->round].ways[ANSWER].resent = 0;
}

/* A request's last segment counts, an answer's first one: what comes of it first ends the round. */
tcp:::send
/ this->round && this->again == 0 && rounds[this->round].ways[this->dir].called &&
  rounds[this->round].ways[ANSWER].here == 0 && (this->asks || rounds[this->round].ways[ANSWER].segment == 0) /
{
	this->goes = 1;
	this->called = rounds[this->round].ways[this->dir].called;
	this->from = rounds[this->round].ways[this->dir].left > this->called ? rounds[this->round].ways[this->dir].left :
	    this->called;
	this->since = rounds[this->round].ways[this->dir].pacing;
	this->until = this->since ? rounds[this->round].ways[this->dir].until : 0;
	this->paces = this->until <= this->from ? 0 :
	    (this->until < this->left ? this->until : this->left) - (this->since > this->from ? this->since : this->from);
	rounds[this->round].ways[this->dir].pacing = 0;
	rounds[this->round].ways[this->dir].paced += this->paces;
	rounds[this->round].ways[this->dir].window += args[3]->tcps_limited == TCP_LIMITED_RWND ?
	    this->left - this->from - this->paces : 0;
	rounds[this->round].ways[this->dir].start = args[4]->tcp_seq;
	rounds[this->round].ways[this->dir].landed = 0;
	rounds[this->round].ways[this->dir].end = args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::send
/ this->round && this->again && rounds[this->round].ways[this->dir].called && rounds[this->round].ways[this->dir].left &&
  rounds[this->round].ways[this->dir].landed == 0 &&
  (int32_t)(args[4]->tcp_seq - rounds[this->round].ways[this->dir].start) >= 0 &&
  (int32_t)(args[4]->tcp_seq - rounds[this->round].ways[this->dir].end) < 0 /
{
	this->goes = 1;
	rounds[this->round].ways[this->dir].resent += this->left - rounds[this->round].ways[this->dir].left;
}

tcp:::send
/ this->goes && rounds[this->round].ways[this->dir].segment == 0 /
{
	rounds[this->round].ways[this->dir].first = args[4]->tcp_seq;
}

tcp:::send
/ this->goes /
{
	rounds[this->round].ways[this->dir].left = this->left;
	rounds[this->round].ways[this->dir].at = this->left;
	rounds[this->round].ways[this->dir].segment = 1;
	rounds[this->round].ways[this->dir].ip = 0;
	rounds[this->round].ways[this->dir].queue = 0;
	rounds[this->round].ways[this->dir].driver = 0;
	rounds[this->round].ways[this->dir].receive = 0;
}

tcp:::send
/ this->sends /
{
	buffers[this->buffer] = this->goes ? this->round + this->dir : OTHER;
}

tcp:::send
/ this->round && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	rounds[this->round].mine = 1;
}

/* ---- segments on their way -------------------------------------------------------------------------------------- */

path:::queue, path:::transmit, path:::driver-in, path:::forward, path:::socket-in, path:::sent, path:::drop
{
	this->id = args[4]->path_id;
}

path:::queue
/ buffers[args[0]->pkt_buffer] /
{
	this->leaver = is_time[buffers[args[0]->pkt_buffer]] ? 0 : buffers[args[0]->pkt_buffer];
	buffers[args[0]->pkt_buffer] = 0;
}

path:::queue
/ this->id && this->leaver /
{
	way[this->id] = this->leaver;
	this->way = this->leaver;
}

path:::queue, path:::transmit, path:::driver-in, path:::forward, path:::socket-in, path:::sent, path:::drop
/ this->id && this->way == 0 /
{
	this->way = way[this->id];
}

path:::queue, path:::transmit, path:::driver-in, path:::forward, path:::socket-in
/ this->way > OTHER /
{
	this->dir = this->way & 1;
	this->round = this->way - this->dir;
	this->since = rounds[this->round].ways[this->dir].at;
}

path:::queue
/ this->round && this->leaver /
{
	rounds[this->round].ways[this->dir].segment = this->id;
}

path:::queue, path:::transmit, path:::driver-in, path:::forward, path:::socket-in
/ this->round && rounds[this->round].ways[this->dir].segment == this->id /
{
	this->on = 1;
	this->part = timestamp - this->since;
	rounds[this->round].ways[this->dir].at = timestamp;
}

/* Without +=, which is atomic: a segment is at one place at a time. */
path:::queue
/ this->on /
{
	rounds[this->round].ways[this->dir].ip = rounds[this->round].ways[this->dir].ip + this->part;
}

path:::transmit
/ this->on /
{
	rounds[this->round].ways[this->dir].queue = rounds[this->round].ways[this->dir].queue + this->part;
}

path:::driver-in
/ this->on /
{
	rounds[this->round].ways[this->dir].driver = rounds[this->round].ways[this->dir].driver + this->part;
}

path:::forward, path:::socket-in
/ this->on /
{
	rounds[this->round].ways[this->dir].receive = rounds[this->round].ways[this->dir].receive + this->part;
}

path:::socket-in
/ this->round /
{
	rounds[this->round].ways[this->dir].here = 1;
}

path:::socket-in
/ this->round && this->dir == REQUEST /
{
	asker[args[1]->cs_addr] = this->round;
}

path:::socket-in
/ this->on /
{
	rounds[this->round].ways[this->dir].landed = 1;
}

/* Its memory may be that of another packet from here on. */
path:::socket-in, path:::sent, path:::drop
/ this->way /
{
	way[this->id] = 0;
}

/* ---- segments of other hosts ------------------------------------------------------------------------------------ */

path:::driver-in
/ args[4]->path_payload && this->way == 0 /
{
	buffers[args[0]->pkt_buffer] = timestamp;
}

tcp:::receive
/ arg0 && args[2]->ip_plength > args[4]->tcp_offset /
{
	this->socket = arg0;
	this->came = is_time[buffers[args[0]->pkt_buffer]] ? buffers[args[0]->pkt_buffer] : 0;
}

tcp:::receive
/ this->came /
{
	this->data = args[3]->tcps_state != TCP_STATE_LISTEN &&
	    (int32_t)(args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset - args[3]->tcps_rnxt) > 0;
	buffers[args[0]->pkt_buffer] = 0;
}

tcp:::receive
/ this->data && args[3]->tcps_active && rounds[this->socket].ways[REQUEST].called &&
  rounds[this->socket].ways[ANSWER].here == 0 && rounds[this->socket].ways[REQUEST].here == 0 /
{
	rounds[this->socket].ways[ANSWER].here = 1;
	rounds[this->socket].ways[ANSWER].first = args[4]->tcp_seq;
	rounds[this->socket].came = this->came;
	rounds[this->socket].ways[ANSWER].at = timestamp;
	rounds[this->socket].ways[ANSWER].receive = timestamp - this->came;
}

tcp:::receive
/ this->data && args[3]->tcps_active == 0 && asker[this->socket] /
{
	asker[this->socket] = 0;
}

/* A request of another host, whose round begins as its first segment comes. */
tcp:::receive
/ this->data && args[3]->tcps_active == 0 &&
  (rounds[this->socket].serves == 0 || rounds[this->socket].ways[REQUEST].called == 0) /
{
	rounds[this->socket].serves = 1;
	rounds[this->socket].mine = 0;
	rounds[this->socket].ways[REQUEST].called = this->came;
	rounds[this->socket].ways[REQUEST].first = args[4]->tcp_seq;
	rounds[this->socket].ways[REQUEST].done = 0;
	rounds[this->socket].ways[ANSWER].called = 0;
	rounds[this->socket].ways[ANSWER].left = 0;
	rounds[this->socket].ways[ANSWER].segment = 0;
	rounds[this->socket].ways[ANSWER].window = 0;
	rounds[this->socket].ways[ANSWER].paced = 0;
	rounds[this->socket].ways[ANSWER].resent = 0;
	rounds[this->socket].ways[ANSWER].here = 0;
}

tcp:::receive
/ this->data && args[3]->tcps_active == 0 && rounds[this->socket].serves && rounds[this->socket].ways[ANSWER].called == 0 /
{
	rounds[this->socket].ways[REQUEST].here = 1;
	rounds[this->socket].came = this->came;
	rounds[this->socket].ways[REQUEST].at = timestamp;
	rounds[this->socket].ways[REQUEST].receive = timestamp - this->came;
}

tcp:::receive
/ this->socket && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->with = args[3]->tcps_active ? 0 : asker[this->socket];
	this->round = this->with ? this->with : this->socket;
}

tcp:::receive
/ this->round && rounds[this->round].ways[REQUEST].called /
{
	rounds[this->round].mine = 1;
}

tcp:::state-change
/ tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr] /
{
	this->socket = arg0;
}

tcp:::detach
{
	this->socket = arg0;
}

tcp:::state-change, tcp:::detach
/ this->socket && asker[this->socket] /
{
	asker[this->socket] = 0;
}

tcp:::state-change, tcp:::detach
/ this->socket && (rounds[this->socket].ways[REQUEST].called || rounds[this->socket].ways[ANSWER].called ||
  rounds[this->socket].serves) /
{
	rounds[this->socket].ways[REQUEST].called = 0;
	rounds[this->socket].ways[ANSWER].called = 0;
	rounds[this->socket].serves = 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

sock:::receive
/ args[2]->sr_bytes > 0 /
{
	this->reader = args[1]->cs_addr;
	this->with = asker[this->reader];
	this->round = this->with ? this->with : this->reader;
	this->dir = this->with == 0 && rounds[this->round].serves == 0 ? ANSWER : REQUEST;
}

/* The request is read, until the answer begins; the answer once. What was left of the round before is neither. */
sock:::receive
/ this->round && rounds[this->round].ways[REQUEST].called && rounds[this->round].ways[this->dir].here &&
  (this->dir == ANSWER || rounds[this->round].ways[ANSWER].called == 0) &&
  (int32_t)(((struct tcp_sock *)this->reader)->copied_seq - rounds[this->round].ways[this->dir].first) > 0 /
{
	this->seen = rounds[this->round].ways[this->dir].at;
	this->woke = self->woke > this->seen ? self->woke : self->receiving > this->seen ? self->receiving : this->seen;
	this->ran = self->woke > this->seen ? self->ran : this->woke;
	this->now = timestamp;
	rounds[this->round].ways[this->dir].queued = this->woke - this->seen;
	rounds[this->round].ways[this->dir].waking = this->ran - this->woke;
	rounds[this->round].ways[this->dir].reading = this->now - this->ran;
	rounds[this->round].ways[this->dir].done = this->now;
	this->ends = this->dir == ANSWER;
}

/* ---- the end of a round ----------------------------------------------------------------------------------------- */

sock:::receive
/ this->ends /
{
	this->side = "asks";
	this->began = rounds[this->round].ways[REQUEST].called;
	this->mine = rounds[this->round].mine;
	rounds[this->round].ways[REQUEST].called = 0;
}

sock:::receive
/ this->mine /
{
	this->whole = this->now - this->began;
	/* the other end: 1: seen; 2: on another host; 0: not known */
	this->came = rounds[this->round].came;
	this->kind = this->came ?
	    (rounds[this->round].ways[REQUEST].segment && this->came >= rounds[this->round].ways[REQUEST].at ? 2 : 0) :
	    rounds[this->round].ways[REQUEST].landed &&
	    rounds[this->round].ways[REQUEST].done >= rounds[this->round].ways[REQUEST].at &&
	    rounds[this->round].ways[ANSWER].called >= rounds[this->round].ways[REQUEST].done &&
	    rounds[this->round].ways[ANSWER].left >= rounds[this->round].ways[ANSWER].called;
	this->wire = this->kind == 2 ? this->came - rounds[this->round].ways[REQUEST].at : 0;
	this->unknown = this->kind ? 0 : this->whole;
	this->near = this->kind != 0;
	this->far = this->kind == 1;
}

/* A serving end's round ends when the driver has the answer. */
path:::transmit
/ this->on && this->dir == ANSWER && rounds[this->round].serves && rounds[this->round].ways[REQUEST].called /
{
	this->side = "serves";
	this->began = rounds[this->round].ways[REQUEST].called;
	this->mine = rounds[this->round].mine;
	rounds[this->round].ways[REQUEST].called = 0;
	way[this->id] = 0;
}

path:::transmit
/ this->mine /
{
	this->whole = timestamp - this->began;
	this->kind = rounds[this->round].ways[REQUEST].here &&
	    rounds[this->round].ways[REQUEST].done >= rounds[this->round].ways[REQUEST].at &&
	    rounds[this->round].ways[ANSWER].called >= rounds[this->round].ways[REQUEST].done;
	this->wire = this->kind ? rounds[this->round].came - this->began : 0;
	this->unknown = this->kind ? 0 : this->whole;
	this->far = this->kind;
}

/* ---- the stages: those that took time ----------------------------------------------------------------------------- */

sock:::receive
/ this->near /
{
	this->ns = rounds[this->round].ways[REQUEST].left - this->began -
	    rounds[this->round].ways[REQUEST].window - rounds[this->round].ways[REQUEST].paced -
	    rounds[this->round].ways[REQUEST].resent;
	if (this->ns) {
		@rounds[1, this->side, "request", "send-queue"] = count();
		@sum[1, this->side, "request", "send-queue"] = sum(this->ns);
		@us[1, this->side, "request", "send-queue"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[1, this->side, "request", "send-queue"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].window;
	if (this->ns) {
		@rounds[2, this->side, "request", "window"] = count();
		@sum[2, this->side, "request", "window"] = sum(this->ns);
		@us[2, this->side, "request", "window"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[2, this->side, "request", "window"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].paced;
	if (this->ns) {
		@rounds[3, this->side, "request", "pacing"] = count();
		@sum[3, this->side, "request", "pacing"] = sum(this->ns);
		@us[3, this->side, "request", "pacing"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[3, this->side, "request", "pacing"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].resent;
	if (this->ns) {
		@rounds[4, this->side, "request", "resend"] = count();
		@sum[4, this->side, "request", "resend"] = sum(this->ns);
		@us[4, this->side, "request", "resend"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[4, this->side, "request", "resend"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].ip;
	if (this->ns) {
		@rounds[5, this->side, "request", "ip"] = count();
		@sum[5, this->side, "request", "ip"] = sum(this->ns);
		@us[5, this->side, "request", "ip"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[5, this->side, "request", "ip"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].queue;
	if (this->ns) {
		@rounds[6, this->side, "request", "qdisc"] = count();
		@sum[6, this->side, "request", "qdisc"] = sum(this->ns);
		@us[6, this->side, "request", "qdisc"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[6, this->side, "request", "qdisc"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].driver;
	if (this->ns) {
		@rounds[7, this->side, "request", "driver"] = count();
		@sum[7, this->side, "request", "driver"] = sum(this->ns);
		@us[7, this->side, "request", "driver"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[7, this->side, "request", "driver"] = max(this->ns / 1000);
	}
}

sock:::receive, path:::transmit
/ this->far /
{
	this->ns = rounds[this->round].ways[REQUEST].receive;
	if (this->ns) {
		@rounds[9, this->side, "request", "receive"] = count();
		@sum[9, this->side, "request", "receive"] = sum(this->ns);
		@us[9, this->side, "request", "receive"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[9, this->side, "request", "receive"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].queued;
	if (this->ns) {
		@rounds[10, this->side, "request", "socket"] = count();
		@sum[10, this->side, "request", "socket"] = sum(this->ns);
		@us[10, this->side, "request", "socket"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[10, this->side, "request", "socket"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].waking;
	if (this->ns) {
		@rounds[11, this->side, "request", "wake-up"] = count();
		@sum[11, this->side, "request", "wake-up"] = sum(this->ns);
		@us[11, this->side, "request", "wake-up"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[11, this->side, "request", "wake-up"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[REQUEST].reading;
	if (this->ns) {
		@rounds[12, this->side, "request", "read"] = count();
		@sum[12, this->side, "request", "read"] = sum(this->ns);
		@us[12, this->side, "request", "read"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[12, this->side, "request", "read"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].called - rounds[this->round].ways[REQUEST].done;
	if (this->ns) {
		@rounds[13, this->side, "", "server"] = count();
		@sum[13, this->side, "", "server"] = sum(this->ns);
		@us[13, this->side, "", "server"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[13, this->side, "", "server"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].left - rounds[this->round].ways[ANSWER].called -
	    rounds[this->round].ways[ANSWER].window - rounds[this->round].ways[ANSWER].paced -
	    rounds[this->round].ways[ANSWER].resent;
	if (this->ns) {
		@rounds[14, this->side, "answer", "send-queue"] = count();
		@sum[14, this->side, "answer", "send-queue"] = sum(this->ns);
		@us[14, this->side, "answer", "send-queue"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[14, this->side, "answer", "send-queue"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].window;
	if (this->ns) {
		@rounds[15, this->side, "answer", "window"] = count();
		@sum[15, this->side, "answer", "window"] = sum(this->ns);
		@us[15, this->side, "answer", "window"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[15, this->side, "answer", "window"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].paced;
	if (this->ns) {
		@rounds[16, this->side, "answer", "pacing"] = count();
		@sum[16, this->side, "answer", "pacing"] = sum(this->ns);
		@us[16, this->side, "answer", "pacing"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[16, this->side, "answer", "pacing"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].resent;
	if (this->ns) {
		@rounds[17, this->side, "answer", "resend"] = count();
		@sum[17, this->side, "answer", "resend"] = sum(this->ns);
		@us[17, this->side, "answer", "resend"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[17, this->side, "answer", "resend"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].ip;
	if (this->ns) {
		@rounds[18, this->side, "answer", "ip"] = count();
		@sum[18, this->side, "answer", "ip"] = sum(this->ns);
		@us[18, this->side, "answer", "ip"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[18, this->side, "answer", "ip"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].queue;
	if (this->ns) {
		@rounds[19, this->side, "answer", "qdisc"] = count();
		@sum[19, this->side, "answer", "qdisc"] = sum(this->ns);
		@us[19, this->side, "answer", "qdisc"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[19, this->side, "answer", "qdisc"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].driver;
	if (this->ns) {
		@rounds[20, this->side, "answer", "driver"] = count();
		@sum[20, this->side, "answer", "driver"] = sum(this->ns);
		@us[20, this->side, "answer", "driver"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[20, this->side, "answer", "driver"] = max(this->ns / 1000);
	}
}

sock:::receive
/ this->near /
{
	this->ns = rounds[this->round].ways[ANSWER].receive;
	if (this->ns) {
		@rounds[21, this->side, "answer", "receive"] = count();
		@sum[21, this->side, "answer", "receive"] = sum(this->ns);
		@us[21, this->side, "answer", "receive"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[21, this->side, "answer", "receive"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].queued;
	if (this->ns) {
		@rounds[22, this->side, "answer", "socket"] = count();
		@sum[22, this->side, "answer", "socket"] = sum(this->ns);
		@us[22, this->side, "answer", "socket"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[22, this->side, "answer", "socket"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].waking;
	if (this->ns) {
		@rounds[23, this->side, "answer", "wake-up"] = count();
		@sum[23, this->side, "answer", "wake-up"] = sum(this->ns);
		@us[23, this->side, "answer", "wake-up"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[23, this->side, "answer", "wake-up"] = max(this->ns / 1000);
	}
	this->ns = rounds[this->round].ways[ANSWER].reading;
	if (this->ns) {
		@rounds[24, this->side, "answer", "read"] = count();
		@sum[24, this->side, "answer", "read"] = sum(this->ns);
		@us[24, this->side, "answer", "read"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[24, this->side, "answer", "read"] = max(this->ns / 1000);
	}
}

sock:::receive, path:::transmit
/ this->mine /
{
	this->ns = this->wire;
	if (this->ns) {
		@rounds[8, this->side, "", "wire"] = count();
		@sum[8, this->side, "", "wire"] = sum(this->ns);
		@us[8, this->side, "", "wire"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[8, this->side, "", "wire"] = max(this->ns / 1000);
	}
	this->ns = this->unknown;
	if (this->ns) {
		@rounds[25, this->side, "", "unknown"] = count();
		@sum[25, this->side, "", "unknown"] = sum(this->ns);
		@us[25, this->side, "", "unknown"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[25, this->side, "", "unknown"] = max(this->ns / 1000);
	}
	this->ns = this->whole;
	if (this->ns) {
		@rounds[26, this->side, "", "whole"] = count();
		@sum[26, this->side, "", "whole"] = sum(this->ns);
		@us[26, this->side, "", "whole"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
		@most[26, this->side, "", "whole"] = max(this->ns / 1000);
	}
}

tool:::interval
/ hist == 0 /
{
	header();
	normalize(@sum, 1000);
	rows(@rounds, @sum, @us, @us, @most);
}

tool:::interval
/ hist /
{
	rows_hist(@us);
}

tool:::interval
{
	trunc(@rounds);
	trunc(@sum);
	trunc(@us);
	trunc(@most);
}
