/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode: the JSON of a stream back to values, types and states. Input may come from a hostile machine: whatever it is,
 * the result is valid or refused, and texts hold no control characters that a terminal would act on. */
#ifndef DWIRE_STREAM_DECODE_H
#define DWIRE_STREAM_DECODE_H
#include <jansson.h>

#include "base/arena.h"
#include "image/image.h"
#include "record/value.h"

#define DECODE_WORDS_MAX 65538u /* lquantize() has at most so many buckets */

/* A value, its text copied to the arena. names: gives frames (symbols/symtext.h). False: it is none. */
bool decode_value(struct arena *a, const json_t *j, const struct field *f, struct symtext *names, struct value *out)
	__attribute__((warn_unused_result));
/* A column or a key as put_field() wrote it. False: it is none. */
bool decode_field(struct arena *a, const json_t *j, struct field *out) __attribute__((warn_unused_result));
/* A format of printf() or printa(). NULL: it is none. */
struct fmt *decode_format(struct arena *a, const char *s, size_t len);
/* An aggregation as put_agg() wrote it; its keys are FIELD_GIVEN, 4 bytes each. False: it is none. */
bool decode_agg(struct arena *a, const json_t *j, struct agg *out) __attribute__((warn_unused_result));
/* A state of it: out gets g->nwords words. False: it is none. */
bool decode_state(const struct agg *g, const json_t *j, uint64_t *out) __attribute__((warn_unused_result));
#endif
