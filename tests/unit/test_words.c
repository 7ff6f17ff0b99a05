/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_words: elements whose key and value are a word each (bpf/lib_words.h), with a plain table in place of the
 * kernel's hash: against a model, with pairs that two CPUs made of one key, and with several programs of which any may
 * go on at each access of memory, as interrupts and other CPUs have it. */
#include <stdint.h>
#include <ucontext.h>

#include "abi/words.h"
#include "unit.h"

typedef uint32_t u32;
typedef unsigned long long u64;

/* ---- programs that take turns ------------------------------------------------------------------------------------ */
#define PROGRAMS 3
#define STATEMENTS 5
#define ORDERS 60000u
#define STACK 65536

static struct program {
	ucontext_t context;
	char *stack;
	bool done;
} programs[PROGRAMS];
static int running = -1; /* -1: no program, so nothing takes turns */
static uint64_t seed;
static u32 chance; /* one in so many accesses is followed by another program's */
/* What interrupts whom else than these programs: before which access, what it does. */
static struct interrupt {
	unsigned before;
	void (*does)(void);
} interrupts[2];
static unsigned accesses;

static u32 random_next(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33);
}

static void next_access(void)
{
	static bool interrupted;

	for (unsigned i = 0; !interrupted && i < ROWS(interrupts); i++)
		if (interrupts[i].does && accesses == interrupts[i].before) {
			interrupted = true;
			interrupts[i].does();
			interrupted = false;
			interrupts[i].does = NULL;
		}
	accesses += !interrupted;
}

static void turn(void)
{
	int me = running, next;

	if (me < 0) {
		next_access();
		return;
	}
	if (random_next() % chance)
		return;
	next = (int)(random_next() % PROGRAMS);
	if (next == me || programs[next].done)
		return;
	running = next;
	swapcontext(&programs[me].context, &programs[next].context);
}

#define INLINE static inline
#define PART static __attribute__((noinline))
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))
#define MASK(x, bits) ((x) &= (bits))
#define NUMBER(x) ((void)(x))
#define AT(p) (*(turn(), (volatile u64 *)(p)))

static u64 exchange_if(u64 *p, u64 old, u64 new)
{
	turn();
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST), old;
}

static u64 exchange(u64 *p, u64 new)
{
	turn();
	return __atomic_exchange_n(p, new, __ATOMIC_SEQ_CST);
}

static void add(u64 *p, u64 n)
{
	turn();
	__atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);
}
#define __sync_val_compare_and_swap(p, old, new) exchange_if(p, old, new)
#define __sync_lock_test_and_set(p, new) exchange(p, new)
#define __sync_fetch_and_add(p, n) add(p, n)

/* ---- the hash: each element that is made has separate memory ----------------------------------------------------- */
#define KEYS 6 /* of one bucket, which has room for four */
static u64 keys[KEYS], *behind[KEYS], made[256];
static unsigned nmade;

static unsigned of_key(u64 key)
{
	unsigned i = 0;

	while (keys[i] != key)
		i++;
	return i;
}

static u64 *map_lookup(void *map, const u64 *key)
{
	(void)map;
	turn();
	return behind[of_key(*key)];
}

static long map_update(void *map, const u64 *key, const u64 *value, u64 flags)
{
	u64 **element = &behind[of_key(*key)];

	(void)map;
	turn();
	if (flags == 1 && *element) /* BPF_NOEXIST */
		return -17;
	if (flags == 2 && !*element) /* BPF_EXIST */
		return -2;
	*element = &made[nmade++ % ROWS(made)];
	**element = *value;
	return 0;
}

static long map_delete(void *map, const u64 *key)
{
	u64 **element = &behind[of_key(*key)];

	(void)map;
	turn();
	if (!*element)
		return -2;
	*element = NULL;
	return 0;
}

u64 word_read(void *table, u64 key, void *map);
u64 word_delete(void *table, u64 key, void *map);
u64 word_write(void *table, u64 key, u64 value, void *map);
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "../../bpf/lib_words.h"

static _Alignas(64) char words[DW_WORDS_SIZE];

static u64 get(unsigned i)
{
	return word_read(words, keys[i], NULL);
}

static u64 set(unsigned i, u64 value)
{
	return word_write(words, keys[i], value, NULL);
}

static void drop(unsigned i)
{
	EXPECT_INT(word_delete(words, keys[i], NULL), 0);
}

static void begin(void)
{
	memset(words, 0, DW_WORDS_FIRST);
	memset(word_bucket(words, keys[0]), 0, (size_t)DW_WORD_BUCKET);
	memset(behind, 0, sizeof(behind));
}

