"""What a key's promise is tried on: a call that is refused, and how its cause goes away."""

import io
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from PIL import Image

from client import Api


@dataclass
class Refusal:
    """A POST that is refused until its cause is mended."""

    by: Api
    path: str
    code: str
    mend: Callable[[], Any]
    #: What is said: a body, its headers.
    said: dict[str, Any] = field(default_factory=dict)
    #: What it is answered by once it is mended, under another key.
    served: int = 201
    #: Seconds until what was mended is known everywhere.
    patience: float = 15.0


@dataclass
class Making:
    """A POST that makes something, which can be taken away."""

    by: Api
    path: str
    said: dict[str, Any]
    #: Takes away what was made; by default a DELETE of its place.
    remove: Callable[[dict[str, Any]], httpx.Response] | None = None


def name() -> str:
    return f"N{uuid.uuid4().hex[:8]}"


def picture() -> bytes:
    kept = io.BytesIO()
    Image.new("RGB", (8, 8)).save(kept, "PNG")
    return kept.getvalue()
