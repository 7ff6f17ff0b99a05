/* options: DTrace's options (-x name=value, #pragma D option name=value). */
#ifndef DWIRE_RUN_OPTIONS_H
#define DWIRE_RUN_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "run/agg.h"

struct options {
	bool quiet;
	bool destructive;
	bool zdefs;             /* -Z: descriptions that match nothing are fine */
	bool defaultargs;       /* missing $N is 0 or "" */
	bool argref;            /* an argument that no text reads is fine */
	uint64_t bufsize;       /* bytes a CPU; 0: default */
	uint64_t switchrate_ns; /* 0: default */
	uint64_t strsize;
	struct agg_opts agg;
};

void options_init(struct options *o);
/* "bufsize = 8m" -> "bufsize" and "8m"; *value NULL when there is no "=". In the arena. */
void option_split(struct arena *a, const char *text, const char **name, const char **value);
/* Sets one option; value NULL: given without one. 0; -ENOENT: no such option (*hint the nearest name or NULL);
 * -EINVAL: bad value (*hint says what it takes); -ENOTSUP: an option of DTrace that cannot be honoured (*hint NULL). */
int option_set(struct options *o, const char *name, const char *value, const char **hint)
	__attribute__((warn_unused_result));
#endif
