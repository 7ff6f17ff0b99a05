/* btf: vmlinux BTF -> types and ids. Input: /sys/kernel/btf/vmlinux. Invariant: a
 * structure of the kernel is made once a compilation, so its struct type can be compared by address. */
#include "kernel/btf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/btf_priv.h"
#include "kernel/ksyms.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"

/* Kinds that are looked up by name. */
#define NAMED_KINDS                                                                                   \
	(1u << BTF_KIND_STRUCT | 1u << BTF_KIND_UNION | 1u << BTF_KIND_ENUM | 1u << BTF_KIND_ENUM64 | \
		1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_VAR | 1u << BTF_KIND_INT)

static int make_index(struct kbtf *k, const uint32_t *named, uint32_t n)
{
	k->nslots = 256;
	while (k->nslots < 2 * n)
		k->nslots *= 2;
	k->slots = calloc(k->nslots, sizeof(*k->slots));
	if (!k->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = base_n(k) + named[i], h = name_hash(str_at(k, type_at(k, id)->name_off));

		while (k->slots[h & (k->nslots - 1)])
			h++;
		k->slots[h & (k->nslots - 1)] = id;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
/* Old kernels cannot map it, and give a page a read. */
static int read_all(struct kbtf *k, int fd)
{
	uint8_t *buf = malloc(k->size);
	size_t got = 0;

	if (!buf)
		return -ENOMEM;
	k->raw = buf;
	while (got < k->size) {
		ssize_t n = read(fd, buf + got, k->size - got);

		if (n <= 0)
			return n < 0 ? -errno : -EINVAL;
		got += (size_t)n;
	}
	return 0;
}

static int open_file(struct kbtf *k, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(struct btf_header)) {
		err = -EINVAL;
	} else {
		k->size = (size_t)st.st_size;
		p = mmap(NULL, k->size, PROT_READ, MAP_PRIVATE, fd, 0);
		k->mapped = p != MAP_FAILED;
		if (k->mapped)
			k->raw = p;
		else
			err = read_all(k, fd);
	}
	close(fd);
	return err;
}

static int check_header(struct kbtf *k)
{
	struct btf_header h;

	if (!k->raw || k->size < sizeof(h))
		return -EINVAL;
	memcpy(&h, k->raw, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof(h) || h.hdr_len > k->size ||
		(uint64_t)h.hdr_len + h.type_off + h.type_len > k->size ||
		(uint64_t)h.hdr_len + h.str_off + h.str_len > k->size || !h.str_len)
		return -EINVAL;
	k->types = k->raw + h.hdr_len + h.type_off;
	k->types_len = h.type_len;
	k->strings = (const char *)k->raw + h.hdr_len + h.str_off;
	k->strings_len = h.str_len;
	return k->strings[h.str_len - 1] ? -EINVAL : 0;
}

/* Bytes that a type takes; 0: of a kind that we do not know. All of the kernel's types go through here. */
static uint32_t type_size(const struct btf_type *t)
{
	static const struct {
		uint8_t head, each;
	} sizes[32] = {
		[BTF_KIND_FWD] = { 12, 0 },
		[BTF_KIND_CONST] = { 12, 0 },
		[BTF_KIND_VOLATILE] = { 12, 0 },
		[BTF_KIND_RESTRICT] = { 12, 0 },
		[BTF_KIND_PTR] = { 12, 0 },
		[BTF_KIND_TYPEDEF] = { 12, 0 },
		[BTF_KIND_FUNC] = { 12, 0 },
		[BTF_KIND_FLOAT] = { 12, 0 },
		[BTF_KIND_TYPE_TAG] = { 12, 0 },
		[BTF_KIND_INT] = { 16, 0 },
		[BTF_KIND_VAR] = { 16, 0 },
		[BTF_KIND_DECL_TAG] = { 16, 0 },
		[BTF_KIND_ARRAY] = { 12 + sizeof(struct btf_array), 0 },
		[BTF_KIND_ENUM] = { 12, sizeof(struct btf_enum) },
		[BTF_KIND_ENUM64] = { 12, sizeof(struct btf_enum64) },
		[BTF_KIND_STRUCT] = { 12, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 12, sizeof(struct btf_member) },
		[BTF_KIND_FUNC_PROTO] = { 12, sizeof(struct btf_param) },
		[BTF_KIND_DATASEC] = { 12, sizeof(struct btf_var_secinfo) },
	};
	uint32_t kind = btf_kind(t);
	_Static_assert(sizeof(struct btf_type) == 12, "head");

	return sizes[kind].head + (uint32_t)btf_vlen(t) * sizes[kind].each;
}

/* Pages that are not used cost nothing. */
static int find_types(struct kbtf *k)
{
	uint32_t most = k->types_len / (uint32_t)sizeof(struct btf_type) + 2, off = 0, nnamed = 0;
	uint32_t *named = malloc(most * sizeof(*named));
	int err = 0;

	k->at = calloc(most, sizeof(*k->at));
	if (!k->at || !named)
		err = -ENOMEM;
	for (k->n = !k->base; !err && off + sizeof(struct btf_type) <= k->types_len; k->n++) {
		const struct btf_type *t = (const struct btf_type *)(const void *)(k->types + off);
		uint32_t size = type_size(t);

		if (!size || size > k->types_len - off)
			err = -EINVAL;
		k->at[k->n] = off;
		named[nnamed] = k->n;
		nnamed += NAMED_KINDS >> btf_kind(t) & (t->name_off != 0);
		off += size;
	}
	if (!err)
		err = make_index(k, named, nnamed);
	free(named);
	return err;
}

static int open_btf(struct kbtf *base, const char *path, struct kbtf **out)
{
	struct kbtf *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	k->base = base;
	err = open_file(k, path);
	if (!err)
		err = check_header(k);
	if (!err)
		err = find_types(k);
	if (!err) {
		k->made = calloc(k->n + 1, sizeof(struct type *));
		err = k->made ? 0 : -ENOMEM;
	}
	if (err)
		kbtf_close(k);
	else
		*out = k;
	return err;
}

int kbtf_open(struct kbtf **out)
{
	return open_btf(NULL, BTF_PATH, out);
}

struct kbtf *kbtf_open_module(struct kbtf *k, const char *name, size_t len)
{
	char path[128];
	struct kbtf *m;

	if (!len || len >= sizeof(k->name) || memchr(name, '/', len))
		return NULL;
	for (m = k->modules; m; m = m->next)
		if (!strncmp(m->name, name, len) && !m->name[len])
			return m;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%.*s", (int)len, name);
	if (open_btf(k, path, &m))
		return NULL;
	memcpy(m->name, name, len);
	m->next = k->modules;
	k->modules = m;
	return m;
}

void kbtf_close(struct kbtf *k)
{
	if (!k)
		return;
	while (k->modules) {
		struct kbtf *m = k->modules;

		k->modules = m->next;
		kbtf_close(m);
	}
	if (k->mapped)
		munmap((void *)(uintptr_t)k->raw, k->size);
	else
		free((void *)(uintptr_t)k->raw);
	free(k->at);
	free(k->slots);
	free(k->funcs);
	free(k->made);
	ksyms_close(k->syms);
	free(k);
}

uint32_t kbtf_find_id(const struct kbtf *k, const char *name, uint64_t kinds)
{
	uint32_t h = name_hash(name), id;

	for (; (id = k->slots[h & (k->nslots - 1)]) != 0; h++) {
		const struct btf_type *t = type_at(k, id);

		if ((kinds >> btf_kind(t) & 1) && !strcmp(str_at(k, t->name_off), name))
			return id;
	}
	return 0;
}

/* Functions are most of the names and seldom asked for: not in the index. */
void kbtf_funcs(struct kbtf *k, const char *const *names, uint32_t *ids, size_t n)
{
	bool first[256] = { false }; /* letters that a name begins with */
	size_t left = n;

	memset(ids, 0, n * sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		first[(uint8_t)names[i][0]] = true;
	for (uint32_t id = 1; id < k->n && left; id++) {
		const struct btf_type *t = type_at(k, id);
		const char *name = btf_is_func(t) ? str_at(k, t->name_off) : "";

		for (size_t i = 0; i < n && first[(uint8_t)name[0]]; i++) {
			if (ids[i] || strcmp(name, names[i]) != 0)
				continue;
			ids[i] = id;
			left--;
		}
	}
}

uint32_t kbtf_var(struct kbtf *k, const char *name)
{
	return kbtf_find_id(k, name, 1u << BTF_KIND_VAR);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static struct type *make_tagged(struct kbtf *k, struct types *ts, uint32_t id, const struct btf_type *bt)
{
	struct type *t;

	id -= base_n(k);
	if (k->made_in != ts->arena) { /* types live in the arena of one compilation */
		if (k->made_in)
			memset(k->made, 0, k->n * sizeof(struct type *));
		k->made_in = ts->arena;
	}
	if (k->made[id])
		return k->made[id];
	t = type_new(ts,
		btf_is_struct(bt)          ? T_STRUCT
			: btf_is_union(bt) ? T_UNION
					   : T_ENUM,
		str_at(k, bt->name_off), bt->size, btf_is_any_enum(bt) && btf_kflag(bt));
	t->btf_id = k->base ? 0 : id;
	t->module = k->base ? k : NULL;
	t->module_id = k->base ? id + base_n(k) : 0;
	t->complete = t->kind == T_ENUM;
	k->made[id] = t;
	return t;
}

static struct type *make_int(struct types *ts, const struct kbtf *k, const struct btf_type *bt)
{
	bool sgn = btf_int_encoding(bt) & BTF_INT_SIGNED;
	const char *name = str_at(k, bt->name_off);

	if (btf_int_encoding(bt) & BTF_INT_BOOL)
		return ts->bool_;
	if (bt->size == 1 && !strcmp(name, "char"))
		return ts->char_;
	if (bt->size > 8) { /* __int128: bytes */
		return type_array(ts, ts->uint64, bt->size / 8);
	}
	return type_int(ts, bt->size, sgn);
}

struct type *kbtf_make_type(struct kbtf *k, struct types *ts, uint32_t id)
{
	const struct btf_type *bt = id ? type_at(k, id) : NULL;
	struct type *t;

	if (!bt)
		return ts->void_;
	if (k->base && id < k->base->n)
		k = k->base;
	switch (btf_kind(bt)) {
	case BTF_KIND_INT:
		return make_int(ts, k, bt);
	case BTF_KIND_PTR:
		return type_ptr(ts, kbtf_make_type(k, ts, bt->type));
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return kbtf_make_type(k, ts, bt->type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return make_tagged(k, ts, id, bt);
	case BTF_KIND_ARRAY:
		t = kbtf_make_type(k, ts, btf_array(bt)->type);
		return type_array(ts, t, btf_array(bt)->nelems);
	case BTF_KIND_FLOAT:
		return bt->size == 4 ? ts->float_ : ts->double_;
	case BTF_KIND_FWD: { /* a full structure of the name may stand elsewhere */
		enum type_kind kind = btf_kflag(bt) ? T_UNION : T_STRUCT;

		t = types_tagged(ts, kind, str_at(k, bt->name_off));
		return t ? t : ts->void_;
	}
	default:
		return ts->void_;
	}
}

static struct type *kt_find(void *ctx, struct types *ts, enum type_kind kind, const char *name)
{
	struct kbtf *k = ctx;
	uint64_t kinds = kind == T_STRUCT ? 1ull << BTF_KIND_STRUCT
		: kind == T_UNION         ? 1ull << BTF_KIND_UNION
		: kind == T_ENUM          ? 1ull << BTF_KIND_ENUM | 1ull << BTF_KIND_ENUM64
					  : 1ull << BTF_KIND_TYPEDEF;
	uint32_t id = kbtf_find_id(k, name, kinds);
	struct kbtf *m;

	if (id)
		return kbtf_make_type(k, ts, id);
	/* Modules' names of their own mostly begin with theirs: sctp_association. */
	(void)kbtf_open_module(k, name, strcspn(name, "_"));
	for (m = k->modules; m; m = m->next) {
		id = kbtf_find_id(m, name, kinds);
		if (id)
			return kbtf_make_type(m, ts, id);
	}
	return NULL;
}

static void kt_complete(void *ctx, struct types *ts, struct type *t)
{
	struct kbtf *k = t->module ? t->module : ctx;
	const struct btf_type *bt = type_at(k, t->module ? t->module_id : t->btf_id);
	const struct btf_member *m = btf_members(bt);
	unsigned n = btf_vlen(bt);

	t->complete = true;
	t->members = ARENA_ARRAY(ts->arena, struct type_member, n + 1u);
	t->nmembers = n;
	for (unsigned i = 0; i < n; i++) {
		const char *name = str_at(k, m[i].name_off);

		t->members[i].name = *name ? name : NULL;
		t->members[i].type = kbtf_make_type(k, ts, m[i].type);
		t->members[i].bit_off = btf_member_bit_offset(bt, i);
		t->members[i].bits = btf_member_bitfield_size(bt, i);
	}
}

static struct ktype_enum enumerator_at(const struct kbtf *k, const struct btf_type *t, unsigned i)
{
	struct ktype_enum e;

	if (btf_is_enum64(t)) {
		e.name = str_at(k, btf_enum64(t)[i].name_off);
		e.value = (int64_t)btf_enum64_value(&btf_enum64(t)[i]);
	} else {
		e.name = str_at(k, btf_enum(t)[i].name_off);
		e.value = btf_kflag(t) ? btf_enum(t)[i].val : (int64_t)(uint32_t)btf_enum(t)[i].val;
	}
	return e;
}

static bool find_enumerator(const struct kbtf *k, const char *name, int64_t *value)
{
	for (uint32_t id = base_n(k) + !k->base; id < base_n(k) + k->n; id++) {
		const struct btf_type *t = type_at(k, id);

		for (unsigned i = 0; btf_is_any_enum(t) && i < btf_vlen(t); i++) {
			struct ktype_enum e = enumerator_at(k, t, i);

			if (!strcmp(e.name, name)) {
				*value = btf_is_enum64(t) ? e.value : (int32_t)e.value;
				return true;
			}
		}
	}
	return false;
}

/* Enumerators are not indexed (there are tens of thousands, seldom asked for): a walk over the enums, then over those
 * of the modules that were asked for. */
static bool kt_enumerator(void *ctx, const char *name, int64_t *value)
{
	const struct kbtf *k = ctx;

	if (find_enumerator(k, name, value))
		return true;
	for (k = k->modules; k; k = k->next)
		if (find_enumerator(k, name, value))
			return true;
	return false;
}

static size_t kt_enumerators(void *ctx, struct arena *a, const char *tag, struct ktype_enum **v)
{
	const uint64_t kinds = 1ull << BTF_KIND_ENUM | 1ull << BTF_KIND_ENUM64;
	const struct kbtf *k = ctx, *m = k->modules;
	uint32_t id = kbtf_find_id(k, tag, kinds);
	const struct btf_type *t;
	size_t n;

	for (; !id && m; m = m->next) {
		k = m;
		id = kbtf_find_id(k, tag, kinds);
	}
	t = id ? type_at(k, id) : NULL;
	n = t ? btf_vlen(t) : 0;
	*v = ARENA_ARRAY(a, struct ktype_enum, n + 1);
	for (size_t i = 0; i < n; i++)
		(*v)[i] = enumerator_at(k, t, (unsigned)i);
	return n;
}

/* A name of the kind that is one slip away: only names with the same first letter are compared. */
static const char *type_text(const struct kbtf *k, struct arena *a, uint32_t id, unsigned depth)
{
	const struct btf_type *t = id && id < base_n(k) + k->n && depth < 32 ? type_at(k, id) : NULL;
	const char *name = t ? str_at(k, t->name_off) : "", *of;

	if (!t)
		return "void";
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		of = type_text(k, a, t->type, depth + 1);
		if (t->type && btf_kind(type_at(k, t->type)) == BTF_KIND_FUNC_PROTO)
			return arena_printf(a, "%s (*)()", of);
		return arena_printf(a, "%s%s*", of, of[0] && of[strlen(of) - 1] == '*' ? "" : " ");
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_RESTRICT:
		return type_text(k, a, t->type, depth + 1);
	case BTF_KIND_CONST:
		return arena_printf(a, "const %s", type_text(k, a, t->type, depth + 1));
	case BTF_KIND_VOLATILE:
		return arena_printf(a, "volatile %s", type_text(k, a, t->type, depth + 1));
	case BTF_KIND_ARRAY:
		return arena_printf(a, "%s [%u]", type_text(k, a, btf_array(t)->type, depth + 1), btf_array(t)->nelems);
	case BTF_KIND_STRUCT:
		return arena_printf(a, "struct%s%s", *name ? " " : "", name);
	case BTF_KIND_UNION:
		return arena_printf(a, "union%s%s", *name ? " " : "", name);
	case BTF_KIND_FWD:
		return arena_printf(a, "%s %s", btf_kflag(t) ? "union" : "struct", name);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return arena_printf(a, "enum%s%s", *name ? " " : "", name);
	default:
		return name;
	}
}

static const char *kt_member_text(void *ctx, struct arena *a, const struct type *t, size_t member)
{
	const struct kbtf *k = t->module ? t->module : ctx;
	uint32_t id = t->module ? t->module_id : t->btf_id;
	const struct btf_type *bt = id ? type_at(k, id) : NULL;

	return bt && btf_is_composite(bt) && member < btf_vlen(bt) ? type_text(k, a, btf_members(bt)[member].type, 0)
								   : NULL;
}

static const char *kt_nearest(void *ctx, enum type_kind kind, const char *name)
{
	struct kbtf *k = ctx;
	const char *pair[2] = { NULL, NULL }, *best = NULL;

	for (uint32_t id = 1; id < k->n; id++) {
		const struct btf_type *t = type_at(k, id);
		const char *s;

		if (kind == T_STRUCT ? !btf_is_struct(t) : kind == T_UNION ? !btf_is_union(t) : !btf_is_typedef(t))
			continue;
		s = str_at(k, t->name_off);
		if (s[0] != name[0] || strlen(s) + 1 < strlen(name) || strlen(s) > strlen(name) + 1)
			continue;
		pair[0] = s;
		if (nearest_name(name, pair)) {
			best = s;
			break;
		}
	}
	return best;
}

static bool kt_has_module(void *ctx, const char *module)
{
	char path[128];

	if (ksyms_is_kernel(module))
		return true;
	if (strchr(module, '/') || snprintf(path, sizeof(path), "/sys/module/%s", module) >= (int)sizeof(path) ||
		access(path, F_OK))
		return false;
	(void)kbtf_open_module(ctx, module, strlen(module)); /* its types are asked for next */
	return true;
}

struct ktypes kbtf_ktypes(struct kbtf *k)
{
	return (struct ktypes){
		.ctx = k,
		.find = kt_find,
		.complete = kt_complete,
		.enumerator = kt_enumerator,
		.symbol = kbtf_symbol,
		.has_module = kt_has_module,
		.enumerators = kt_enumerators,
		.member_text = kt_member_text,
		.nearest = kt_nearest,
	};
}

/* ---- text of types ----------------------------------------------------------------------------------------------- */
static const char *int_text(const struct btf_type *t)
{
	bool sgn = btf_int_encoding(t) & BTF_INT_SIGNED;

	if (btf_int_encoding(t) & BTF_INT_BOOL)
		return "bool";
	switch (t->size) {
	case 1:
		return sgn || (btf_int_encoding(t) & BTF_INT_CHAR) ? "char" : "unsigned char";
	case 2:
		return sgn ? "short" : "unsigned short";
	case 4:
		return sgn ? "int" : "unsigned int";
	default:
		return sgn ? "long" : "unsigned long";
	}
}

/* Of what a pointer points to, or an integer: what has no name that D could look up is void, or an int. */
static const char *base_text(struct kbtf *k, struct arena *a, const struct btf_type *t)
{
	const char *name = t ? str_at(k, t->name_off) : "";

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		return int_text(t);
	case BTF_KIND_TYPEDEF:
		return name;
	case BTF_KIND_STRUCT:
	case BTF_KIND_FWD:
		return *name &&
				(kbtf_find_id(k, name, 1u << BTF_KIND_STRUCT) ||
					(k->base && kbtf_find_id(k->base, name, 1u << BTF_KIND_STRUCT)))
			? arena_printf(a, "struct %s", name)
			: "void";
	case BTF_KIND_UNION:
		return *name ? arena_printf(a, "union %s", name) : "void";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return *name ? arena_printf(a, "enum %s", name) : "int";
	default:
		return "void";
	}
}

/* A type as D writes it. */
const char *kbtf_d_text(struct kbtf *k, struct arena *a, uint32_t id)
{
	const struct btf_type *t = NULL;
	const char *stars = "", *text;

	for (; id; id = t->type) {
		t = type_at(k, id);
		if (btf_is_ptr(t))
			stars = arena_printf(a, "%s*", stars);
		else if (btf_kind(t) != BTF_KIND_CONST && btf_kind(t) != BTF_KIND_VOLATILE &&
			btf_kind(t) != BTF_KIND_RESTRICT && btf_kind(t) != BTF_KIND_TYPE_TAG)
			break;
	}
	text = base_text(k, a, id ? t : NULL);
	return *stars ? arena_printf(a, "%s %s", text, stars) : strcmp(text, "void") != 0 ? text : "unsigned long";
}
