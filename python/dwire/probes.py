# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of probes."""
from typing import Any, List, NamedTuple, Tuple

from .library import Handle, ffi, lib, text


class Probe(NamedTuple):
    """args: the D types of args[0], args[1], ..."""

    id: int
    provider: str
    module: str
    function: str
    name: str
    args: Tuple[str, ...]


def probes(description: str = ":::") -> List[Probe]:
    """The probes of this kernel that a description such as "tcp:::" matches. Error: none does."""
    found: List[Probe] = []
    handle = Handle()

    def one(_ctx: Any, p: Any) -> int:
        args: List[str] = []
        while (arg := text(lib.dwire_probe_arg(handle.d, p, len(args)))) is not None:
            args.append(arg)
        provider, module, function, name = (text(x) or "" for x in (p.provider, p.module, p.function, p.name))
        found.append(Probe(p.id, provider, module, function, name, tuple(args)))
        return 0

    data = description.encode()
    each = handle.callback("dwire_probe_fn", one, -1)
    try:
        handle.check(lib.dwire_add(handle.d, lib.DWIRE_NAME, b"description", data, len(data)))
        handle.check(lib.dwire_list(handle.d, each, ffi.NULL))
    finally:
        handle.free()
    return found
