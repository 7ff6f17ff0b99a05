/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_places: a table in memory that holds the owners of sockets. Part of owner.bpf.c. Each socket has two places in
 * it; if both belong to other sockets, its owner is in the hash `owners`. Why: every packet needs an owner, and a
 * lookup in a hash of the kernel takes ten times as long, as do making and deleting its entries.
 * Input: the address of a socket, and its owner. Output: the owner's record, which programs of scripts find in the same
 * way (src/lower/site/sock.c).
 * Invariants:
 * - A place belongs to one socket until remove(). It is taken by an atomic exchange, filled, and only then has the
 *   socket's address.
 * - A socket has one record. Two CPUs that store its first owner at once may make one in each table: that in the places
 *   is found first, and remove() removes both.
 * - `elsewhere` is never less than the number of entries in the hash. */
_Static_assert(sizeof(struct dw_place) == 64, "DW_PLACE_OFF, and a place is one line of a cache");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* begins at a page, so places are aligned */
	__uint(max_entries, 1);
	__type(key, DW_U32);
	__type(value, struct dw_places);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 131072); /* a default; user space sets the size */
	__type(key, DW_U64);
	__type(value, struct dw_owner);
} owners SEC(".maps");

static __always_inline struct dw_places *all_places(void)
{
	DW_U32 zero = 0;

	return bpf_map_lookup_elem(&places, &zero);
}

/* The verifier does not allow to multiply a pointer, but to it a copy of the lower half is a number. */
static __always_inline DW_U64 place_off(DW_U64 key)
{
	DW_U32 low;

	asm volatile("%0 = %1" : "=w"(low) : "w"((DW_U32)key));
	return DW_PLACE_OFF(low);
}

static __always_inline struct dw_place *place_at(struct dw_places *all, DW_U64 off)
{
	return (struct dw_place *)((char *)all + off);
}

static __always_inline DW_U64 socket_at(const struct dw_place *p)
{
	return *(const volatile DW_U64 *)&p->sk;
}

static __always_inline struct dw_owner *lookup(DW_U64 key)
{
	struct dw_places *all = all_places();
	DW_U64 off = place_off(key);
	struct dw_place *p;

	if (!all)
		return NULL;
	if (socket_at(place_at(all, off)) != key)
		off = DW_PLACE_NEXT(off);
	asm volatile("" : "+r"(off)); /* the verifier then walks what follows once for both places */
	p = place_at(all, off);
	if (socket_at(p) == key)
		return &p->owner;
	return *(volatile DW_U64 *)&all->elsewhere ? bpf_map_lookup_elem(&owners, &key) : NULL;
}

/* The atomic instructions below return a value, which makes them full barriers on every machine. */
static __always_inline bool take_place(struct dw_place *p, DW_U64 key, const struct dw_owner *now)
{
	if (socket_at(p) || __sync_val_compare_and_swap(&p->sk, 0, DW_PLACE_BUSY))
		return false;
	p->owner = *now;
	return __sync_lock_test_and_set(&p->sk, key) == DW_PLACE_BUSY;
}

/* The first owner of a socket. Returns 0, or not if it could not be stored. */
static __always_inline long place_owner(DW_U64 key, const struct dw_owner *now)
{
	struct dw_places *all = all_places();
	DW_U64 off = place_off(key);
	long err;

	if (!all)
		return -1;
	if (take_place(place_at(all, off), key, now) || take_place(place_at(all, DW_PLACE_NEXT(off)), key, now))
		return 0;
	__sync_fetch_and_add(&all->elsewhere, 1);
	err = bpf_map_update_elem(&owners, &key, now, BPF_NOEXIST);
	if (err)
		__sync_fetch_and_add(&all->elsewhere, -1);
	return err;
}

static __noinline int remove(DW_U64 key)
{
	struct dw_places *all = all_places();
	DW_U64 off = place_off(key);

	if (!all)
		return 0;
	__sync_val_compare_and_swap(&place_at(all, off)->sk, key, 0);
	__sync_val_compare_and_swap(&place_at(all, DW_PLACE_NEXT(off))->sk, key, 0);
	if (*(volatile DW_U64 *)&all->elsewhere && !bpf_map_delete_elem(&owners, &key))
		__sync_fetch_and_add(&all->elsewhere, -1);
	return 0;
}
