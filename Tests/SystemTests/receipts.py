"""Files for tests of receipts, and ways to send them."""

import io
import random
import socket
import ssl
from urllib.parse import urlsplit

import httpx
from PIL import Image, ImageOps, PngImagePlugin

from client import Api, Person
from suite.suite import Suite

MIB = 1 << 20


def picture(kind: str, size: int = 64) -> bytes:
    """A picture whose pixels no format makes small."""
    kept = io.BytesIO()
    pixels = random.Random(7).randbytes(size * size * 3)
    Image.frombytes("RGB", (size, size), pixels).save(kept, kind)
    return kept.getvalue()


def tagged(kind: str) -> bytes:
    """A picture with «Secret» in each kind of metadata that its format has; it lies on its side."""
    kept, exif = io.BytesIO(), Image.Exif()
    exif[0x010F], exif[0x0112] = "SecretCamera", 6
    exif.get_ifd(0x8825)[0x001D] = "SecretDay"
    image = Image.frombytes("RGB", (48, 32), random.Random(7).randbytes(48 * 32 * 3))
    more: dict[str, object] = {"exif": exif, "xmp": b"<x:xmpmeta>SecretPlace</x:xmpmeta>"}
    if kind == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add_text("Comment", "SecretText")
        info.add_itxt("XML:com.adobe.xmp", "SecretPlace")
        more = {"exif": exif, "pnginfo": info}
    if kind == "GIF":
        more = {"comment": b"SecretComment"}
    if kind == "JPEG":
        more |= {"comment": b"SecretComment", "progressive": True}
    image.save(kept, kind, **more)
    behind = b"SecretFilm" if kind in ("JPEG", "PNG", "GIF") else b""
    return kept.getvalue() + behind


def upright(content: bytes) -> tuple[tuple[int, int], bytes]:
    """Size and pixels as a viewer shows them."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(content))).convert("RGB")
    return image.size, image.tobytes()


def large(size: int = 10 * MIB, seed: int = 1) -> bytes:
    """A PDF of exactly so many bytes."""
    head, tail = b"%PDF-1.7\n%", b"\n%%EOF\n"
    return head + random.Random(seed).randbytes(size - len(head) - len(tail)) + tail


def refused(person: Api, path: str, parts: object) -> int | None:
    """The status of a body that the server stops reading; none where it was reset first."""
    try:
        return person.send("POST", path, content=parts, retry=False).status_code
    except httpx.TransportError:
        return None


def half_upload(suite: Suite, person: Person, path: str, content: bytes) -> ssl.SSLSocket:
    """A connection that has sent two thirds of a file and waits."""
    address = urlsplit(suite.address)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    plain = socket.create_connection((address.hostname, address.port), 20)
    connection = trust.wrap_socket(plain, server_hostname=address.hostname)
    connection.sendall(
        f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {person.token}\r\nContent-Length: {len(content)}\r\n\r\n".encode()
    )
    connection.sendall(content[: len(content) * 2 // 3])
    return connection