/* Keys of one bucket, each from another group, the first and the last of all groups among them. */
static void choose_keys(void)
{
	u64 *const bucket = word_bucket(words, 0);
	u64 key = 0;

	for (unsigned i = 0; i < KEYS; i++, key++) {
		if (i == KEYS - 1)
			key = UINT64_MAX - (1 << DW_WORD_GROUP_BITS) + 1;
		while (word_bucket(words, key) != bucket)
			key++;
		keys[i] = key;
	}
}

/* No two keys of a bucket are kept as the same. */
static void test_names(void)
{
	for (unsigned i = 0; i < KEYS; i++)
		for (unsigned j = 0; j < i; j++)
			EXPECT(word_of(keys[i]) != word_of(keys[j]));
	for (u64 key = 0; key < 100; key++)
		for (u64 other = key + 1; other < key + 1 + 2ull * DW_WORD_BUCKETS; other++)
			if (word_bucket(words, key) == word_bucket(words, other))
				EXPECT(word_of(key) != word_of(other));
}

static void test_model(void)
{
	u64 want[KEYS] = { 0 };

	begin();
	for (unsigned n = 0; n < 20000; n++) {
		unsigned i = random_next() % KEYS;

		want[i] = random_next() % 3 ? random_next() + 1u : 0;
		if (!want[i] && n % 2)
			drop(i);
		else
			EXPECT_INT(set(i, want[i]), 0);
		for (unsigned k = 0; k < KEYS; k++)
			CHECK(get(k) == want[k], "key %u after %u changes", k, n);
	}
}

/* A key whose bucket is full goes into the hash; when it gets a pair later, its element there does not come back. */
static void test_moves(void)
{
	begin();
	for (unsigned i = 0; i < KEYS; i++)
		EXPECT_INT(set(i, i + 1), 0);
	EXPECT(behind[4] && behind[5] && !behind[3]);
	drop(0);
	EXPECT_INT(set(4, 50), 0);
	EXPECT_INT(get(4), 50);
	EXPECT(!behind[4]);
	drop(4);
	EXPECT_INT(get(4), 0);
	EXPECT_INT(get(5), 6);
	EXPECT_INT(*word_elsewhere(words), 1);
}

/* Two CPUs have made a pair each of one key: the first one counts, and both go. */
static void test_two_pairs(void)
{
	u64 *bucket = word_bucket(words, keys[0]);

	for (size_t i = 0; i < DW_WORD_PAIRS; i++)
		for (size_t j = i + 1; j < DW_WORD_PAIRS; j++) {
			begin();
			bucket[2 * i] = bucket[2 * j] = word_of(keys[0]);
			bucket[2 * i + 1] = 7;
			bucket[2 * j + 1] = 8;
			EXPECT_INT(get(0), 7);
			EXPECT_INT(set(0, 9), 0);
			EXPECT_INT(get(0), 9);
			drop(0);
			EXPECT_INT(get(0), 0);
			EXPECT_INT((bucket[2 * i] | bucket[2 * j]) & DW_WORD_USED, 0);
		}
}

