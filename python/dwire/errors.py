# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of the library, as exceptions and warnings."""
import os
from typing import NamedTuple, Optional, Sequence


class Message(NamedTuple):
    """What the library reports. shown is the text that dwire(8) would print: with the place and a caret."""

    level: str  # "error", "warning" or "note"
    errno: int
    tag: Optional[str]  # of D's errors: "D_SYNTAX"
    text: str
    hint: Optional[str]
    detail: Optional[str]
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    shown: str


class Drop(NamedTuple):
    """Data that the trace lost."""

    cause: str  # "RING", "AGG", "DYN", ...
    text: str
    n: int
    cpu: Optional[int]
    probe: Optional[str]


class Error(Exception):
    """A program is wrong, or cannot run here. It has the members of the first error; messages has all of them."""

    def __init__(self, messages: Sequence[Message], errno: int) -> None:
        self.messages = list(messages)
        self.errno = errno
        first = self.messages[0] if self.messages else None
        self.tag = first.tag if first else None
        self.text = first.text if first else os.strerror(errno)
        self.hint = first.hint if first else None
        self.detail = first.detail if first else None
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.column = first.column if first else None
        super().__init__("\n".join(m.shown for m in self.messages) or self.text)


class Warning(UserWarning):  # noqa: A001, as the library calls it
    """The trace goes on, with less than was asked for."""


class DropWarning(Warning):
    """Data was lost. Trace.drops has all of it by cause."""
