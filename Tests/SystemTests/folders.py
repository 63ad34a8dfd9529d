"""What is done with folders."""

from typing import Any

from client import Person, money


def record(person: Person, amount: str = "-1.00", **fields: Any) -> str:
    return person.post("/v1/transactions", {"amount": money(amount)} | fields)["id"]


def inside(person: Person, folder: str, **filters: Any) -> set[str]:
    """What somebody sees in a folder, by small pages."""
    rows = person.pages("/v1/transactions", folderId=folder, limit=3, **filters)
    return {row["id"] for row in rows}


def put(person: Person, folder: str, transaction: str) -> None:
    person.call("PUT", f"/v1/folders/{folder}/transactions/{transaction}", 204)


def take(person: Person, folder: str, transaction: str) -> None:
    person.call("DELETE", f"/v1/folders/{folder}/transactions/{transaction}", 204)
