/* print: decoding of fields, printf, trace and the line head.
 * Input: a record or a key and its fields. Output: text in an out.
 * Invariant: no byte outside the data given is read, whatever the fields say; nothing is allocated.
 * Source: D manual, chapter "Output Formatting"; RFC 5952 for IPv6 addresses. */
#include "run/print.h"
#include "run/rows.h"
#include "run/symtext.h"
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <math.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <string.h>
#include <time.h>

/* ---- decoding ---------------------------------------------------------------------------------------------------- */
static size_t put_dec(char *p, uint32_t v)
{
	char buf[10];
	size_t n = 0;

	do
		buf[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		p[i] = buf[n - 1 - i];
	return n;
}

static size_t put_quad(char *p, const uint8_t *a)
{
	size_t n = 0;

	for (size_t i = 0; i < 4; i++) {
		if (i)
			p[n++] = '.';
		n += put_dec(p + n, a[i]);
	}
	return n;
}

static size_t put_hex16(char *p, unsigned v)
{
	size_t n = 0;

	for (int shift = 12; shift >= 0; shift -= 4)
		if (v >> shift || !shift)
			p[n++] = "0123456789abcdef"[v >> shift & 15];
	return n;
}

/* The longest run of two or more zero groups, the first of several (RFC 5952 section 4.2). */
static void longest_run(const unsigned g[8], size_t *start, size_t *len)
{
	*start = 8;
	*len = 1;
	for (size_t i = 0; i < 8; i++) {
		size_t n = 0;

		while (i + n < 8 && !g[i + n])
			n++;
		if (n > *len) {
			*start = i;
			*len = n;
		}
		i += n;
	}
}

size_t addr_text(const uint8_t *addr, bool v6, char out[PVAL_SCRATCH])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned g[8];
	size_t start, len, n = 0;

	if (!v6) {
		n = put_quad(out, addr);
	} else if (!memcmp(addr, mapped, sizeof(mapped))) {
		memcpy(out, "::ffff:", 7);
		n = 7 + put_quad(out + 7, addr + 12);
	} else {
		for (size_t i = 0; i < 8; i++)
			g[i] = (unsigned)addr[2 * i] << 8 | addr[2 * i + 1];
		longest_run(g, &start, &len);
		for (size_t i = 0; i < 8; i++) {
			if (i == start) {
				out[n++] = ':';
				if (i + len == 8)
					out[n++] = ':';
				i += len - 1;
				continue;
			}
			if (i)
				out[n++] = ':';
			n += put_hex16(out + n, g[i]);
		}
	}
	out[n] = '\0';
	return n;
}

static void read_int(const struct field *f, const uint8_t *p, struct pval *out)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;

	out->is_signed = f->is_signed;
	out->is_float = f->is_float;
	out->size = (uint8_t)f->size;
	switch (f->size) {
	case 1:
		memcpy(&u8, p, 1);
		out->i = f->is_signed ? (uint64_t)(int8_t)u8 : u8;
		break;
	case 2:
		memcpy(&u16, p, 2);
		out->i = f->is_signed ? (uint64_t)(int16_t)u16 : u16;
		break;
	case 4:
		memcpy(&u32, p, 4);
		out->i = f->is_signed ? (uint64_t)(int32_t)u32 : u32;
		break;
	case 8:
		memcpy(&out->i, p, 8);
		break;
	default:
		out->size = 8;
		break;
	}
}

static void text_lit(const struct image *image, uint32_t num, struct pval *out)
{
	if (num >= image->lits.n)
		return;
	out->s = image->lits.v[num].s;
	out->len = image->lits.v[num].len;
}

/* What /proc/loadavg says now, without the end of the line; nothing when it cannot be read. */
static size_t load_text(char scratch[PVAL_SCRATCH])
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, scratch, PVAL_SCRATCH);

	if (fd >= 0)
		close(fd);
	while (n > 0 && (unsigned char)scratch[n - 1] <= ' ')
		n--;
	return n > 0 ? (size_t)n : 0;
}

/* Nothing when the device has no speed, or is not of this process's namespace. */
static size_t speed_text(const struct dw_tstr *t, char scratch[PVAL_SCRATCH])
{
	struct ethtool_cmd cmd = { .cmd = ETHTOOL_GSET };
	struct ifreq req = { .ifr_data = (char *)&cmd };
	uint32_t device, netns, speed = (uint32_t)SPEED_UNKNOWN;
	struct stat own;
	int fd;

	memcpy(&device, t->b, sizeof(device));
	memcpy(&netns, t->b + 4, sizeof(netns));
	if (stat("/proc/self/ns/net", &own) || own.st_ino != netns || !if_indextoname(device, req.ifr_name))
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	if (ioctl(fd, SIOCETHTOOL, &req) == 0)
		speed = ethtool_cmd_speed(&cmd);
	close(fd);
	return speed && speed != (uint32_t)SPEED_UNKNOWN ? put_dec(scratch, speed) : 0;
}

