/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: see stability.h. */
#include "base/stability.h"

#include <string.h>
#include <strings.h>

/* clang-format off */
static const char *const levels[] = {
#define X(e, s) s,
	STABILITY_LEVELS(X)
#undef X
};
static const char *const classes[] = {
#define X(e, s) s,
	STABILITY_CLASSES(X)
#undef X
};
/* clang-format on */

/* Case does not matter, as in DTrace's pragmas. */
static bool find_word(const char *const *words, size_t n, const char *s, size_t len, uint8_t *out)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && !strncasecmp(words[i], s, len)) {
			*out = (uint8_t)i;
			return true;
		}
	return false;
}

/* "Evolving/Evolving/Common". */
bool stability_parse(const char *text, struct stability *out)
{
	size_t a = strcspn(text, "/"), b;

	if (!text[a] || !find_word(levels, STAB_LEVELS, text, a, &out->name))
		return false;
	text += a + 1;
	b = strcspn(text, "/");
	return text[b] && find_word(levels, STAB_LEVELS, text, b, &out->data) &&
		find_word(classes, CLASS_COUNT, text + b + 1, strlen(text + b + 1), &out->dep);
}

/* Each of the three attributes by itself: a program is as stable as the least stable thing that it uses. */
struct stability stability_min(struct stability a, struct stability b)
{
	return (struct stability){
		.name = a.name < b.name ? a.name : b.name,
		.data = a.data < b.data ? a.data : b.data,
		.dep = a.dep < b.dep ? a.dep : b.dep,
	};
}

bool stability_below(struct stability a, struct stability b)
{
	return a.name < b.name || a.data < b.data || a.dep < b.dep;
}

const char *stability_text(struct stability s, char buf[64])
{
	snprintf(buf, 64, "%s/%s/%s", levels[s.name], levels[s.data], classes[s.dep]);
	return buf;
}

void stability_print(struct stability s, FILE *out)
{
	fprintf(out, "\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n", levels[s.name],
		levels[s.data], classes[s.dep]);
}
