/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value: see value.h.
 * Input: a field's layout and the bytes of a record or key. Output: a struct value, whose text may be in the room.
 * Invariants: no byte outside the data is read; a field that does not fit reads as 0 or "". Memory is allocated only
 * for text that is longer than a room's small buffer. Source: RFC 5952 for IPv6 addresses. */
#include "record/value.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/symtext.h"

/* The put_ functions write no NUL and return the number of characters. */
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

/* Most keys and many records have addresses, so this is the shortest way. */
static size_t put_octet(char *p, unsigned v)
{
	size_t n = 0;

	if (v >= 100)
		p[n++] = (char)('0' + v / 100);
	if (v >= 10)
		p[n++] = (char)('0' + v / 10 % 10);
	p[n++] = (char)('0' + v % 10);
	return n;
}

static size_t put_quad(char *p, const uint8_t *a)
{
	size_t n = 0;

	for (size_t i = 0; i < 4; i++) {
		if (i)
			p[n++] = '.';
		n += put_octet(p + n, a[i]);
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

/* The text of an address of 4 or 16 bytes, as in RFC 5952 and inet_ntop(3). Returns the length. */
static size_t addr_text(const uint8_t *addr, bool v6, char out[VALUE_ROOM])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, compatible[12] = { 0 };
	unsigned g[8];
	size_t start, len, n = 0;

	if (!v6) {
		n = put_quad(out, addr);
	} else if (!memcmp(addr, mapped, sizeof(mapped))) {
		memcpy(out, "::ffff:", 7);
		n = 7 + put_quad(out + 7, addr + 12);
	} else if (!memcmp(addr, compatible, sizeof(compatible)) && (addr[12] || addr[13])) {
		memcpy(out, "::", 2);
		n = 2 + put_quad(out + 2, addr + 12);
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

/* Records are packed as D lays them out, so the number may be unaligned: memcpy() reads it. */
static void read_int(const struct field *f, const uint8_t *p, struct value *out)
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

/* A literal of the program, by its number in the image. An unknown number stays "". */
static void text_lit(const struct image *image, uint32_t num, struct value *out)
{
	if (num >= image->lits.n)
		return;
	out->s = image->lits.v[num].s;
	out->len = image->lits.v[num].len;
}

/* The load average of the last minute; "" if /proc/loadavg cannot be read. Returns the length. */
static size_t load_text(char small[VALUE_ROOM])
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, small, VALUE_ROOM);

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n; i++)
		if (small[i] <= ' ')
			return (size_t)i;
	return 0;
}

/* The speed of a device in Mb/s; "" if it has none, or if it is not in this process's network namespace, the only one
 * that ioctl(2) can ask. Returns the length. */
static size_t speed_text(const struct dw_tstr *t, char small[VALUE_ROOM])
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
	return speed && speed != (uint32_t)SPEED_UNKNOWN ? put_dec(small, speed) : 0;
}

/* Keeps a copy, because the owner of the text may change it before the value is used. */
static void keep_text(struct value_room *room, const char *text, struct value *out)
{
	size_t len = strlen(text);

	if (len > room->size) {
		char *large = realloc(room->large, len);

		if (!large)
			return;
		room->large = large;
		room->size = len;
	}
	if (len)
		out->s = memcpy(room->large, text, len);
	out->len = len;
}

void value_room_free(struct value_room *room)
{
	free(room->large);
	room->large = NULL;
	room->size = 0;
}

bool value_is_symbol(const struct value *v)
{
	return v->field >= FIELD_SYM && v->field <= FIELD_UADDR;
}

/* A string that is kept as a tag and bytes (struct dw_tstr). out: "" and trusted; only the name of a zone is not. */
static void read_tstr(const struct decoder *dec, const uint8_t *p, struct value_room *room, struct value *out)
{
	char *small = room->small;
	struct dw_tstr t;
	uint32_t num;

	memcpy(&t, p, sizeof(t));
	memcpy(&num, t.b, sizeof(num));
	switch (t.tag) {
	case DW_STR_LIT:
		text_lit(dec->image, num, out);
		break;
	case DW_STR_ZONE: {
		const char *name = dec->zone_name ? dec->zone_name(dec->ctx, num) : NULL;

		out->trusted = false;
		out->zone = true;
		out->s = name ? name : small;
		out->len = name ? strlen(name) : put_dec(small, num);
		break;
	}
	case DW_STR_CONTAINER:
	case DW_STR_POD:
	case DW_STR_POD_NAMESPACE:
		out->trusted = false;
		t.b[sizeof(t.b) - 1] = '\0';
		keep_text(room, dec->box_name ? dec->box_name(dec->ctx, t.tag, (const char *)t.b) : "", out);
		break;
	case DW_STR_LOAD:
		out->s = small;
		out->len = load_text(small);
		break;
	case DW_STR_MOVED:
		keep_text(room, dec->moved ? dec->moved(dec->ctx) : "", out);
		break;
	case DW_STR_SPEED:
		out->s = small;
		out->len = speed_text(&t, small);
		break;
	case DW_STR_IP4:
	case DW_STR_IP6:
		out->s = small;
		out->len = addr_text(t.b, t.tag == DW_STR_IP6, small);
		break;
	default:
		break;
	}
}

