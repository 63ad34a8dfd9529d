"""QR codes as answers have them, read by libraries that have no part in making them."""

import io

import httpx
import resvg_py
import zxingcpp
from PIL import Image


def read(answer: httpx.Response, pixels: int | None = None) -> bytes:
    """What the code in a drawing says, that it is one of level M, and that it is only a picture."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert len(answer.content) < 64 << 10 and b"<script" not in answer.content
    drawn = resvg_py.svg_to_bytes(svg_string=answer.text, width=pixels, height=pixels)
    image = Image.open(io.BytesIO(bytes(drawn))).convert("L")
    # The quiet zone is white; around the drawing anything may stand.
    framed = Image.new("L", (image.width + 80, image.height + 80), 0)
    framed.paste(image, (40, 40))
    for picture in (image, framed, framed.rotate(90)):
        (code,) = zxingcpp.read_barcodes(picture)
        assert code.format == zxingcpp.BarcodeFormat.QRCode and code.ec_level == "M"
    return bytes(code.bytes)
