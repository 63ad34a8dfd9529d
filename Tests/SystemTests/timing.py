"""How long an answer takes."""

import time

import httpx

from client import Api
from suite.suite import Suite


def ask(suite: Suite, address: str, path: str, body: dict[str, str]) -> tuple[float, int, dict]:
    """One call on a connection that stands already: seconds, status and answer."""
    transport = httpx.HTTPTransport(
        local_address=address, verify=Api(suite).http._transport._pool._ssl_context
    )
    with httpx.Client(base_url=suite.address, transport=transport, timeout=15) as client:
        client.get("/.well-known/openid-configuration")
        begin = time.perf_counter()
        answer = client.post(path, json=body)
        return time.perf_counter() - begin, answer.status_code, answer.json()
