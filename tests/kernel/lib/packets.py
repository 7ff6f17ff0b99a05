# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that tests send: what several of their Python programs need. Import it; the runner sets PYTHONPATH."""
import struct


def checksum(data):
    """The Internet checksum (RFC 1071) of bytes whose own checksum is 0."""
    data += bytes(len(data) % 2)
    n = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while n >> 16:
        n = (n & 0xffff) + (n >> 16)
    return ~n & 0xffff


def dns_query(number, name, kind=1):
    """A query with one question: the message's id, the name with dots, the type (1: A)."""
    labels = b"".join(bytes([len(l)]) + l for l in name.split(b".")) + b"\0"
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + struct.pack(">HH", kind, 1)
