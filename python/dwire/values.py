# SPDX-License-Identifier: GPL-2.0-or-later
"""What a trace yields, as Python's values."""
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Tuple, Union

from .library import ffi, lib, text

Value = Union[int, float, str, bytes, Tuple[str, ...]]


def value(v: Any) -> Value:
    """A stack is a tuple of its frames, the innermost first."""
    if v.type == lib.DWIRE_INT:
        number = int(v.number)
        return number if v.is_signed or number >= 0 else number + (1 << 64)
    if v.type == lib.DWIRE_FLOAT:
        return float(v.real)
    data: bytes = ffi.buffer(v.text, v.len)[:] if v.len else b""
    if v.type == lib.DWIRE_BYTES:
        return data
    string = data.decode("utf-8", "backslashreplace")
    return tuple(string.splitlines()) if v.type == lib.DWIRE_STACK else string


class Record:
    """What one action recorded. A value is found by its position or by its name in the program."""

    __slots__ = ("time", "cpu", "probe", "action", "names", "values")

    def __init__(self, r: Any) -> None:
        self.time: int = r.time  # CLOCK_MONOTONIC, ns
        self.cpu: int = r.cpu
        p = r.probe
        self.probe: str = ":".join(text(x) or "" for x in (p.provider, p.module, p.function, p.name))
        self.action: str = text(r.action) or ""
        self.names: Tuple[str, ...] = tuple(text(r.values[i].name) or "" for i in range(r.nvalues))
        self.values: Tuple[Value, ...] = tuple(value(r.values[i]) for i in range(r.nvalues))

    def __getitem__(self, key: Union[int, str]) -> Any:
        if isinstance(key, int):
            return self.values[key]
        try:
            return self.values[self.names.index(key)]
        except ValueError:
            raise KeyError(f"{key}; this row has {', '.join(n for n in self.names if n) or 'no names'}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def dict(self) -> Dict[str, Value]:
        """By name; a value without one is called by its position."""
        return {name or str(i): v for i, (name, v) in enumerate(zip(self.names, self.values))}

    def __repr__(self) -> str:
        return f"<{self.action} of {self.probe}: {self.dict()!r}>"


class Bucket(NamedTuple):
    """n values were from low to high, both included."""

    low: int
    high: int
    n: int


class Buckets(List[Bucket]):
    """A distribution: its buckets that are not empty, in order."""

    @property
    def total(self) -> int:
        return sum(b.n for b in self)

    def quantile(self, q: float) -> int:
        """The upper bound of the bucket in which the q-th part of the values ends; 0.5 is the median's."""
        if not self:
            raise ValueError("a distribution without values has no quantile")
        seen = 0
        for bucket in self:
            seen += bucket.n
            if seen >= q * self.total:
                break
        return bucket.high


class Aggregation(Dict[Any, Any]):
    """An aggregation by key: one key is itself, several are a tuple, none is (). Values are numbers; those of
    quantize(), lquantize() and llquantize() are Buckets. The order is that of printa()."""

    def __init__(self, name: str, function: str, keys: Tuple[str, ...]) -> None:
        super().__init__()
        self.name = name
        self.function = function  # "sum"
        self.keys_named = keys  # the names of the keys in the program

    def add(self, row: Any) -> None:
        keys = tuple(value(row.keys[i]) for i in range(row.nkeys))
        b = row.buckets
        self[keys[0] if len(keys) == 1 else keys] = (
            int(row.value) if b == ffi.NULL
            else Buckets(Bucket(b[i].low, b[i].high, b[i].count) for i in range(row.nbuckets)))

    def frame(self) -> Any:
        """A DataFrame of pandas: a column for each key, then the value, or low, high and n."""
        import pandas  # type: ignore[import]

        names = [n or f"key{i + 1}" for i, n in enumerate(self.keys_named)]
        rows: List[Tuple[Any, ...]] = []
        spread = self.function in ("quantize", "lquantize", "llquantize")
        for key, v in self.items():
            keys = key if len(names) != 1 else (key,)
            rows.extend([(*keys, *b) for b in v] if spread else [(*keys, v)])
        return pandas.DataFrame(rows, columns=names + (["low", "high", "n"] if spread else [self.function]))


def frame(records: Iterable[Record]) -> Any:
    """A DataFrame of pandas: time, cpu, probe, and a column for each name."""
    import pandas

    return pandas.DataFrame([{"time": r.time, "cpu": r.cpu, "probe": r.probe, **r.dict()} for r in records])
