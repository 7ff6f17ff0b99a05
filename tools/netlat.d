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

inline int STEPS = hist ? 2 : 16;	/* of a distribution, from a time to its double */

/* A round is known by the address of the socket that asks (that of the serving one, where the other is on another
 * host), its two ways by that address and by that address + 1. Times are in ns. A later segment of the same request
 * takes the place of the one before. */
uint64_t called[uint64_t];	/* of a way: its first send call began, or, where none is seen (io_uring), it left; 0: not yet */
uint64_t left[uint64_t];	/* its segment left TCP */
uint64_t window[uint64_t];	/* waits in TCP */
uint64_t paced[uint64_t];
uint64_t resent[uint64_t];
uint64_t ip[uint64_t];		/* parts of the way through the kernel */
uint64_t queue[uint64_t];
uint64_t driver[uint64_t];
uint64_t receive[uint64_t];
uint64_t at[uint64_t];		/* when that segment was seen last */
uint64_t segment[uint64_t];	/* its identity */
uint64_t first[uint64_t];	/* of a way: its first byte's sequence number */
uint64_t start[uint64_t];	/* ... its first byte's sequence number, and that of the byte behind it */
uint64_t end[uint64_t];
uint64_t landed[uint64_t];	/* ... 1: it has come to its socket */
uint64_t here[uint64_t];	/* 1: some segment of the way has */
uint64_t queued[uint64_t];	/* its wait in the socket's queue */
uint64_t waking[uint64_t];	/* ... for the reader to run */
uint64_t reading[uint64_t];
uint64_t done[uint64_t];	/* when it was read; 0: not yet */
uint64_t sending[uint64_t];	/* its wait in TCP, without those */
uint64_t whole[uint64_t];	/* of a round */
uint64_t unknown[uint64_t];
uint64_t wire[uint64_t];
uint64_t served[uint64_t];
uint64_t mine[uint64_t];	/* of a round: 1: the user wants it */
uint64_t serves[uint64_t];	/* 1: who asks is on another host */
uint64_t came[uint64_t];	/* when the other host's first segment came */
uint64_t pacing[uint64_t];	/* of a socket: since when it paces; 0: not now */
uint64_t until[uint64_t];	/* ... and when it is to send */
uint64_t asker[uint64_t];	/* of a serving socket: the one that asks */
uint64_t leaving[uint64_t];	/* of a buffer that leaves: when; its way */
uint64_t leaver[uint64_t];
uint64_t arrived[uint64_t];	/* of a buffer of another host: when */
uint64_t way[uint64_t];		/* of a packet's identity */
inline uint64_t OTHER = 2;	/* instead of a way: data that no round follows, not from another host */
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

path:::output
/ args[4]->path_protostr == "TCP" /
{
	leaving[args[0]->pkt_buffer] = timestamp;
}

tcp:::pace
{
	pacing[arg0] = timestamp;
	until[arg0] = timestamp + args[5];
}

/* A process writes what TCP cannot send yet, or has sent. */
tcp:::write
/ self->sending != 0 /
{
	this->round = args[3]->tcps_active ? arg0 : asker[arg0] ? asker[arg0] : serves[arg0] ? arg0 : 0;
	this->way = this->round + (args[3]->tcps_active == 0);
}

tcp:::write
/ this->round && args[3]->tcps_active && called[this->round] == 0 && self->sending > done[this->round + 1] /
{
	this->opens = 1;
}

tcp:::send
/ arg0 && args[2]->ip_plength > args[4]->tcp_offset /
{
	this->round = args[3]->tcps_active ? arg0 : asker[arg0] ? asker[arg0] : serves[arg0] ? arg0 : 0;
	this->way = this->round + (args[3]->tcps_active == 0);
	this->left = leaving[args[0]->pkt_buffer] ? leaving[args[0]->pkt_buffer] : timestamp;
	this->opens = args[3]->tcps_active && args[3]->tcps_retransmit == 0 && called[this->round] == 0;
	this->sends = args[3]->tcps_retransmit == 0 ? 1 : 2;
}