/* A pair that another CPU is making belongs to nobody. A value stays what it is while another CPU writes it. */
static void test_locked(void)
{
	u64 *bucket = word_bucket(words, keys[0]);

	begin();
	for (size_t i = 0; i < DW_WORD_PAIRS; i++)
		bucket[2 * i] = DW_WORD_LOCKED;
	EXPECT_INT(set(0, 3), 0);
	EXPECT_INT(get(0), 3);
	EXPECT(behind[0]);
	begin();
	EXPECT_INT(set(0, 5), 0);
	bucket[0] |= DW_WORD_LOCKED;
	EXPECT_INT(set(0, 6), 0);
	EXPECT_INT(get(0), 5);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */
#define ACCESSES 16 /* more than reading, writing or deleting has */

static void interrupt(unsigned i, unsigned before, void (*does)(void))
{
	interrupts[i] = (struct interrupt){ before, does };
	accesses = 0;
}

static void no_interrupts(void)
{
	memset(interrupts, 0, sizeof(interrupts));
}

static void give_to_other(void)
{
	drop(0);
	EXPECT_INT(set(1, 2), 0);
}

static void take_back(void)
{
	drop(1);
	EXPECT_INT(set(0, 3), 0);
}

static void look(void)
{
	u64 v = get(0);

	CHECK(v == 0 || v == 7, "an older value: %llu", v);
}

/* The pair becomes another key's while the first is read, and the first one's again. */
static void test_read_interrupted(void)
{
	for (unsigned a = 0; a < ACCESSES; a++)
		for (unsigned b = a; b < ACCESSES; b++) {
			u64 v;

			begin();
			EXPECT_INT(set(0, 1), 0);
			interrupt(0, a, give_to_other);
			interrupt(1, b, take_back);
			v = get(0);
			no_interrupts();
			CHECK(v == 0 || v == 1 || v == 3, "before %u and %u: %llu", a, b, v);
		}
}

/* ... while a value is written to it: the other key keeps its own, which is what the first one's was. */
static void test_write_interrupted(void)
{
	for (unsigned a = 0; a < ACCESSES; a++) {
		u64 v;

		begin();
		EXPECT_INT(set(0, 2), 0);
		interrupt(0, a, give_to_other);
		EXPECT_INT(set(0, 9), 0);
		v = interrupts[0].does ? 2 : get(1); /* it ended before that access */
		no_interrupts();
		CHECK(v == 2, "before %u: %llu", a, v);
	}
}

static void test_delete_interrupted(void)
{
	u64 *bucket = word_bucket(words, keys[0]);

	for (unsigned a = 0; a < ACCESSES; a++) {
		begin();
		bucket[0] = bucket[4] = word_of(keys[0]);
		bucket[1] = 7;
		bucket[5] = 8;
		interrupt(0, a, look);
		drop(0);
		no_interrupts();
		EXPECT_INT(get(0), 0);
	}
}

/* ---- all orders -------------------------------------------------------------------------------------------------- */
/* The first keys belong to a program each, which finds what it has written. The others belong to all; marked: a value
 * says whose it is. If not, they all have the same few values. */
static bool marked;
static u64 own[PROGRAMS];
static unsigned wrong, reads;

static u64 value_of(unsigned i)
{
	return (marked ? (i + 1) << 8 : 0) + 1 + random_next() % 2;
}

static void statement(unsigned me)
{
	const unsigned i = random_next() % 2 ? me : PROGRAMS + random_next() % (KEYS - PROGRAMS),
		       what = random_next() % 8;
	u64 v;

	if (what < 3) {
		v = value_of(i);
		set(i, v);
	} else if (what < 5) {
		v = 0;
		word_delete(words, keys[i], NULL);
	} else {
		v = get(i);
		reads++;
		wrong += i == me ? v != own[me] : marked && v && v >> 8 != i + 1;
		return;
	}
	if (i == me)
		own[me] = v;
}

static void run(void)
{
	const int me = running;

	for (unsigned n = 0; n < STATEMENTS; n++)
		statement((unsigned)me);
	programs[me].done = true;
	for (running = PROGRAMS - 1; running >= 0 && programs[running].done; running--)
		continue;
	if (running >= 0)
		setcontext(&programs[running].context);
	/* all have ended: uc_link leads back to run_all() */
}

/* Starts all programs; returns when they have ended. */
static void run_all(void)
{
	static ucontext_t back;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct program *p = &programs[i];

		getcontext(&p->context);
		p->context.uc_stack.ss_sp = p->stack;
		p->context.uc_stack.ss_size = STACK;
		p->context.uc_link = &back;
		makecontext(&p->context, run, 0);
		p->done = false;
		own[i] = 0;
	}
	running = 0;
	swapcontext(&back, &programs[0].context);
}

static void test_orders(void)
{
	for (unsigned n = 0; n < ORDERS; n++) {
		begin();
		marked = n % 2;
		chance = 1 + n % 6;
		wrong = 0;
		run_all();
		for (unsigned i = 0; i < PROGRAMS; i++)
			wrong += get(i) != own[i];
		CHECK(!wrong, "order %u: %u reads have another value than the last one", n, wrong);
		for (unsigned i = 0; i < KEYS; i++) {
			word_delete(words, keys[i], NULL);
			wrong += get(i) != 0;
		}
		CHECK(!wrong && !*word_elsewhere(words), "order %u: not all could be deleted", n);
	}
	EXPECT(reads > ORDERS);
}

int main(void)
{
	seed = 1;
	choose_keys();
	test_names();
	test_model();
	test_moves();
	test_two_pairs();
	test_locked();
	test_read_interrupted();
	test_write_interrupted();
	test_delete_interrupted();
	for (unsigned i = 0; i < PROGRAMS; i++)
		programs[i].stack = malloc(STACK);
	test_orders();
	for (unsigned i = 0; i < PROGRAMS; i++)
		free(programs[i].stack);
	return unit_end();
}