/* The name of an address, or its number if there are no names. A process's address comes after its pid (16 bytes). */
static void read_address(
	const struct decoder *dec, const struct field *f, const uint8_t *p, struct value_room *room, struct value *out)
{
	uint64_t w[2] = { 0, 0 };
	int n;

	out->kind = VALUE_TEXT;
	if (p && f->size == 16)
		memcpy(w, p, 16);
	else if (p && f->size == 8)
		memcpy(&w[1], p, 8);
	if (dec->names) {
		if (f->is_plain && symtext_target(dec->names))
			w[0] = symtext_target(dec->names);
		out->s = symtext_name(dec->names, f->kind, w[0], w[1]);
		out->len = strlen(out->s);
		return;
	}
	n = snprintf(room->small, VALUE_ROOM, "0x%llx", (unsigned long long)w[1]);
	out->s = room->small;
	out->len = n > 0 ? (size_t)n : 0;
}

/* The kind of value that a field holds, also where the record is too short to have it. */
static const enum value_kind kinds[] = {
	[FIELD_INT] = VALUE_INT,
	[FIELD_LIT] = VALUE_TEXT,
	[FIELD_TSTR] = VALUE_TEXT,
	[FIELD_CHARS] = VALUE_TEXT,
	[FIELD_SYM] = VALUE_TEXT,
	[FIELD_MOD] = VALUE_TEXT,
	[FIELD_USYM] = VALUE_TEXT,
	[FIELD_UMOD] = VALUE_TEXT,
	[FIELD_UADDR] = VALUE_TEXT,
	[FIELD_STACK] = VALUE_STACK,
	[FIELD_USTACK] = VALUE_STACK,
	[FIELD_UCOPY] = VALUE_STACK,
	[FIELD_BYTES] = VALUE_BYTES,
	[FIELD_REST] = VALUE_BYTES,
	[FIELD_GIVEN] = VALUE_TEXT,
};

/* A literal or a value decoded elsewhere: the record has its number. */
static void read_number(const struct decoder *dec, const struct field *f, const uint8_t *p, struct value *out)
{
	uint32_t num = 0;

	memcpy(&num, p, f->size < sizeof(num) ? f->size : sizeof(num));
	if (f->kind == FIELD_LIT)
		text_lit(dec->image, num, out);
	else if (num < dec->ngiven)
		*out = dec->given[num];
}

/* What lies in the record itself. */
static void read_bytes(const uint8_t *p, size_t len, struct value *out)
{
	out->s = (const char *)p;
	out->len = len;
}

static void read_field(
	const struct decoder *dec, const struct field *f, const uint8_t *p, struct value_room *room, struct value *out)
{
	switch (f->kind) {
	case FIELD_INT:
		read_int(f, p, out);
		break;
	case FIELD_TSTR:
		if (f->size >= sizeof(struct dw_tstr))
			read_tstr(dec, p, room, out);
		break;
	case FIELD_CHARS:
		read_bytes(p, strnlen((const char *)p, f->size), out);
		break;
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_UCOPY:
	case FIELD_BYTES:
	case FIELD_REST:
		read_bytes(p, f->size, out);
		break;
	case FIELD_LIT:
	case FIELD_GIVEN:
		read_number(dec, f, p, out);
		break;
	case FIELD_SYM:
	case FIELD_MOD:
	case FIELD_USYM:
	case FIELD_UMOD:
	case FIELD_UADDR:
		read_address(dec, f, p, room, out);
		break;
	}
}

/* A record that ends before the field has an empty value; an address is then 0. */
void value_read(const struct decoder *dec, const struct field *f, const uint8_t *data, size_t len,
	struct value_room *room, struct value *out)
{
	static const uint8_t nothing[16];
	bool inside = f->off <= len && f->size <= len - f->off;

	*out = (struct value){ .s = "", .field = f->kind, .names = dec->names, .kind = kinds[f->kind] };
	out->size = f->kind == FIELD_INT ? 8 : 0;
	out->trusted = f->kind == FIELD_LIT || f->kind == FIELD_TSTR;
	if (inside && f->kind != FIELD_REST)
		read_field(dec, f, data + f->off, room, out);
	if (f->kind == FIELD_REST && f->off <= len)
		read_bytes(data + f->off, len - f->off, out);
	else if (!inside && value_is_symbol(out))
		read_address(dec, f, nothing, room, out);
}