/* out is "" and raw. */
static void read_tstr(const struct pval_env *env, const uint8_t *p, char *scratch, struct pval *out)
{
	struct dw_tstr t;
	uint32_t num;

	memcpy(&t, p, sizeof(t));
	memcpy(&num, t.b, sizeof(num));
	switch (t.tag) {
	case DW_STR_LIT:
		text_lit(env->image, num, out);
		break;
	case DW_STR_ZONE: {
		const char *name = env->zone_name ? env->zone_name(env->ctx, num) : NULL;

		out->raw = false;
		out->s = name ? name : scratch;
		out->len = name ? strlen(name) : put_dec(scratch, num);
		break;
	}
	case DW_STR_LOAD:
		out->s = scratch;
		out->len = load_text(scratch);
		break;
	case DW_STR_MOVED:
		out->s = env->moved ? env->moved(env->ctx) : "";
		out->len = strlen(out->s);
		break;
	case DW_STR_SPEED:
		out->s = scratch;
		out->len = speed_text(&t, scratch);
		break;
	case DW_STR_IP4:
	case DW_STR_IP6:
		out->s = scratch;
		out->len = addr_text(t.b, t.tag == DW_STR_IP6, scratch);
		break;
	default:
		break;
	}
}

/* Names of addresses. A user's stands behind the number of its process. */
static void read_address(const struct pval_env *env, const struct field *f, const uint8_t *p,
	char scratch[PVAL_SCRATCH], struct pval *out)
{
	uint64_t w[2] = { 0, 0 };
	int n;

	out->kind = PVAL_TEXT;
	out->symbol = true;
	if (p && f->size == 16)
		memcpy(w, p, 16);
	else if (p && f->size == 8)
		memcpy(&w[1], p, 8);
	if (env->symtext) {
		out->s = symtext_name(env->symtext, f->kind, w[0], w[1]);
		out->len = strlen(out->s);
		return;
	}
	n = snprintf(scratch, PVAL_SCRATCH, "0x%llx", (unsigned long long)w[1]);
	out->s = scratch;
	out->len = n > 0 ? (size_t)n : 0;
}

