/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page: see page.h. Input: what was collected. Output: HTML.
 * Invariant: every text that a stranger may have chosen passes markup_text(); the page loads nothing and sends nothing,
 * which its policy (the meta element) also forbids; all of it is there without scripts. */
#include "cli/report/page.h"

#include <string.h>

#include "cli/picture/chart.h"
#include "cli/picture/heat.h"
#include "cli/report/facts.h"
#include "cli/report/report.h"

/* ---- pictures ---------------------------------------------------------------------------------------------------- */
/* "3,120 in all, at most 420/s" */
static void put_chart(FILE *out, const struct collection *c, const struct picture_spec *spec)
{
	const struct track *t = tracks_find(&c->tracks, spec->aggregation);
	const struct svg svg = { .out = out, .title = spec->title };
	char sum[UNIT_TEXT], most[UNIT_TEXT];

	fprintf(out, "<figure><figcaption><b>%s</b><span>", spec->title);
	if (chart_sum(&c->tracks, t))
		fprintf(out, "%s, at most %s/s", unit_text(sum, sizeof(sum), chart_sum(&c->tracks, t), spec->unit),
			unit_text(most, sizeof(most), (int64_t)(chart_most(&c->tracks, t) + 0.5), spec->unit));
	else
		fputs("none", out);
	fputs("</span></figcaption>\n", out);
	chart_svg(&svg, &c->tracks, t);
	fputs("</figure>\n", out);
}

/* The bucket in which the value lies that is above so much of all: an upper bound. */
static int64_t quantile(const struct tracks *all, const struct track *t, double part)
{
	const double want = part * (double)chart_sum(all, t);
	double sum = 0;

	for (size_t i = 0; i < t->nlines; i++) {
		for (size_t k = 0; k < all->ncolumns; k++)
			sum += (double)t->lines[i]->columns[k];
		if (sum >= want)
			return t->lines[i]->high;
	}
	return t->nlines ? t->lines[t->nlines - 1]->high : 0;
}

static void put_heat(FILE *out, const struct collection *c, const struct picture_spec *spec)
{
	const struct track *t = tracks_find(&c->tracks, spec->aggregation);
	const struct svg svg = { .out = out, .title = spec->title };
	char n[UNIT_TEXT], half[UNIT_TEXT], most[UNIT_TEXT];

	fprintf(out, "<figure><figcaption><b>%s</b>", spec->title);
	if (t && chart_sum(&c->tracks, t)) {
		fprintf(out, "<span>%s; half at most %s, 99 %% at most %s</span></figcaption>\n",
			unit_text(n, sizeof(n), chart_sum(&c->tracks, t), UNIT_NONE),
			unit_text(half, sizeof(half), quantile(&c->tracks, t, 0.5), spec->unit),
			unit_text(most, sizeof(most), quantile(&c->tracks, t, 0.99), spec->unit));
		heat_svg(&svg, &c->tracks, t, spec->unit);
	} else
		fputs("<span>nothing was measured</span></figcaption>\n", out);
	fputs("</figure>\n", out);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */
static void put_section(FILE *out, const struct collection *c, size_t at)
{
	const struct section *s = &sections[at];
	const struct svg svg = { .out = out, .title = s->flame };

	fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"about\">%s</p>\n", s->id, s->title, s->about);
	if (c->lacks[at]) {
		fputs("<p class=\"lack\">Not seen on this machine: ", out);
		markup_str(out, c->lacks[at]);
		fputs("</p>\n</section>\n", out);
		return;
	}
	fputs("<div class=\"charts\">\n", out);
	for (size_t i = 0; s->charts[i].aggregation; i++)
		put_chart(out, c, &s->charts[i]);
	fputs("</div>\n<div class=\"heats\">\n", out);
	for (size_t i = 0; s->heats[i].aggregation; i++)
		put_heat(out, c, &s->heats[i]);
	fputs("</div>\n", out);
	for (size_t i = 0; s->tables[i].title; i++)
		table_html(out, &c->tables[at][i]);
	if (s->flame) {
		fprintf(out, "<h3>%s</h3>\n<figure>\n", s->flame);
		flame_svg(&svg, &c->flame);
		fputs("</figure>\n", out);
	}
	fputs("</section>\n", out);
}

