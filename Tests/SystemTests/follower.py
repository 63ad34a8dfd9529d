"""A client that works offline: its copy is what `GET /v1/changes` tells, and nothing else."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from client import Api, value

#: What is kept of each kind, by its identifier.
KINDS = [
    "folder", "category", "recurrence", "standingOrder", "importRule", "allocation", "account",
    "transaction",
]  # fmt: skip


class Follower:
    """The copy, and where it stands."""

    def __init__(self, api: Api):
        self.api, self.since = api, None
        self.copy: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self.attachments: dict[str, list[dict[str, Any]]] = {}
        self.pages, self.more = 0, False

    def poll(self, limit: int = 200) -> dict[str, Any]:
        """Takes one page."""
        params: dict[str, Any] = {"limit": limit}
        if self.since:
            params["since"] = self.since
        page = self.api.get("/v1/changes", **params)
        assert len(page["items"]) <= limit
        for item in page["items"]:
            self.take(item)
        # Only once the page is kept: whoever is killed before asks again, and misses nothing.
        self.since, self.more = page["next"], page["more"]
        self.pages += 1
        return page

    def catch_up(self, limit: int = 200) -> list[dict[str, Any]]:
        """All that is new; what was told."""
        # A round that was begun before says what there was then: it is ended, and another one read.
        told: list[dict[str, Any]] = []
        for _ in range(1 + self.more):
            while True:
                told += self.poll(limit)["items"]
                if not self.more:
                    break
        return told

    def take(self, item: dict[str, Any]) -> None:
        kind, identifier = item["kind"], item["id"]
        if kind == "access":
            access = item["access"]
            loads = access["action"] == "load"
            if access.get("folderId") == identifier:
                (self.load_folder if loads else self.drop_folder)(identifier)
                return
            assert access["accountId"] == identifier
            (self.load if loads else self.drop)(identifier)
            return
        if "deletedAt" in item:
            if kind == "folder":
                self.drop_folder(identifier)
            self.copy[kind].pop(identifier, None)
            self.attachments.pop(identifier, None)
            return
        self.copy[kind][identifier] = item[kind]
        if kind == "transaction":
            self.attachments[identifier] = item["attachments"]

    def load(self, account: str) -> None:
        """A wallet that somebody shares: as it is now."""
        self.copy["account"][account] = self.api.get(f"/v1/accounts/{account}")
        for row in self.api.pages("/v1/transactions", accountId=account, limit=200):
            self.copy["transaction"][row["id"]] = row
            self.attachments[row["id"]] = attachments(self.api, row["id"])

    def drop(self, account: str) -> None:
        """A wallet that is not shared any more."""
        self.copy["account"].pop(account, None)
        rows = self.copy["transaction"]
        for gone in [name for name, row in rows.items() if row["accountId"] == account]:
            del rows[gone]
            self.attachments.pop(gone, None)

    def load_folder(self, folder: str) -> None:
        """A folder that somebody shares: what one had put in before is in it again."""
        for row in self.api.pages("/v1/transactions", folderId=folder, limit=200):
            if row["id"] in self.copy["transaction"] and "bookedFor" not in row:
                self.copy["transaction"][row["id"]] = row

    def drop_folder(self, folder: str) -> None:
        """A folder that is gone takes nothing with it but the links."""
        for row in self.copy["transaction"].values():
            if row.get("folderId") == folder:
                del row["folderId"]

    def envelopes(self) -> dict[tuple[str, str], Decimal]:
        """What was allocated, by category and month; months of nothing left out."""
        sums: Counter = Counter()
        for entry in self.copy["allocation"].values():
            sums[entry["categoryId"], entry["month"]] += value(entry["amount"])
        return {key: sum_ for key, sum_ in sums.items() if sum_}

    def check(self, note: object = "", receipts: set[str] | None = None) -> None:
        """The copy is what the lists answer; receipts are looked for where they may be."""
        for kind, listed in lists(self.api):
            found = self.copy[kind]
            assert set(found) == set(listed), (note, kind, set(found) ^ set(listed))
            for name, view in listed.items():
                assert found[name] == view, (note, kind, found[name], view)
        for name, found in self.attachments.items():
            if receipts is None or name in receipts or found:
                assert found == attachments(self.api, name), (note, name, found)
        envelopes: dict[tuple[str, str], Decimal] = {}
        for month in {month for _, month in self.envelopes()} | {None}:
            page = self.api.get("/v1/budgets", **({"month": month} if month else {}))
            for one in page["items"]:
                if value(one["allocated"]):
                    envelopes[one["categoryId"], one["month"]] = value(one["allocated"])
        assert self.envelopes() == envelopes, note


def attachments(api: Api, transaction: str) -> list[dict[str, Any]]:
    return api.get(f"/v1/transactions/{transaction}/attachments")["items"]


def lists(api: Api) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each kind that has a list, with all that is in it."""
    for kind, path, params in (
        ("account", "/v1/accounts", {"closed": "true"}),
        ("category", "/v1/categories", {}),
        ("recurrence", "/v1/recurrences", {}),
        ("standingOrder", "/v1/standing-orders", {}),
        ("importRule", "/v1/import-rules", {}),
        ("folder", "/v1/folders", {}),
        ("transaction", "/v1/transactions", {}),
    ):
        yield kind, {row["id"]: row for row in api.pages(path, limit=200, **params)}