void pval_read(const struct pval_env *env, const struct field *f, const uint8_t *data, size_t len,
	char scratch[PVAL_SCRATCH], struct pval *out)
{
	bool inside = f->off <= len && f->size <= len - f->off;
	const uint8_t *p = inside ? data + f->off : NULL;
	uint32_t num;

	memset(out, 0, sizeof(*out));
	out->s = "";
	out->env = env;
	switch (f->kind) {
	case FIELD_INT:
		out->kind = PVAL_INT;
		out->size = 8;
		if (p)
			read_int(f, p, out);
		break;
	case FIELD_LIT:
		out->kind = PVAL_TEXT;
		out->raw = true;
		if (p && f->size >= sizeof(num)) {
			memcpy(&num, p, sizeof(num));
			text_lit(env->image, num, out);
		}
		break;
	case FIELD_TSTR:
		out->kind = PVAL_TEXT;
		out->raw = true;
		if (p && f->size >= sizeof(struct dw_tstr))
			read_tstr(env, p, scratch, out);
		break;
	case FIELD_CHARS:
		out->kind = PVAL_TEXT;
		if (p) {
			out->s = (const char *)p;
			out->len = strnlen(out->s, f->size);
		}
		break;
	case FIELD_SYM:
	case FIELD_MOD:
	case FIELD_USYM:
	case FIELD_UMOD:
	case FIELD_UADDR:
		read_address(env, f, p, scratch, out);
		break;
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_UCOPY:
		out->kind = PVAL_STACK;
		out->user = f->kind != FIELD_STACK;
		out->copied = f->kind == FIELD_UCOPY;
		if (p) {
			out->s = (const char *)p;
			out->len = f->size;
		}
		break;
	case FIELD_BYTES:
		out->kind = PVAL_BYTES;
		if (p) {
			out->s = (const char *)p;
			out->len = f->size;
		}
		break;
	}
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */
/* sign, prefix and digits of a number, padded as C's printf does. */
struct numtext {
	const char *prefix; /* "", "-", "+", " ", "0x" */
	const char *digits;
	size_t len;
	size_t min_digits; /* precision */
};

static void put_number(struct out *o, const struct fmt_item *it, int width, const struct numtext *t, bool zero_pad)
{
	size_t npre = strlen(t->prefix);
	size_t zeros = t->min_digits > t->len ? t->min_digits - t->len : 0;
	size_t total = npre + zeros + t->len;
	size_t pad = width > 0 && (size_t)width > total ? (size_t)width - total : 0;

	if (zero_pad && !(it->flags & FMT_MINUS)) {
		zeros += pad;
		pad = 0;
	}
	if (!(it->flags & FMT_MINUS))
		out_pad(o, pad);
	out_bytes(o, t->prefix, npre);
	while (zeros--)
		out_bytes(o, "0", 1);
	out_bytes(o, t->digits, t->len);
	if (it->flags & FMT_MINUS)
		out_pad(o, pad);
}

static const char *sign_text(const struct fmt_item *it, bool negative)
{
	return negative ? "-" : it->flags & FMT_PLUS ? "+" : it->flags & FMT_SPACE ? " " : "";
}

/* base 8, 10 or 16; prec -1: none. */
static void print_int(
	struct out *o, const struct fmt_item *it, int width, int prec, uint64_t u, unsigned base, const char *prefix)
{
	const char *set = it->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char buf[24], *p = buf + sizeof(buf);
	struct numtext t = { .prefix = prefix, .min_digits = prec > 0 ? (size_t)prec : 0 };

	for (uint64_t v = u; v; v /= base)
		*--p = set[v % base];
	/* As in C: a zero printed with precision 0 has no digits. */
	if (!u && prec != 0)
		*--p = '0';
	t.digits = p;
	t.len = (size_t)(buf + sizeof(buf) - p);
	if (base == 8 && (it->flags & FMT_ALT) && t.min_digits <= t.len && (!t.len || *p != '0'))
		t.min_digits = t.len + 1;
	put_number(o, it, width, &t, (it->flags & FMT_ZERO) && prec < 0);
}

static void print_signed(struct out *o, const struct fmt_item *it, int width, int prec, const struct pval *v)
{
	/* As in DTrace, %d of an unsigned number is %u: no sign. */
	bool negative = v->is_signed && (int64_t)v->i < 0;

	print_int(o, it, width, prec, negative ? -v->i : v->i, 10, v->is_signed ? sign_text(it, negative) : "");
}

static uint64_t at_width(const struct pval *v)
{
	return v->size >= 8 ? v->i : v->i & ((1ull << (v->size * 8)) - 1);
}

static double float_value(const struct pval *v)
{
	double d;
	float f;

	if (!v->is_float)
		return v->is_signed ? (double)(int64_t)v->i : (double)v->i;
	if (v->size == 4) {
		uint32_t bits = (uint32_t)v->i;

		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &v->i, sizeof(d));
	return d;
}

static void print_float(struct out *o, const struct fmt_item *it, int width, int prec, const struct pval *v)
{
	double value = float_value(v), x = signbit(value) ? -value : value;
	bool negative = signbit(value);
	bool alt = it->flags & FMT_ALT;
	char buf[128];
	int n = 0;

	if (prec < 0)
		prec = 6;
	if (prec > 64)
		prec = 64;
	switch (it->conv) {
#define FLOAT_CASE(c, letter)                                                \
	case c:                                                              \
		n = alt ? snprintf(buf, sizeof(buf), "%#.*" letter, prec, x) \
			: snprintf(buf, sizeof(buf), "%.*" letter, prec, x); \
		break
		FLOAT_CASE('e', "e");
		FLOAT_CASE('E', "E");
		FLOAT_CASE('g', "g");
		FLOAT_CASE('G', "G");
		FLOAT_CASE('f', "f");
		FLOAT_CASE('F', "F");
#undef FLOAT_CASE
	default:
		break;
	}
	struct numtext t = { .prefix = sign_text(it, negative), .digits = buf, .len = n > 0 ? (size_t)n : 0 };

	put_number(o, it, width, &t, it->flags & FMT_ZERO);
}

/* %Y: "2026 Nov 21 02:35:08"; %T: "Sat, 21 Nov 2026 02:35:08 UTC"; local time, from nanoseconds since the epoch. */
static void print_time(struct out *o, int width, const struct pval *v, bool mail)
{
	int64_t ns = (int64_t)v->i;
	time_t sec = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;
	char buf[64];
	size_t n = 0;

	if (localtime_r(&sec, &tm))
		n = strftime(buf, sizeof(buf), mail ? "%a, %d %b %Y %H:%M:%S %Z" : "%Y %b %e %H:%M:%S", &tm);
	out_text(o, buf, n, true, width);
}

/* The letter of D's escape sequence for a byte, or 0. */
static char escape_letter(char c)
{
	static const char bytes[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";
	const char *at = c ? strchr(bytes, c) : NULL;

	return at ? letters[at - bytes] : '\0';
}

/* %S and %C: as in a D literal. What has no letter is escaped by out_text. */
static void print_quoted(struct out *o, int width, const char *s, size_t len)
{
	char buf[2048];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 2 <= sizeof(buf); i++) {
		char letter = escape_letter(s[i]);

		if (letter)
			buf[n++] = '\\';
		buf[n++] = letter ? letter : s[i];
	}
	out_text(o, buf, n, false, width);
}

static void print_char(struct out *o, int width, const struct pval *v)
{
	char c = (char)v->i;

	/* A newline or tab made by a number is layout; any other control byte may be a packet's. */
	out_text(o, &c, 1, c == '\n' || c == '\t', width);
}

static void print_conv_int(struct out *o, const struct fmt_item *it, int width, int prec, const struct pval *v)
{
	int field = it->flags & FMT_MINUS ? -width : width;
	bool alt = (it->flags & FMT_ALT) && at_width(v);
	char c = (char)v->i;

	switch (it->conv2 ? it->conv2 : it->conv) {
	case 'u':
	case 'U':
		print_int(o, it, width, prec, at_width(v), 10, "");
		break;
	case 'x':
	case 'p':
		print_int(o, it, width, prec, at_width(v), 16, alt ? "0x" : "");
		break;
	case 'X':
		print_int(o, it, width, prec, at_width(v), 16, alt ? "0X" : "");
		break;
	case 'a':
	case 'A':
		if (v->env && v->env->symtext) {
			const char *name = symtext_name(v->env->symtext, FIELD_INT, 0, v->i);

			out_text(o, name, strlen(name), false, field);
			break;
		}
		print_int(o, it, width, prec, at_width(v), 16, "0x");
		break;
	case 'o':
	case 'O':
		print_int(o, it, width, prec, at_width(v), 8, "");
		break;
	case 'c':
		print_char(o, field, v);
		break;
	case 'C':
		print_quoted(o, field, &c, 1);
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		print_float(o, it, width, prec, v);
		break;
	case 'k':
		out_text(o, "(not available)", 15, true, field);
		break;
	case 'T':
	case 'y':
	case 'Y':
		print_time(o, field, v, it->conv == 'T');
		break;
	case 's':
	case 'S':
		print_signed(o, it, width, -1, v);
		break;
	default:
		print_signed(o, it, width, prec, v);
		break;
	}
}

/* indent -1: as -x stackindent says. */
static void print_stack(struct out *o, const struct pval *v, int indent)
{
	if (v->env && v->env->symtext)
		symtext_stack(v->env->symtext, o,
			v->copied         ? FIELD_UCOPY
				: v->user ? FIELD_USTACK
					  : FIELD_STACK,
			v->s, v->len, indent);
}

bool print_is_folded(const struct pval *v)
{
	return v->kind == PVAL_STACK && v->env && v->env->symtext && symtext_folded(v->env->symtext);
}

void print_plain(struct out *o, const struct pval *v)
{
	if (v->kind == PVAL_STACK)
		print_stack(o, v, -1);
	else if (v->kind == PVAL_INT)
		out_int(o, (int64_t)v->i, 0);
	else
		out_text(o, v->s, v->len, v->raw, 0);
}

void print_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct pval *v)
{
	int field = it->flags & FMT_MINUS ? -width : width;
	size_t len = v->len;

	if (v->kind == PVAL_INT) {
		print_conv_int(o, it, width < 0 ? 0 : width, prec, v);
		return;
	}
	if (v->kind == PVAL_STACK) {
		/* As in DTrace: not indented, but for a width with "-". */
		print_stack(o, v, it->flags & FMT_MINUS && width > 0 ? width : 0);
		return;
	}
	if (v->kind == PVAL_BYTES) {
		if (it->conv != 's' && it->conv != 'S') {
			print_dump(o, (const uint8_t *)v->s, v->len);
			return;
		}
		len = strnlen(v->s, len);
	}
	if (width < 0)
		field = 0;
	if (prec >= 0 && (size_t)prec < len)
		len = (size_t)prec;
	if (it->conv == 'S')
		print_quoted(o, field, v->s, len);
	else
		out_text(o, v->s, len, v->raw, field);
}