/* What the report does not know, at its end. */
static void put_losses(FILE *out, const struct collection *c)
{
	char n[UNIT_TEXT];

	fputs("<section id=\"gaps\">\n<h2>What this report missed</h2>\n", out);
	if (!c->nlosses && !c->nmessages && !c->more_messages && !c->tracks.failed && !c->tracks.refused)
		fputs("<p>Nothing was dropped by the trace.</p>\n", out);
	for (size_t i = 0; i < c->nlosses; i++)
		fprintf(out, "<p>%s events were not recorded (%s).</p>\n",
			unit_text(n, sizeof(n), (int64_t)c->losses[i].n, UNIT_NONE), c->losses[i].cause);
	for (size_t i = 0; i < c->nmessages; i++) {
		fputs("<p>", out);
		markup_str(out, c->messages[i]);
		fputs("</p>\n", out);
	}
	if (c->more_messages)
		fprintf(out, "<p>%s more messages of the trace.</p>\n",
			unit_text(n, sizeof(n), (int64_t)c->more_messages, UNIT_NONE));
	if (c->tracks.failed || c->tracks.refused)
		fputs("<p>Memory was short: pictures over time lack values.</p>\n", out);
	fputs("</section>\n", out);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */
/* An embedded file of the page; "" if there is none. */
static const char *file_of(const char *name)
{
	for (size_t i = 0; i < report_nfiles; i++)
		if (!strcmp(report_files[i].name, name))
			return report_files[i].text;
	return "";
}

static void put_head(FILE *out, const char *host)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'\">\n<title>Network report: ",
		out);
	markup_str(out, host);
	fputs("</title>\n<style>\n", out);
	fputs(file_of("page.css"), out);
	svg_styles(out);
	fputs("\n</style>\n</head>\n<body>\n", out);
}

/* Times with their zone: the page is read elsewhere. */
static void put_times(FILE *out, const struct collection *c, bool complete)
{
	const double s = (double)(c->end_ns - c->start_ns) / 1e9;
	char text[64];
	struct tm tm;

	localtime_r(&c->began, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	fprintf(out, "<p class=\"sub\">%s, for %.1f s%s. Written by dwire report.</p>\n", text, s,
		complete ? "" : " (ended early)");
}

static void put_nav(FILE *out)
{
	fputs("<nav><a href=\"#findings\">Findings</a>", out);
	for (size_t i = 0; i < SECTIONS; i++)
		fprintf(out, " <a href=\"#%s\">%s</a>", sections[i].id, sections[i].title);
	fputs(" <a href=\"#gaps\">What it missed</a></nav>\n</header>\n<main>\n", out);
}

void page_html(FILE *out, const struct collection *c, const struct findings *f, struct dwire *d, bool complete)
{
	char host[256];

	put_head(out, facts_host(host, sizeof(host)));
	fputs("<header>\n<h1>Network report: ", out);
	markup_str(out, host);
	fputs("</h1>\n", out);
	put_times(out, c, complete);
	put_nav(out);
	fputs("<dl class=\"facts\">\n", out);
	facts_html(out, d);
	fputs("</dl>\n<section id=\"findings\">\n<h2>Findings</h2>\n<p class=\"about\">What netcheck says of the same "
	      "time, and which tool shows more.</p>\n",
		out);
	findings_html(f, out);
	fputs("</section>\n", out);
	for (size_t i = 0; i < SECTIONS; i++)
		put_section(out, c, i);
	put_losses(out, c);
	fputs("<footer>A title of a column sorts its table. Point at a cell or a frame for its "
	      "numbers.</footer>\n</main>\n"
	      "<script>\n",
		out);
	fputs(file_of("page.js"), out);
	fputs("</script>\n</body>\n</html>\n", out);
}
