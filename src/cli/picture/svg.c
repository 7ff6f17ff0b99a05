/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg: see svg.h. Invariant: nothing that is written refers to another file or to the network, and nothing runs. */
#include "cli/picture/svg.h"

#include "cli/picture/markup.h"

#define HEADING 26 /* pixels */

/* Colours are variables of the page, with the light ones as a default of each use for viewers that know no variables.
 * Flames: warm for the kernel, cold for processes; the text on them is dark in both schemes. */
void svg_styles(FILE *out)
{
	fputs("svg{font:12px system-ui,sans-serif;display:block}"
	      "svg text{fill:#24292f;fill:var(--ink,#24292f)}"
	      "svg .dim{fill:#656d76;fill:var(--dim,#656d76)}"
	      "svg .area{fill:#1f6feb;fill:var(--blue,#1f6feb)}"
	      "svg .cell{fill:#c4360b;fill:var(--heat,#c4360b)}"
	      "svg .band{fill:none;stroke:#1f6feb;stroke:var(--blue,#1f6feb);stroke-opacity:.35}"
	      "svg .band:hover{stroke-opacity:.7}"
	      "svg .grid{fill:#8c959f;fill-opacity:.1}"
	      "svg .f text{fill:#1b1205}"
	      "svg .k0{fill:#f4a261}svg .k1{fill:#f2b46d}svg .k2{fill:#ee9a5d}svg .k3{fill:#f6c177}"
	      "svg .u0{fill:#8ecae6}svg .u1{fill:#9bd0c9}svg .u2{fill:#a3c4f3}svg .u3{fill:#b5d6b2}"
	      "svg .r{fill:#c9ccd1}",
		out);
}

/* A file by itself has the background of its scheme. */
static void alone_styles(FILE *out)
{
	fputs("<style>", out);
	svg_styles(out);
	fputs("svg .page{fill:#fff}@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--dim:#9198a1;--blue:#4493f8;"
	      "--heat:#ff9a5c}svg .page{fill:#0d1117}}</style>\n"
	      "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
		out);
}

unsigned svg_begin(const struct svg *s, unsigned height)
{
	const unsigned top = s->alone ? HEADING : 0;

	if (s->alone)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", s->out);
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" role=\"img\" ", s->out);
	if (s->width)
		fprintf(s->out, "preserveAspectRatio=\"xMinYMin\" viewBox=\"0 0 %u %u\"", s->width, height + top);
	else
		fprintf(s->out, "height=\"%u\"", height + top);
	fputs(">\n<title>", s->out);
	markup_str(s->out, s->title);
	fputs("</title>\n", s->out);
	if (!s->alone)
		return 0;
	alone_styles(s->out);
	fputs("<text x=\"8\" y=\"17\" font-weight=\"bold\">", s->out);
	markup_str(s->out, s->title);
	fputs("</text>\n", s->out);
	return top;
}

void svg_end(const struct svg *s)
{
	fputs("</svg>\n", s->out);
}
