"""Files of banks, their previews, and taking them in and back."""

from typing import Any

from client import Person, eventually

BYTES = {"Content-Type": "application/octet-stream"}


def preview(person: Person, account: str, content: bytes, **query: str) -> dict[str, Any]:
    return person.call(
        "POST", "/v1/imports", 201, content=content, headers=BYTES,
        params={"accountId": account} | query,
    )  # fmt: skip


def commit(person: Person, one: dict[str, Any]) -> dict[str, Any]:
    answer = person.send("POST", f"/v1/imports/{one['id']}/commit")
    assert answer.status_code in (200, 202), answer.text
    done = eventually(
        lambda: person.get(f"/v1/imports/{one['id']}"),
        seconds=60,
        until=lambda found: found["state"] != "committing",
    )
    assert done["state"] == "committed", done
    return done


def withdraw(person: Person, one: dict[str, Any]) -> None:
    path = f"/v1/imports/{one['id']}"
    answer = person.send("DELETE", path)
    assert answer.status_code in (202, 204), answer.text
    eventually(
        lambda: person.get(path)["state"], seconds=60, until=lambda state: state == "withdrawn"
    )


def lines(person: Person, account: str) -> list[dict[str, Any]]:
    return list(person.pages("/v1/transactions", accountId=account, limit=200))


def mt940(number: str, opening: str, rows: list[tuple[str, str, str]], closing: str) -> bytes:
    """A statement of (entry, text) rows: `260105D12,50` and what `:86:` says."""
    told = "".join(f":61:{entry}NTRF{ref}\n:86:{text}\n" for entry, ref, text in rows)
    return (f":20:X\n:25:{number}\n:28C:1/1\n:60F:{opening}\n{told}:62F:{closing}\n-\n").encode()
