# SPDX-License-Identifier: GPL-2.0-or-later
"""libdwire by cffi. Nothing is compiled: the header's declarations are read when this module is imported."""
from typing import Any, Callable, List, Optional

import cffi  # type: ignore[import]

from ._cdef import CDEF
from .errors import Error, Message

ffi: Any = cffi.FFI()
ffi.cdef(CDEF)
try:
    lib: Any = ffi.dlopen("libdwire.so.1")
except OSError as e:
    raise ImportError(f"libdwire.so.1 cannot be loaded: {e}; is the package libdwire1 installed?") from e


def version() -> str:
    """The version of the library."""
    return text(lib.dwire_version()) or ""


def text(p: Any) -> Optional[str]:
    """A C string; what is not UTF-8 in it stays visible as \\xNN."""
    return None if p == ffi.NULL else ffi.string(p).decode("utf-8", "backslashreplace")


class Stream:
    """A FILE * of C that writes to a function of Python."""

    def __init__(self, write: Callable[[bytes], None], failed: Callable[..., None]) -> None:
        def put(_ctx: Any, data: Any, size: int) -> int:
            write(ffi.buffer(data, size)[:])
            return 0

        self._put = ffi.callback("dwire_write_fn", put, error=-5, onerror=failed)  # -EIO
        self.file = lib.dwire_stream(self._put, ffi.NULL)
        if self.file == ffi.NULL:
            raise MemoryError

    def close(self) -> None:
        _libc.fclose(self.file)


_libc: Any = cffi.FFI()
_libc.cdef("int fclose(void *);")
_libc = _libc.dlopen(None)


def message(m: Any) -> Message:
    """A message of the library, with the text that the command would print."""
    shown: List[bytes] = []
    stream = Stream(shown.append, lambda *_: None)
    lib.dwire_print_message(m, b"dwire", stream.file)
    stream.close()
    file = None if m.file == ffi.NULL else ffi.buffer(m.file, m.file_len)[:].decode("utf-8", "backslashreplace")
    return Message(
        level=("error", "warning", "note")[m.level], errno=-m.error, tag=text(m.tag), text=text(m.text) or "",
        hint=text(m.hint), detail=text(m.detail), file=file, line=m.line if file else None,
        column=m.column if file else None, shown=b"".join(shown).decode("utf-8", "backslashreplace").rstrip("\n"))


class Handle:
    """A struct dwire, with its messages. A method that fails raises the first error that was reported."""

    def __init__(self) -> None:
        out = ffi.new("struct dwire **")
        self.messages: List[Message] = []
        self.pending: Optional[BaseException] = None  # what a callback raised
        self._on_message = self.callback("dwire_message_fn", lambda _ctx, m: self.heard(message(m)), None)
        r = lib.dwire_new(out)
        if r:
            raise OSError(-r, "dwire_new")
        self.d: Any = out[0]
        lib.dwire_on_message(self.d, self._on_message, ffi.NULL)

    def callback(self, kind: str, fn: Callable[..., Any], error: Any = 0) -> Any:
        if error is None:
            return ffi.callback(kind, fn, onerror=self.failed)
        return ffi.callback(kind, fn, error=error, onerror=self.failed)

    def failed(self, _kind: Any, value: BaseException, _traceback: Any) -> None:
        """Keeps what was raised inside the library (Ctrl-C too) until the library has returned."""
        self.pending = self.pending or value

    def heard(self, m: Message) -> None:
        self.messages.append(m)

    def check(self, r: int) -> int:
        """Of a result below 0 makes the exception."""
        pending, self.pending = self.pending, None
        if pending:
            raise pending
        if r < 0:
            raise Error([m for m in self.messages if m.level == "error"], -r)
        return r

    def free(self) -> None:
        d, self.d = self.d, None
        if d:
            lib.dwire_free(d)