/* ---- printf ------------------------------------------------------------------------------------------------------ */
struct arg_cursor {
	const struct pval_env *env;
	const struct field *args;
	size_t nargs, next;
	const uint8_t *data;
	size_t len;
};

static void next_arg(struct arg_cursor *c, char *scratch, struct pval *v)
{
	static const struct field none = { .kind = FIELD_CHARS };
	const struct field *f = c->next < c->nargs ? &c->args[c->next] : &none;

	c->next++;
	pval_read(c->env, f, c->data, c->len, scratch, v);
}

/* A width or precision taken from the arguments, within bounds: records may hold anything. */
static int next_star(struct arg_cursor *c)
{
	char scratch[PVAL_SCRATCH];
	struct pval v;

	next_arg(c, scratch, &v);
	int64_t n = v.kind == PVAL_INT ? (int64_t)v.i : 0;

	return n > FMT_WIDTH_MAX ? FMT_WIDTH_MAX : n < -FMT_WIDTH_MAX ? -FMT_WIDTH_MAX : (int)n;
}

void print_format(struct out *o, const struct pval_env *env, const struct fmt *fmt, const struct field *args,
	size_t nargs, const uint8_t *data, size_t len)
{
	struct arg_cursor c = { .env = env, .args = args, .nargs = nargs, .data = data, .len = len };
	char scratch[PVAL_SCRATCH];
	size_t debt = 0;
	struct pval v;

	for (size_t i = 0; i < fmt->n; i++) {
		struct fmt_item it = fmt->items[i];

		out_bytes(o, it.text, it.text_len);
		if (!it.conv)
			continue;
		if (it.star_width) {
			it.width = next_star(&c);
			/* As in C: a negative width is the flag "-" and a width. */
			if (it.width < 0) {
				it.flags |= FMT_MINUS;
				it.width = -it.width;
			}
		}
		if (it.star_prec)
			it.prec = next_star(&c);
		next_arg(&c, scratch, &v);
		rows_conv(o, &it, it.width, it.prec, &v, &debt);
	}
}

