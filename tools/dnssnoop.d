// SPDX-License-Identifier: GPL-2.0-or-later
/* dnssnoop: lookups of names in the DNS, with their time and result.
 *
 * common: owner hosts failed=-x slow
 * -q            queries = 0     also queries, as they are sent
 * -s            server = 0      show instead what servers of this machine receive and send
 * --port PORT,...  option.dnsports = ports  DNS on these ports too, besides 53
 * row: PID %-7d COMM %-15s TYPE %-6s RESULT %-8s MS[!json] %10s MS=ms[json] %d.%03d OLD=old[json] %d
 * row: SERVER[wide] %-39s NAME %s
 */
/* By socket and kind of query, of which A and AAAA have one each: the last that has no answer yet. */
uint64_t asked_at[uint64_t, int];
int asked_id[uint64_t, int]; /* its number, plus 1 */
string asked_for[uint64_t, int], asked_whom[uint64_t, int], asked_type[uint64_t];
int asks[uint64_t]; /* has the socket asked? Most that are closed have not, and this is all that they cost */

inline int kind[int type] = type == 1 ? 0 : type == 28 ? 1 : 2;
/* Milliseconds as text; a response whose query was not seen has no time. */
inline string ms_text[uint64_t us] =
    strjoin(strjoin(lltostr(us / 1000), "."), substr(lltostr(1000 + us % 1000), 1));
/* How long the process waited, since its first try; with -s, how long the server took. 0: not known. */
inline uint64_t took[uint64_t waited, uint64_t since] = !server && waited != 0 ? waited : since;
inline int given_up[uint64_t socket, int k] =
    asked_at[socket, k] != 0 && timestamp - asked_at[socket, k] >= slow * 1000000;

dtrace:::BEGIN
{
	header();
}

dns:::query
/ !server && !args[4]->dns_recv && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->kind = kind[args[4]->dns_type];
	/* A query that is sent again, with the same number or from another socket, does not begin anew. */
	asked_at[args[1]->cs_cid, this->kind] = asked_id[args[1]->cs_cid, this->kind] == args[4]->dns_id + 1 ?
	    asked_at[args[1]->cs_cid, this->kind] : timestamp - args[4]->dns_waited;
	asked_id[args[1]->cs_cid, this->kind] = args[4]->dns_id + 1;
	asked_for[args[1]->cs_cid, this->kind] = args[4]->dns_name;
	asked_whom[args[1]->cs_cid, this->kind] = args[4]->dns_server;
	asks[args[1]->cs_cid] = 1;
}

dns:::query
/ this->kind == 2 /
{
	asked_type[args[1]->cs_cid] = args[4]->dns_typestr;
}

dns:::response
/ !server && args[4]->dns_recv && asked_at[args[1]->cs_cid, kind[args[4]->dns_type]] /
{
	this->kind = kind[args[4]->dns_type];
	asked_at[args[1]->cs_cid, this->kind] = 0;
	asked_id[args[1]->cs_cid, this->kind] = 0;
	asked_for[args[1]->cs_cid, this->kind] = 0;
	asked_whom[args[1]->cs_cid, this->kind] = 0;
}

dns:::query
/ queries && !failed && slow == 0 && args[4]->dns_recv == server &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[4]->dns_typestr, "-", "-", 0, 0, 0, args[4]->dns_server,
	    args[4]->dns_name);
}

dns:::response
/ args[4]->dns_recv != server && (!failed || args[4]->dns_rcode != 0) &&
  (args[4]->dns_time == 0 || took[args[4]->dns_waited, args[4]->dns_time] >= slow * 1000000) &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->us = args[4]->dns_time == 0 ? 0 : took[args[4]->dns_waited, args[4]->dns_time] / 1000;
	row(args[1]->cs_pid, args[1]->cs_execname, args[4]->dns_typestr, args[4]->dns_rcodestr,
	    args[4]->dns_time == 0 ? "-" : ms_text[this->us], this->us / 1000, this->us % 1000, args[4]->dns_time == 0,
	    args[4]->dns_server, args[4]->dns_name);
}

/* Given up: the socket goes without an answer. */
sock:::close
/ asks[args[1]->cs_cid] /
{
	asks[args[1]->cs_cid] = 0;
	if (given_up[args[1]->cs_cid, 0]) {
		this->us = (timestamp - asked_at[args[1]->cs_cid, 0]) / 1000;
		row(args[1]->cs_pid, args[1]->cs_execname, "A", "none", ms_text[this->us], this->us / 1000, this->us % 1000, 0,
		    asked_whom[args[1]->cs_cid, 0], asked_for[args[1]->cs_cid, 0]);
	}
	if (given_up[args[1]->cs_cid, 1]) {
		this->us = (timestamp - asked_at[args[1]->cs_cid, 1]) / 1000;
		row(args[1]->cs_pid, args[1]->cs_execname, "AAAA", "none", ms_text[this->us], this->us / 1000, this->us % 1000, 0,
		    asked_whom[args[1]->cs_cid, 1], asked_for[args[1]->cs_cid, 1]);
	}
	if (given_up[args[1]->cs_cid, 2]) {
		this->us = (timestamp - asked_at[args[1]->cs_cid, 2]) / 1000;
		row(args[1]->cs_pid, args[1]->cs_execname, asked_type[args[1]->cs_cid], "none", ms_text[this->us], this->us / 1000, this->us % 1000, 0,
		    asked_whom[args[1]->cs_cid, 2], asked_for[args[1]->cs_cid, 2]);
	}
	asked_at[args[1]->cs_cid, 0] = 0;
	asked_id[args[1]->cs_cid, 0] = 0;
	asked_for[args[1]->cs_cid, 0] = 0;
	asked_whom[args[1]->cs_cid, 0] = 0;
	asked_at[args[1]->cs_cid, 1] = 0;
	asked_id[args[1]->cs_cid, 1] = 0;
	asked_for[args[1]->cs_cid, 1] = 0;
	asked_whom[args[1]->cs_cid, 1] = 0;
	asked_at[args[1]->cs_cid, 2] = 0;
	asked_id[args[1]->cs_cid, 2] = 0;
	asked_for[args[1]->cs_cid, 2] = 0;
	asked_whom[args[1]->cs_cid, 2] = 0;
	asked_type[args[1]->cs_cid] = 0;
}