tcp:::send, tcp:::write
/ this->opens /
{
	serves[this->round] = 0;
	mine[this->round] = 0;
	came[this->round] = 0;
	called[this->way] = self->sending != 0 && (probename == "write" || pid == args[1]->cs_pid) ? self->sending : this->left;
	called[this->way + 1] = 0;
	left[this->way] = 0;
	left[this->way + 1] = 0;
	here[this->way] = 0;
	here[this->way + 1] = 0;
	landed[this->way] = 0;
	landed[this->way + 1] = 0;
	done[this->way] = 0;
	segment[this->way] = 0;
	segment[this->way + 1] = 0;
}

tcp:::send, tcp:::write
/ this->opens /
{
	window[this->way] = 0;
	paced[this->way] = 0;
	resent[this->way] = 0;
	window[this->way + 1] = 0;
	paced[this->way + 1] = 0;
	resent[this->way + 1] = 0;
}

/* The answer begins when the request has come. A call that began before is that of the answer before: its process may
 * come to its end late. */
tcp:::send, tcp:::write
/ this->round && args[3]->tcps_active == 0 && called[this->round] && called[this->way] == 0 && here[this->round] &&
  (probename == "write" || this->sends == 1) &&
  (self->sending == 0 || self->sending >= at[this->round] || (probename == "send" && pid != args[1]->cs_pid)) /
{
	called[this->way] = self->sending != 0 && (probename == "write" || pid == args[1]->cs_pid) ? self->sending : this->left;
}

tcp:::send
/ arg0 /
{
	leaving[args[0]->pkt_buffer] = 0;
	leaver[args[0]->pkt_buffer] = this->sends ? OTHER : 0;
}

/* A request's last segment counts, an answer's first one: what comes of it first ends the round. */
tcp:::send
/ this->sends == 1 && this->round && called[this->way] && here[this->round + 1] == 0 &&
  (args[3]->tcps_active || segment[this->way] == 0) /
{
	this->goes = 1;
	this->from = left[this->way] > called[this->way] ? left[this->way] : called[this->way];
	this->paces = pacing[arg0] == 0 || until[arg0] <= this->from ? 0 :
	    (until[arg0] < this->left ? until[arg0] : this->left) - (pacing[arg0] > this->from ? pacing[arg0] : this->from);
	paced[this->way] += this->paces;
	window[this->way] += args[3]->tcps_limited == TCP_LIMITED_RWND ? this->left - this->from - this->paces : 0;
	pacing[arg0] = 0;
	start[this->way] = args[4]->tcp_seq;
	landed[this->way] = 0;
	end[this->way] = args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::send
/ this->sends == 2 && this->round && called[this->way] && left[this->way] && landed[this->way] == 0 &&
  (int32_t)(args[4]->tcp_seq - start[this->way]) >= 0 && (int32_t)(args[4]->tcp_seq - end[this->way]) < 0 /
{
	this->goes = 1;
	resent[this->way] += this->left - left[this->way];
}

tcp:::send
/ this->goes && segment[this->way] == 0 /
{
	first[this->way] = args[4]->tcp_seq;
}

tcp:::send
/ this->goes /
{
	left[this->way] = this->left;
	at[this->way] = this->left;
	segment[this->way] = 1;
	leaver[args[0]->pkt_buffer] = this->way;
	ip[this->way] = 0;
	queue[this->way] = 0;
	driver[this->way] = 0;
	receive[this->way] = 0;
}

tcp:::send
/ this->round && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	mine[this->round] = 1;
}

/* ---- segments on their way -------------------------------------------------------------------------------------- */

path:::queue
/ leaver[args[0]->pkt_buffer] > OTHER /
{
	segment[leaver[args[0]->pkt_buffer]] = args[4]->path_id;
}

path:::queue
/ leaver[args[0]->pkt_buffer] /
{
	way[args[4]->path_id] = leaver[args[0]->pkt_buffer];
	leaver[args[0]->pkt_buffer] = 0;
}

