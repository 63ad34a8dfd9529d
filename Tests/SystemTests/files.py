"""Files that people send."""

import zlib


def chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG."""
    checksum = zlib.crc32(kind + content).to_bytes(4, "big")
    return len(content).to_bytes(4, "big") + kind + content + checksum


PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
    + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b"")
)
