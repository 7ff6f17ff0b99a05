/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: what agg.c and slots.c share: an update of an aggregation. */
#ifndef DWIRE_LOWER_STATE_AGG_H
#define DWIRE_LOWER_STATE_AGG_H
#include "lower/state/state.h"

/* ---- lower/state/agg.c */
/* Writes at p, off the value that a key has after its first event: of count, sum and avg. */
void agg_first(struct clause_ctx *cx, const struct symbol *s, vreg p, int32_t off, const struct agg_event *ev);
/* Updates the value at p that all CPUs share. Returns how many updates it had, roughly. May jump to end. */
vreg agg_update_common(struct clause_ctx *cx, struct symbol *s, vreg p, const struct agg_event *ev, uint32_t end);
/* Counts a key that was made, so that the consumer makes room and reads no empty map. */
void agg_count_born(struct clause_ctx *cx, const struct agg *a, enum dw_born which);
vreg agg_lookup(struct clause_ctx *cx, uint32_t map, vreg key);
/* Makes an entry of zeroes in the map with per-CPU values. */
void agg_insert_own(struct clause_ctx *cx, const struct agg *a, vreg key);

/* ---- lower/state/front.c */
/* Gives the aggregation a table in front of its maps if that pays, or that of another one with the same keys. entries:
 * keys for which the maps have room. */
void front_begin(struct lowerer *lw, const struct symbol *s, struct agg *a, uint32_t entries);
/* Does this program use the table? See slots_here(). */
bool front_here(const struct clause_ctx *cx, const struct agg *a);
/* Finds the key's slot, or takes a free one: sets own to the value and jumps to often. Else falls through. */
void front_find(struct clause_ctx *cx, const struct agg *a, struct agg_key *key, vreg own, uint32_t often);

/* ---- lower/state/slots.c */
/* Another aggregation that was filled with the same keys, laid out in the same way, and may share its table with this
 * one; NULL: there is none. */
const struct agg *agg_alike(const struct lowerer *lw, const struct symbol *s, const struct agg *a);
/* Gives the aggregation a table if that pays, or that of another one with the same keys; common: the map in which keys
 * begin otherwise. */
void slots_begin(struct lowerer *lw, const struct symbol *s, struct agg *a, const struct image_map *common);
/* Does this program use the table? One that may sleep does not: it would not be part of a grace period. Nor does a
 * large one, which has no new key with each event: the verifier takes only so many conditions. */
bool slots_here(const struct clause_ctx *cx, const struct agg *a);
/* An update by slots_add(). */
struct slots_event {
	const struct agg_event *ev;
	vreg own;            /* set where the key has values of its own on each CPU: their address */
	uint32_t often, end; /* where it goes on then; and when the event is done */
};
/* Finds the key's slot, or takes a free one, and adds the event. Falls through if there is neither slot. */
void slots_add(
	struct clause_ctx *cx, struct symbol *s, const struct agg *a, struct agg_key *key, const struct slots_event *e);
#endif
