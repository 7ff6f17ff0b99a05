/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_recent: a cache of the owners that this CPU looked up last, because a lookup in `owners` takes longer than all
 * other work for a packet. Part of owner.bpf.c.
 * Input: an owner that was found (recent_note), or changed (recent_change, after the change). Output: recent_is(): is
 * this process the current owner of the socket?
 * Invariant: an entry is valid while the counter in `changes` of its socket has the value that it had before the entry
 * was read from `owners`. An interrupt may write the same entry: `busy` excludes a second writer, and a reader checks
 * the key again at the end. */
/* Entries per CPU; counters of changes, each shared by several sockets. Both are powers of 2; recent_hash() relies on
 * that. */
#define RECENT 64
#define CHANGES 1024

struct recent {
	DW_U64 sk;
	DW_U32 change, busy;
	struct dw_owner owner;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RECENT);
	__type(key, DW_U32);
	__type(value, struct recent);
} recents SEC(".maps");

DW_U32 changes[CHANGES];

/* The verifier does not allow to multiply a pointer, but to it a copy of the lower half is a number. */
static __always_inline DW_U32 recent_hash(DW_U64 key)
{
	DW_U32 low;

	asm volatile("%0 = %1" : "=w"(low) : "w"((DW_U32)key));
	return low * 0x9e3779b1 >> 22;
}

static __always_inline DW_U32 recent_now(DW_U64 key)
{
	return *(volatile DW_U32 *)&changes[recent_hash(key)];
}

/* The two below use the results of their atomic instructions, which makes them full barriers on every machine. */
static __always_inline DW_U32 recent_before(DW_U64 key)
{
	return __sync_fetch_and_add(&changes[recent_hash(key)], 0);
}

static __always_inline void recent_change(DW_U64 key)
{
	DW_U32 before = __sync_fetch_and_add(&changes[recent_hash(key)], 1);

	asm volatile("" : : "r"(before));
}

static __always_inline struct recent *recent_entry(DW_U64 key)
{
	DW_U32 i = recent_hash(key) % RECENT;

	return bpf_map_lookup_elem(&recents, &i);
}

static __always_inline bool recent_is(DW_U64 key, const struct task_struct *t)
{
	const volatile struct recent *r = recent_entry(key);

	if (!r || r->sk != key || r->change != recent_now(key) || !is_owner((const struct dw_owner *)&r->owner, t))
		return false;
	barrier();
	return r->sk == key;
}

/* Notes o, which was read from `owners` after recent_before() returned change. */
static __always_inline void recent_note(DW_U64 key, DW_U32 change, const struct dw_owner *o)
{
	struct recent *r = recent_entry(key);

	if (!r || __sync_lock_test_and_set(&r->busy, 1))
		return;
	*(volatile DW_U64 *)&r->sk = 0;
	barrier();
	r->owner = *o;
	r->change = change;
	barrier();
	*(volatile DW_U64 *)&r->sk = key;
	*(volatile DW_U32 *)&r->busy = 0;
}
