"""Reads Arrow IPC, the file form (``.arrow``, ``.feather``) and the stream form: one sample a row.

The file form is the stream form with a magic word before it and an index behind it. Both are read as streams, so that
no batch is read that was not looked at first: its buffers may be packed, and say beforehand how large they unpack.
"""

import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from plumbrule.errors import InputError, MissingExtraError
from plumbrule.samples.byte_streams import Rows
from plumbrule.samples.formats.columns import named_columns
from plumbrule.samples.formats.parquet import batch_rows, check_expansion, check_rows

if TYPE_CHECKING:
    import pyarrow as pa

_FILE_START = b"ARROW1\0\0"
_OLD_FEATHER = b"FEA1"
# places in Arrow's flatbuffers (format/Message.fbs): the header of a message, the batch of a dictionary, and of a
# batch the places of its buffers and how they are packed
_HEADER_TYPE, _HEADER = 1, 2
_DICTIONARY_DATA = 1
_BUFFERS, _PACKED = 2, 3
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3


def read_arrow(handle: BinaryIO, name: str, progress: Callable[[float], None]) -> Rows:
    """Yield each row as a record with its number, and tell ``progress`` the share of bytes done."""
    try:
        import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need
        import pyarrow.ipc  # noqa: PLC0415 -- the same
    except ImportError:
        raise MissingExtraError(need="reading Arrow files", extra="parquet") from None

    number = 0
    try:
        start = handle.read(len(_FILE_START))
        if not start:
            return
        if start.startswith(_OLD_FEATHER):
            raise InputError(f"{name}: Feather of version 1; write it again with version 2")
        begin = len(_FILE_START) if start == _FILE_START else 0
        handle.seek(begin)
        for message in _messages(handle):
            check_expansion("a batch", packed=message.body.size, unpacked=_unpacked_size(message), name=name)
        total = max(1, handle.tell())
        handle.seek(begin)
        with pa.ipc.open_stream(handle) as batches:
            named_columns(batches.schema.names, name)
            for batch in batches:
                check_rows(batch, name, number)
                for record in batch_rows(batch):
                    number += 1
                    yield number, record
                progress(min(1.0, handle.tell() / total))
        progress(1.0)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, struct.error) as error:
        reason = str(error).split("\n", 1)[0] or type(error).__name__
        raise InputError(f"{name}: not a readable Arrow file, after record {number}: {reason}") from None


def _messages(handle: BinaryIO) -> "Iterator[pa.ipc.Message]":
    """Yield the batches of a stream, its dictionaries among them, as they lie in the file."""
    import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need

    reader = pa.ipc.MessageReader.open_stream(handle)
    for message in reader:
        if message.type in {"record batch", "dictionary"}:
            yield message


def _unpacked_size(message: "pa.ipc.Message") -> int:
    """Return how large the buffers of a batch say that they are: each that is packed begins with its size."""
    table, body = memoryview(message.metadata), memoryview(message.body)
    root = _follow(table, 0)
    kind, header = _place(table, root, _HEADER_TYPE), _place(table, root, _HEADER)
    if kind is None or header is None:
        return 0
    batch = _follow(table, header)
    if table[kind] == _DICTIONARY_BATCH:
        data = _place(table, batch, _DICTIONARY_DATA)
        if data is None:
            return 0
        batch = _follow(table, data)
    buffers = _place(table, batch, _BUFFERS)
    if buffers is None or _place(table, batch, _PACKED) is None:
        return 0
    start = _follow(table, buffers)
    [count] = struct.unpack_from("<I", table, start)
    total = 0
    for index in range(min(count, len(table) // 16)):
        offset, length = struct.unpack_from("<qq", table, start + 4 + 16 * index)
        if length >= 8:
            [size] = struct.unpack_from("<q", body, offset)
            total += length if size < 0 else size  # below 0: this one is not packed
    return total


def _follow(table: memoryview, place: int) -> int:
    """Return where a flatbuffer's reference leads to."""
    [offset] = struct.unpack_from("<I", table, place)
    return place + int(offset)


def _place(table: memoryview, begin: int, field: int) -> int | None:
    """Return where a field of a flatbuffer's table stands; None where it is not given."""
    [back] = struct.unpack_from("<i", table, begin)
    known = begin - back
    [size] = struct.unpack_from("<H", table, known)
    if 4 + 2 * field >= size:
        return None
    [offset] = struct.unpack_from("<H", table, known + 4 + 2 * field)
    return begin + offset if offset else None