/* ---- default layout ---------------------------------------------------------------------------------------------- */
void print_trace(struct out *o, const struct pval *v, bool quiet)
{
	switch (v->kind) {
	case PVAL_INT:
		if (!quiet)
			out_pad(o, 1);
		out_int(o, (int64_t)v->i, quiet ? 0 : v->size == 8 ? 16 : v->size == 4 ? 8 : v->size == 2 ? 5 : 3);
		break;
	case PVAL_STACK:
		print_stack(o, v, -1);
		out_bytes(o, "\n", print_is_folded(v));
		break;
	case PVAL_TEXT:
		if (v->symbol) {
			out_pad(o, 2);
			out_text(o, v->s, v->len, false, -50);
			break;
		}
		if (!quiet)
			out_pad(o, 2);
		out_text(o, v->s, v->len, v->raw, quiet ? 0 : -33);
		break;
	case PVAL_BYTES:
		print_dump(o, (const uint8_t *)v->s, v->len);
		break;
	}
}

void print_trace_raw(struct out *o, const struct pval *v, size_t size)
{
	uint8_t buf[4096] = { 0 };

	size = size < sizeof(buf) ? size : sizeof(buf);
	memcpy(buf, v->s, v->len < size ? v->len : size);
	print_dump(o, buf, size);
}

void print_header(struct out *o)
{
	out_str(o, "CPU     ID                    FUNCTION:NAME\n");
}

void print_head(struct out *o, unsigned cpu, const struct image_probe *p)
{
	size_t nfunc = strlen(p->func), nname = strlen(p->name);

	out_int(o, cpu, 3);
	out_pad(o, 1);
	out_int(o, p->id, 6);
	out_pad(o, 1);
	if (nfunc + 1 + nname < 32)
		out_pad(o, 32 - nfunc - 1 - nname);
	out_bytes(o, p->func, nfunc);
	out_bytes(o, ":", 1);
	out_bytes(o, p->name, nname);
	out_pad(o, 1);
}

void print_dump(struct out *o, const uint8_t *p, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char off[16];

	out_str(o, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n");
	for (size_t at = 0; at < len; at += 16) {
		char line[16 * 3 + 1 + 16 + 1];
		size_t n = len - at < 16 ? len - at : 16;

		memset(line, ' ', sizeof(line));
		for (size_t i = 0; i < n; i++) {
			uint8_t b = p[at + i];

			line[i * 3] = hex[b >> 4];
			line[i * 3 + 1] = hex[b & 15];
			line[49 + i] = (char)(b >= 0x20 && b < 0x7f ? b : '.');
		}
		line[49 + n] = '\n';
		int k = snprintf(off, sizeof(off), "%10zx: ", at);

		out_bytes(o, off, k > 0 ? (size_t)k : 0);
		out_bytes(o, line, 50 + n);
	}
}
