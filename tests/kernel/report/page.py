# SPDX-License-Identifier: GPL-2.0-or-later
"""page: what a report says, read from its HTML. A page that is not well-formed, or that refers to anything outside of
itself, is an error.

    tables(path) -> {section: {title: [[cell, ...], ...]}}, with the head as the first row
    text(path)   -> the text of the page, without its style and script
"""
import html.parser
import re

VOID = {"meta", "link", "br", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.words, self.section, self.title, self.scripts = [], {}, [], "", "", 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.scripts += tag == "script"
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert attrs.get(name, "#").startswith("#"), attrs
        assert not [name for name in attrs if name.startswith("on")], attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = attrs["id"]
            self.title = ""
        elif tag in ("h3", "td", "th"):
            self.cell = ""
        elif tag == "tr":
            self.tables.setdefault(self.section, {}).setdefault(self.title, []).append([])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.open)
        if tag == "h3":
            self.title = self.cell
        elif tag in ("td", "th"):
            self.tables[self.section][self.title][-1].append(self.cell)

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)
        self.cell = getattr(self, "cell", "") + data


def read(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert page.scripts == 1, "%d scripts" % page.scripts
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text), "unsafe characters"
    return page


def tables(path):
    return read(path).tables


def text(path):
    return " ".join("".join(read(path).words).split())
