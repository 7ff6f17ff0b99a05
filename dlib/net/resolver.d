/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolver: sites and arguments of the resolver provider: name lookups by the C library. A site is the call or the
 * return of a function in the process that asks. Output: lookupinfo_t. */

/* Members of a site: the call's arguments and its start (ns); at the return also its value. */
struct dw_call {
	uint64_t a0;
	uint64_t a1;
	uint64_t a2;
	uint64_t a3;
	uint64_t a4;
	uint64_t a5;
	uint64_t start;
	uint64_t ret;
	int32_t func;
};

/* Numbers of the functions: the indices of the table in src/prov/net/resolver.c. tests/unit/test_prov.c compares them. */
inline int DW_GETADDRINFO = 0;
inline int DW_GETHOSTBYNAME = 1;
inline int DW_GETHOSTBYNAME2 = 2;
inline int DW_GETHOSTBYNAME_R = 3;
inline int DW_GETHOSTBYNAME2_R = 4;
inline string dw_lkp_func[int f] = f == DW_GETADDRINFO ? "getaddrinfo" : f == DW_GETHOSTBYNAME ? "gethostbyname" :
    f == DW_GETHOSTBYNAME2 ? "gethostbyname2" : f == DW_GETHOSTBYNAME_R ? "gethostbyname_r" : "gethostbyname2_r";

inline int DW_AI_FAMILY = 4;	/* struct addrinfo, ai_family: the offset */

struct dw_lookup {
	uint64_t host;		/* address of the name; 0: none */
	int32_t func;		/* DW_GET... */
	uint64_t start;
	uint64_t ret;
	uint64_t family;	/* address of getaddrinfo's hints, or the family itself */
	uint64_t found;		/* of the _r functions: where they write their result */
};

translator struct dw_lookup < struct dw_call *C > {
	host = C->a0;
	family = C->func == DW_GETADDRINFO ? C->a2 : C->a1;
	found = C->func == DW_GETHOSTBYNAME_R ? C->a4 : C->a5;
};

/* Is a lookup needed? A literal address needs none; AI_NUMERICHOST asks for none. */
inline int DW_AI_NUMERICHOST = 4;	/* struct addrinfo, ai_flags: the first member */
inline int dw_is_lookup[struct dw_lookup *P] = !__isaddr(P->host) && !(P->func == DW_GETADDRINFO && P->family != 0 &&
    (__user(P->family, 4) & DW_AI_NUMERICHOST) != 0);

typedef struct lookupinfo {
	string lkp_host;	/* the name; "" where none was given (getaddrinfo for a service) */
	string lkp_func;	/* the C library's function that was called */
	int lkp_family;		/* AF_INET, AF_INET6 (2, 10): addresses asked for; 0: of any kind */
	int lkp_result;		/* lookup-done: 0: found; else the error: EAI_* of getaddrinfo; -1 of others */
	string lkp_error;	/* ... in words */
	int64_t lkp_latency;	/* lookup-done: nanoseconds since lookup-start */
} lookupinfo_t;

inline string dw_eai[int r] =
    r == 0 ? "" : r == -1 ? "bad flags" : r == -2 ? "name or service not known" :
    r == -3 ? "temporary failure" : r == -4 ? "failure" : r == -5 ? "no address" :
    r == -6 ? "family not supported" : r == -7 ? "socket type not supported" : r == -8 ? "service not supported" :
    r == -9 ? "no address of the family" : r == -10 ? "no memory" : r == -11 ? "system error" :
    r == -12 ? "name too long" : "unknown error";

/* The _r functions return 0 even if they found nothing; then the pointer that they write is NULL. */
inline int dw_lkp_failed[int func, uint64_t ret, uint64_t found] =
    func == DW_GETADDRINFO ? (int)ret : func == DW_GETHOSTBYNAME || func == DW_GETHOSTBYNAME2 ? (ret == 0 ? -1 : 0) :
    (int)ret != 0 ? -1 : __user(found, 8) == 0 ? -1 : 0;

translator lookupinfo_t < struct dw_lookup *P > {
	lkp_host = P->host == 0 ? "" : copyinstr(P->host, 256);
	lkp_func = dw_lkp_func[P->func];
	lkp_family = P->func == DW_GETADDRINFO ? (P->family == 0 ? 0 : (int)__user(P->family + DW_AI_FAMILY, 4)) :
	    P->func == DW_GETHOSTBYNAME2 || P->func == DW_GETHOSTBYNAME2_R ? (int)P->family : DW_AF_INET;
	lkp_result = dw_lkp_failed[P->func, P->ret, P->found];
	lkp_error = P->func == DW_GETADDRINFO ? dw_eai[(int)P->ret] : dw_lkp_failed[P->func, P->ret, P->found] == 0 ? "" : "not found";
	lkp_latency = timestamp - P->start;
};

/* The process that asks is the current process. */
inline uint64_t dw_lkp_own = (uint64_t)curthread->cgroups->dfl_cgrp->kn;

translator csinfo_t < struct dw_lookup *P > {
	cs_addr = 0;
	cs_cid = 0;
	cs_pid = pid;
	cs_zoneid = __zoneid(curthread->nsproxy->net_ns->ns.inum);
	cs_tid = tid;
	cs_uid = uid;
	cs_execname = execname;
	cs_netns = curthread->nsproxy->net_ns->ns.inum;
	cs_cgroup = curthread->cgroups->dfl_cgrp->kn->id;
	cs_zonename = __zone(curthread->nsproxy->net_ns->ns.inum);
	cs_nspid = ((struct upid *)((uint64_t)&curthread->group_leader->thread_pid->numbers +
	    curthread->group_leader->thread_pid->level * sizeof(struct upid)))->nr;
	cs_runtime = dw_box_runtime[__box(dw_lkp_own)];
	cs_container = dw_box_name[__box(dw_lkp_own)];
	cs_parent = 0;
	cs_token = 0;
	cs_orig_saddr = "";
	cs_orig_daddr = "";
	cs_orig_sport = 0;
	cs_orig_dport = 0;
	cs_cgroupname = ((struct dw_name96 *)dw_cg_name[dw_lkp_own])->c;
	cs_containername = __container(DW_STR_CONTAINER, dw_box_id[__box(dw_lkp_own)]);
	cs_podname = __container(DW_STR_POD, dw_box_id[__box(dw_lkp_own)]);
	cs_podnamespace = __container(DW_STR_POD_NAMESPACE, dw_box_id[__box(dw_lkp_own)]);
};