path:::queue, path:::transmit, path:::driver-in, path:::forward, path:::socket-in
/ way[args[4]->path_id] && segment[way[args[4]->path_id]] == args[4]->path_id /
{
	this->on = way[args[4]->path_id];
	this->part = timestamp - at[this->on];
	at[this->on] = timestamp;
}

path:::queue
/ this->on /
{
	ip[this->on] += this->part;
}

path:::transmit
/ this->on /
{
	queue[this->on] += this->part;
}

path:::driver-in
/ this->on /
{
	driver[this->on] += this->part;
}

path:::forward, path:::socket-in
/ this->on /
{
	receive[this->on] += this->part;
}

path:::socket-in
/ way[args[4]->path_id] > OTHER /
{
	this->comes = way[args[4]->path_id];
	here[this->comes] = 1;
}

path:::socket-in
/ this->comes && (this->comes & 1) == 0 /
{
	asker[args[1]->cs_addr] = this->comes;
}

path:::socket-in
/ this->on /
{
	landed[this->on] = 1;
}

path:::socket-in
/ way[args[4]->path_id] /
{
	way[args[4]->path_id] = 0;
}

/* Its memory may be that of another packet from here on. */
path:::sent, path:::drop
/ way[args[4]->path_id] /
{
	way[args[4]->path_id] = 0;
}

/* ---- segments of other hosts ------------------------------------------------------------------------------------ */

path:::driver-in
/ args[4]->path_protostr == "TCP" /
{
	arrived[args[0]->pkt_buffer] = way[args[4]->path_id] ? 0 : timestamp;
}

path:::forward
/ args[4]->path_protostr == "TCP" /
{
	arrived[args[0]->pkt_buffer] = 0;
}

tcp:::receive
/ arg0 && arrived[args[0]->pkt_buffer] /
{
	this->came = arrived[args[0]->pkt_buffer];
	this->data = args[2]->ip_plength > args[4]->tcp_offset && args[3]->tcps_state != TCP_STATE_LISTEN &&
	    (int32_t)(args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset - args[3]->tcps_rnxt) > 0;
	arrived[args[0]->pkt_buffer] = 0;
}

tcp:::receive
/ this->came && this->data && args[3]->tcps_active && called[arg0] && here[arg0 + 1] == 0 && here[arg0] == 0 /
{
	here[arg0 + 1] = 1;
	first[arg0 + 1] = args[4]->tcp_seq;
	came[arg0] = this->came;
	at[arg0 + 1] = timestamp;
	receive[arg0 + 1] = timestamp - this->came;
}

/* A request of another host, whose round begins as its first segment comes. */
tcp:::receive
/ this->came && this->data && args[3]->tcps_active == 0 && (serves[arg0] == 0 || called[arg0] == 0) /
{
	asker[arg0] = 0;
	serves[arg0] = 1;
	mine[arg0] = 0;
	called[arg0] = this->came;
	first[arg0] = args[4]->tcp_seq;
	called[arg0 + 1] = 0;
	left[arg0 + 1] = 0;
	done[arg0] = 0;
	segment[arg0 + 1] = 0;
	window[arg0 + 1] = 0;
	paced[arg0 + 1] = 0;
	resent[arg0 + 1] = 0;
	here[arg0 + 1] = 0;
}

tcp:::receive
/ this->came && this->data && args[3]->tcps_active == 0 && serves[arg0] && called[arg0 + 1] == 0 /
{
	here[arg0] = 1;
	came[arg0] = this->came;
	at[arg0] = timestamp;
	receive[arg0] = timestamp - this->came;
}

tcp:::receive
/ arg0 && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	mine[args[3]->tcps_active || asker[arg0] == 0 ? arg0 : asker[arg0]] = 1;
}

tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_CLOSED /
{
	called[arg0] = 0;
	called[arg0 + 1] = 0;
	asker[arg0] = 0;
	serves[arg0] = 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

sock:::receive
/ args[2]->sr_bytes > 0 /
{
	this->reader = args[1]->cs_addr;
	this->round = asker[this->reader] ? asker[this->reader] : this->reader;
	this->read = this->round + (this->round == this->reader && serves[this->reader] == 0);
}

/* The request is read, until the answer begins; the answer once. What was left of the round before is neither. */
sock:::receive
/ this->round && called[this->round] && here[this->read] &&
  ((this->read & 1) != 0 || called[this->round + 1] == 0) &&
  (int32_t)(((struct tcp_sock *)this->reader)->copied_seq - first[this->read]) > 0 /
{
	this->seen = at[this->read];
	this->woke = self->woke > this->seen ? self->woke : self->receiving > this->seen ? self->receiving : this->seen;
	this->ran = self->woke > this->seen ? self->ran : this->woke;
	this->now = timestamp;
	queued[this->read] = this->woke - this->seen;
	waking[this->read] = this->ran - this->woke;
	reading[this->read] = this->now - this->ran;
	done[this->read] = this->now;
	this->ends = (this->read & 1) != 0;
}

/* ---- the end of a round ----------------------------------------------------------------------------------------- */

sock:::receive
/ this->ends && mine[this->round] /
{
	this->q = this->round;
	this->a = this->round + 1;
	this->whole = this->now - called[this->q];
	/* the other end: 1: seen; 2: on another host; 0: not known */
	this->kind = came[this->q] ? (segment[this->q] && came[this->q] >= at[this->q] ? 2 : 0) :
	    landed[this->q] && done[this->q] >= at[this->q] && called[this->a] >= done[this->q] && left[this->a] >= called[this->a];
	this->gone = this->kind ? this->q : 0;
	this->got = this->kind == 1 ? this->q : 0;
	this->back = this->kind == 1 ? this->a : 0;
	this->home = this->kind ? this->a : 0;
	this->wire = this->kind == 2 ? came[this->q] - at[this->q] : 0;
}

sock:::receive
/ this->ends /
{
	this->side = "asks";
	this->began = called[this->round];
	called[this->round] = 0;
}

/* A serving end's round ends when the driver has the answer. */
path:::transmit
/ this->on && (this->on & 1) && serves[this->on - 1] && called[this->on - 1] && mine[this->on - 1] /
{
	this->q = this->on - 1;
	this->a = this->on;
	this->whole = timestamp - called[this->q];
	this->kind = here[this->q] && done[this->q] >= at[this->q] && called[this->a] >= done[this->q];
	this->got = this->kind ? this->q : 0;
	this->back = this->kind ? this->a : 0;
	this->wire = this->kind ? came[this->q] - called[this->q] : 0;
}

path:::transmit
/ this->on && (this->on & 1) && serves[this->on - 1] && called[this->on - 1] /
{
	this->side = "serves";
	called[this->on - 1] = 0;
	way[args[4]->path_id] = 0;
}

/* Times that are no array's yet. The stages of key 0 are 0: those that the round does not have. */
sock:::receive, path:::transmit
/ this->q /
{
	whole[this->q] = this->whole;
	unknown[this->q] = this->kind ? 0 : this->whole;
	wire[this->q] = this->wire;
	served[this->q] = this->got ? called[this->a] - done[this->q] : 0;
	sending[this->q] = left[this->q] - this->began - window[this->q] - paced[this->q] - resent[this->q];
	sending[this->a] = left[this->a] - called[this->a] - window[this->a] - paced[this->a] - resent[this->a];
}

/* ---- the stages: those that took time ----------------------------------------------------------------------------- */

sock:::receive
/ sending[this->gone] /
{
	this->ns = sending[this->gone];
	@rounds[1, this->side, "request", "send-queue"] = count();
	@sum[1, this->side, "request", "send-queue"] = sum(this->ns);
	@us[1, this->side, "request", "send-queue"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[1, this->side, "request", "send-queue"] = max(this->ns / 1000);
}

sock:::receive
/ window[this->gone] /
{
	this->ns = window[this->gone];
	@rounds[2, this->side, "request", "window"] = count();
	@sum[2, this->side, "request", "window"] = sum(this->ns);
	@us[2, this->side, "request", "window"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[2, this->side, "request", "window"] = max(this->ns / 1000);
}

sock:::receive
/ paced[this->gone] /
{
	this->ns = paced[this->gone];
	@rounds[3, this->side, "request", "pacing"] = count();
	@sum[3, this->side, "request", "pacing"] = sum(this->ns);
	@us[3, this->side, "request", "pacing"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[3, this->side, "request", "pacing"] = max(this->ns / 1000);
}

sock:::receive
/ resent[this->gone] /
{
	this->ns = resent[this->gone];
	@rounds[4, this->side, "request", "resend"] = count();
	@sum[4, this->side, "request", "resend"] = sum(this->ns);
	@us[4, this->side, "request", "resend"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[4, this->side, "request", "resend"] = max(this->ns / 1000);
}

sock:::receive
/ ip[this->gone] /
{
	this->ns = ip[this->gone];
	@rounds[5, this->side, "request", "ip"] = count();
	@sum[5, this->side, "request", "ip"] = sum(this->ns);
	@us[5, this->side, "request", "ip"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[5, this->side, "request", "ip"] = max(this->ns / 1000);
}

sock:::receive
/ queue[this->gone] /
{
	this->ns = queue[this->gone];
	@rounds[6, this->side, "request", "qdisc"] = count();
	@sum[6, this->side, "request", "qdisc"] = sum(this->ns);
	@us[6, this->side, "request", "qdisc"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[6, this->side, "request", "qdisc"] = max(this->ns / 1000);
}

sock:::receive
/ driver[this->gone] /
{
	this->ns = driver[this->gone];
	@rounds[7, this->side, "request", "driver"] = count();
	@sum[7, this->side, "request", "driver"] = sum(this->ns);
	@us[7, this->side, "request", "driver"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[7, this->side, "request", "driver"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ wire[this->q] /
{
	this->ns = wire[this->q];
	@rounds[8, this->side, "", "wire"] = count();
	@sum[8, this->side, "", "wire"] = sum(this->ns);
	@us[8, this->side, "", "wire"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[8, this->side, "", "wire"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ receive[this->got] /
{
	this->ns = receive[this->got];
	@rounds[9, this->side, "request", "receive"] = count();
	@sum[9, this->side, "request", "receive"] = sum(this->ns);
	@us[9, this->side, "request", "receive"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[9, this->side, "request", "receive"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ queued[this->got] /
{
	this->ns = queued[this->got];
	@rounds[10, this->side, "request", "socket"] = count();
	@sum[10, this->side, "request", "socket"] = sum(this->ns);
	@us[10, this->side, "request", "socket"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[10, this->side, "request", "socket"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ waking[this->got] /
{
	this->ns = waking[this->got];
	@rounds[11, this->side, "request", "wake-up"] = count();
	@sum[11, this->side, "request", "wake-up"] = sum(this->ns);
	@us[11, this->side, "request", "wake-up"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[11, this->side, "request", "wake-up"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ reading[this->got] /
{
	this->ns = reading[this->got];
	@rounds[12, this->side, "request", "read"] = count();
	@sum[12, this->side, "request", "read"] = sum(this->ns);
	@us[12, this->side, "request", "read"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[12, this->side, "request", "read"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ served[this->q] /
{
	this->ns = served[this->q];
	@rounds[13, this->side, "", "server"] = count();
	@sum[13, this->side, "", "server"] = sum(this->ns);
	@us[13, this->side, "", "server"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[13, this->side, "", "server"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ sending[this->back] /
{
	this->ns = sending[this->back];
	@rounds[14, this->side, "answer", "send-queue"] = count();
	@sum[14, this->side, "answer", "send-queue"] = sum(this->ns);
	@us[14, this->side, "answer", "send-queue"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[14, this->side, "answer", "send-queue"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ window[this->back] /
{
	this->ns = window[this->back];
	@rounds[15, this->side, "answer", "window"] = count();
	@sum[15, this->side, "answer", "window"] = sum(this->ns);
	@us[15, this->side, "answer", "window"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[15, this->side, "answer", "window"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ paced[this->back] /
{
	this->ns = paced[this->back];
	@rounds[16, this->side, "answer", "pacing"] = count();
	@sum[16, this->side, "answer", "pacing"] = sum(this->ns);
	@us[16, this->side, "answer", "pacing"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[16, this->side, "answer", "pacing"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ resent[this->back] /
{
	this->ns = resent[this->back];
	@rounds[17, this->side, "answer", "resend"] = count();
	@sum[17, this->side, "answer", "resend"] = sum(this->ns);
	@us[17, this->side, "answer", "resend"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[17, this->side, "answer", "resend"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ ip[this->back] /
{
	this->ns = ip[this->back];
	@rounds[18, this->side, "answer", "ip"] = count();
	@sum[18, this->side, "answer", "ip"] = sum(this->ns);
	@us[18, this->side, "answer", "ip"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[18, this->side, "answer", "ip"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ queue[this->back] /
{
	this->ns = queue[this->back];
	@rounds[19, this->side, "answer", "qdisc"] = count();
	@sum[19, this->side, "answer", "qdisc"] = sum(this->ns);
	@us[19, this->side, "answer", "qdisc"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[19, this->side, "answer", "qdisc"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ driver[this->back] /
{
	this->ns = driver[this->back];
	@rounds[20, this->side, "answer", "driver"] = count();
	@sum[20, this->side, "answer", "driver"] = sum(this->ns);
	@us[20, this->side, "answer", "driver"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[20, this->side, "answer", "driver"] = max(this->ns / 1000);
}

sock:::receive
/ receive[this->home] /
{
	this->ns = receive[this->home];
	@rounds[21, this->side, "answer", "receive"] = count();
	@sum[21, this->side, "answer", "receive"] = sum(this->ns);
	@us[21, this->side, "answer", "receive"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[21, this->side, "answer", "receive"] = max(this->ns / 1000);
}

sock:::receive
/ queued[this->home] /
{
	this->ns = queued[this->home];
	@rounds[22, this->side, "answer", "socket"] = count();
	@sum[22, this->side, "answer", "socket"] = sum(this->ns);
	@us[22, this->side, "answer", "socket"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[22, this->side, "answer", "socket"] = max(this->ns / 1000);
}

sock:::receive
/ waking[this->home] /
{
	this->ns = waking[this->home];
	@rounds[23, this->side, "answer", "wake-up"] = count();
	@sum[23, this->side, "answer", "wake-up"] = sum(this->ns);
	@us[23, this->side, "answer", "wake-up"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[23, this->side, "answer", "wake-up"] = max(this->ns / 1000);
}

sock:::receive
/ reading[this->home] /
{
	this->ns = reading[this->home];
	@rounds[24, this->side, "answer", "read"] = count();
	@sum[24, this->side, "answer", "read"] = sum(this->ns);
	@us[24, this->side, "answer", "read"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[24, this->side, "answer", "read"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ unknown[this->q] /
{
	this->ns = unknown[this->q];
	@rounds[25, this->side, "", "unknown"] = count();
	@sum[25, this->side, "", "unknown"] = sum(this->ns);
	@us[25, this->side, "", "unknown"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[25, this->side, "", "unknown"] = max(this->ns / 1000);
}

sock:::receive, path:::transmit
/ whole[this->q] /
{
	this->ns = whole[this->q];
	@rounds[26, this->side, "", "whole"] = count();
	@sum[26, this->side, "", "whole"] = sum(this->ns);
	@us[26, this->side, "", "whole"] = llquantize(this->ns / 1000, 2, 0, 31, STEPS);
	@most[26, this->side, "", "whole"] = max(this->ns / 1000);
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
