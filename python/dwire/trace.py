# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace. It starts with `with` (or `async with`) and ends there, whatever happens inside."""
import asyncio
import logging
import os
import select
import time
import warnings
from collections import deque
from types import TracebackType
from typing import Any, AsyncIterator, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, TextIO, Type, Union

from .errors import Drop, DropWarning, Message, Warning
from .library import Handle, Stream, ffi, lib, text
from .values import Aggregation, Record

Options = Mapping[str, Union[str, int, bool]]


class Trace(Handle):
    """program: a text of D, or the path (os.PathLike) of a script.

    args: $1, $2, ...   options: as of -x, {"bufsize": "8m"}   command: started and traced until it ends
    pid: a process, traced until it ends; $target   seconds: the trace ends after them
    output: where to write what dtrace(1) would print (default: nowhere)

    Iterating yields a Record for each trace(), printf(), tracemem() and print(); tables() yields an Aggregation for
    each printa(). `aggregations` has the last state of each by name ("" for @), at the end all that were not
    printed. `drops` lists what was lost; each is a DropWarning too. `status` is exit()'s argument. `messages` has
    what was reported, such as a clause that failed; notes go to the logger "dwire" too.
    """

    def __init__(self, program: Union[str, "os.PathLike[str]"], *args: object, options: Optional[Options] = None,
                 command: Optional[str] = None, pid: Optional[int] = None, seconds: Optional[float] = None,
                 output: Optional[TextIO] = None) -> None:
        super().__init__()
        self.aggregations: Dict[str, Aggregation] = {}
        self.drops: List[Drop] = []
        self.status: Optional[int] = None
        self._events: Deque[Union[Record, Aggregation]] = deque()
        self._table: Optional[Aggregation] = None
        self._seconds = seconds
        self._end_at: Optional[float] = None
        self._running = False
        self._handlers: Any = None
        self._stream: Optional[Stream] = None
        try:
            self._prepare(program, args, options or {}, command, pid, output)
        except BaseException:
            self.close()
            raise

    # ---- before the trace
    def _prepare(self, program: Union[str, "os.PathLike[str]"], args: Sequence[object], options: Options,
                 command: Optional[str], pid: Optional[int], output: Optional[TextIO]) -> None:
        name, source = "program", program
        if not isinstance(source, str):
            name = os.fspath(source)
            with open(name, encoding="utf-8") as f:
                source = f.read()
        for option, v in options.items():
            self.check(lib.dwire_set(self.d, f"{option}={int(v) if isinstance(v, bool) else v}".encode(), ffi.NULL))
        self._argv = [ffi.new("char[]", str(a).encode()) for a in (name, *args)]
        self._argp = ffi.new("char *[]", self._argv)
        lib.dwire_args(self.d, len(self._argv), ffi.cast("const char *const *", self._argp))
        data = source.encode()
        self.check(lib.dwire_add(self.d, lib.DWIRE_SCRIPT, name.encode(), data, len(data)))
        if command is not None:
            self.check(lib.dwire_command(self.d, command.encode()))
        if pid is not None:
            self.check(lib.dwire_grab(self.d, pid))
        if output is not None:
            write = output.write
            self._stream = Stream(lambda b: (write(b.decode("utf-8", "backslashreplace")), None)[1], self.failed)
            lib.dwire_output(self.d, self._stream.file)
        self._handle_data()

    def _handle_data(self) -> None:
        h = ffi.new("struct dwire_handlers *")
        h.size = ffi.sizeof("struct dwire_handlers")
        kinds = {"record": self._on_record, "row": self._on_row, "drop": self._on_drop}
        self._kept = {k: self.callback(f"int(void *, const struct dwire_{k} *)", fn) for k, fn in kinds.items()}
        for k, fn in self._kept.items():
            setattr(h, k, fn)
        self._handlers = h
        lib.dwire_on_data(self.d, h, ffi.NULL)

    def start(self) -> "Trace":
        """What `with` does: compiles the program and attaches its probes."""
        self.check(lib.dwire_require(self.d))
        self.check(lib.dwire_compile(self.d))
        self.check(lib.dwire_start(self.d))
        self._running = True
        if self._seconds is not None:
            self._end_at = time.monotonic() + self._seconds
        return self

    # ---- data
    def _on_record(self, _ctx: Any, r: Any) -> int:
        self._events.append(Record(r))
        return 0

    def _on_row(self, _ctx: Any, row: Any) -> int:
        if row.index == 0 or self._table is None:
            names = tuple(text(row.keys[i].name) or "" for i in range(row.nkeys))
            self._table = Aggregation(text(row.aggregation) or "", text(row.function) or "", names)
        self._table.add(row)
        if row.index + 1 == row.count:
            self.aggregations[self._table.name] = self._table
            self._events.append(self._table)
            self._table = None
        return 0

    def _on_drop(self, _ctx: Any, d: Any) -> int:
        drop = Drop(text(d.cause) or "", text(d.text) or "", d.n, None if d.cpu < 0 else d.cpu, text(d.probe))
        self.drops.append(drop)
        warnings.warn(drop.text, DropWarning, stacklevel=2)
        return 0

    def heard(self, m: Message) -> None:
        super().heard(m)
        if m.level == "warning":
            warnings.warn(m.shown, Warning, stacklevel=2)
        elif m.level == "note":
            logging.getLogger("dwire").info(m.shown)

    # ---- the trace
    def _work(self) -> None:
        """Takes what is there. At the trace's end it fires END and takes the rest."""
        if self._end_at is not None and time.monotonic() >= self._end_at:
            lib.dwire_stop(self.d)
        if self.check(lib.dwire_poll(self.d, 0)) == 0:
            self.end()

    def _wait_ms(self) -> Optional[int]:
        if self._end_at is None:
            return None
        return max(0, int(1000 * (self._end_at - time.monotonic())) + 1)

    def events(self) -> Iterator[Union[Record, Aggregation]]:
        """Records and printed aggregations, in their order, until the trace ends."""
        poll = select.poll()  # not dwire_poll(): so Ctrl-C raises KeyboardInterrupt at once
        if self._running:
            poll.register(lib.dwire_fd(self.d), select.POLLIN)
        while self._events or self._running:
            while self._events:
                yield self._events.popleft()
            if self._running:
                poll.poll(self._wait_ms())
                self._work()

    def __iter__(self) -> Iterator[Record]:
        return (e for e in self.events() if isinstance(e, Record))

    def tables(self) -> Iterator[Aggregation]:
        """Each aggregation that a printa() shows, and at the end those that none has shown."""
        return (e for e in self.events() if isinstance(e, Aggregation))

    def wait(self) -> "Trace":
        """Runs until the trace ends; for programs that only aggregate."""
        for _ in self.events():
            pass
        return self

    def stop(self) -> None:
        """Asks for the end, from any thread: the iteration then ends soon."""
        if self._running:
            lib.dwire_stop(self.d)

    def end(self) -> None:
        """Detaches the probes, fires END and takes the rest of the data. `with` does it."""
        if not self._running:
            return
        self._running = False
        status = ffi.new("int *")
        r = lib.dwire_end(self.d, status)
        self.status = int(status[0])
        self.check(r)

    def close(self) -> None:
        self._running = False
        self.free()
        stream, self._stream = self._stream, None
        if stream:
            stream.close()

    def __enter__(self) -> "Trace":
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        try:
            self.end()
        finally:
            self.close()

    # ---- asyncio
    async def __aenter__(self) -> "Trace":
        return self.__enter__()

    async def __aexit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                        traceback: Optional[TracebackType]) -> None:
        self.__exit__(kind, value, traceback)

    async def _readable(self) -> None:
        loop, fd, ready = asyncio.get_running_loop(), lib.dwire_fd(self.d), asyncio.Event()
        ms = self._wait_ms()
        loop.add_reader(fd, ready.set)
        try:
            await asyncio.wait_for(ready.wait(), None if ms is None else ms / 1000)
        except asyncio.TimeoutError:
            pass
        finally:
            loop.remove_reader(fd)

    async def async_events(self) -> AsyncIterator[Union[Record, Aggregation]]:
        """As events(), for a loop of asyncio."""
        while self._events or self._running:
            while self._events:
                yield self._events.popleft()
            if self._running:
                await self._readable()
                self._work()

    async def __aiter__(self) -> AsyncIterator[Record]:
        async for e in self.async_events():
            if isinstance(e, Record):
                yield e
