"""Structs in Thrift's compact protocol, in which Parquet writes its footer and the heads of its pages.

Readers skip fields that they do not know, so something can hide there: here all of them are seen.
"""

from typing import Any

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
MOST_DEPTH = 20


class BadThrift(ValueError):
    """Bytes that are no struct, or not written as short as they can be."""


def read_struct(content: bytes, at: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """The fields by their numbers, and where the struct ends.

    >>> read_struct(bytes([0x15, 0x06, 0x18, 2]) + b"hi" + bytes([0]))
    ({1: 3, 2: b'hi'}, 7)
    """
    fields: dict[int, Any] = {}
    number = 0
    while (head := _byte(content, at)) != STOP:
        at += 1
        step, kind = head >> 4, head & 15
        if step:
            number += step
        else:
            number, at = _signed(content, at)
        if number in fields or depth > MOST_DEPTH:
            raise BadThrift
        if kind in (TRUE, FALSE):
            fields[number] = kind == TRUE
        else:
            fields[number], at = _value(content, at, kind, depth)
    return fields, at + 1


def _value(content: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (I16, I32, I64):
        return _signed(content, at)
    if kind in (TRUE, FALSE, BYTE):
        return _byte(content, at), at + 1
    if kind == DOUBLE:
        return _bytes(content, at, 8), at + 8
    if kind == BINARY:
        length, at = _unsigned(content, at)
        return _bytes(content, at, length), at + length
    if kind == STRUCT:
        return read_struct(content, at, depth + 1)
    if kind in (LIST, SET):
        return _list(content, at, depth)
    raise BadThrift


def _list(content: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = _byte(content, at)
    length, at = head >> 4, at + 1
    if length == 15:
        length, at = _unsigned(content, at)
    if length > len(content) - at:
        raise BadThrift
    found = []
    for _ in range(length):
        one, at = _value(content, at, head & 15, depth + 1)
        found.append(one)
    return found, at


def _signed(content: bytes, at: int) -> tuple[int, int]:
    """
    >>> _signed(bytes([3]), 0), _signed(bytes([0xAC, 0x02]), 0)
    ((-2, 1), (150, 2))
    """
    number, at = _unsigned(content, at)
    return (number >> 1) ^ -(number & 1), at


def _unsigned(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = _byte(content, at)
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    if (byte == 0 and shift > 7) or number >= 1 << 64:
        raise BadThrift
    return number, at


def _byte(content: bytes, at: int) -> int:
    if at >= len(content):
        raise BadThrift
    return content[at]


def _bytes(content: bytes, at: int, length: int) -> bytes:
    if at + length > len(content):
        raise BadThrift
    return content[at : at + length]
