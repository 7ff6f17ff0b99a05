/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlines: see inlines.h. libdw reads the DWARF. */
#include "symbols/elf/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "symbols/elf/elffile.h"

struct inlines {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

struct inlines *inlines_open(const char *file)
{
	struct inlines *in = calloc(1, sizeof(*in));
	Dwarf_Off next;
	size_t header;

	if (!in)
		return NULL;
	in->elf = elffile_open(file, &in->fd);
	in->dwarf = in->elf ? dwarf_begin_elf(in->elf, DWARF_C_READ, NULL) : NULL;
	if (in->dwarf && dwarf_nextcu(in->dwarf, 0, &next, &header, NULL, NULL, NULL) == 0)
		return in;
	inlines_free(in);
	return NULL;
}

void inlines_free(struct inlines *in)
{
	if (!in)
		return;
	if (in->dwarf)
		dwarf_end(in->dwarf);
	elffile_close(in->elf, in->fd);
	free(in);
}

/* By the table of addresses; some compilers write none: then each unit is asked. */
static Dwarf_Die *unit_of(Dwarf *dwarf, uint64_t addr, Dwarf_Die *unit)
{
	Dwarf_Off off = 0, next;
	size_t header;

	if (dwarf_addrdie(dwarf, addr, unit))
		return unit;
	for (; dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL) == 0; off = next)
		if (dwarf_offdie(dwarf, off + header, unit) && dwarf_haspc(unit, addr) > 0)
			return unit;
	return NULL;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

size_t inlines_at(struct inlines *in, uint64_t addr, const char **names, size_t max)
{
	Dwarf_Die unit, *inner = NULL, *scopes = NULL;
	size_t found = 0;
	int n = unit_of(in->dwarf, addr, &unit) ? dwarf_getscopes(&unit, addr, &inner) : -1;

	/* From the innermost outwards: first as the source nests them, then as the code does. */
	if (n > 0)
		n = dwarf_getscopes_die(&inner[0], &scopes);
	for (int i = 0; i < n && found < max; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram)
			break;
		if (tag == DW_TAG_inlined_subroutine) {
			names[found] = name_of(&scopes[i]);
			found += names[found] != NULL;
		}
	}
	free(inner);
	free(scopes);
	return found;
}
