"""What groups refuse and make under a key, and what is shared by invitation."""

import uuid

from client import Person, money
from group_imports import BYTES, HEAD, PATH, preview
from keyed import Refusal, picture

#: A group's export, of two people whom nobody in the group is called like.
EXPORT = (
    f"{HEAD},Zoe,Yan\n\n2023-01-05,Bread,Food,2.00,EUR,1.00,-1.00\n\n"
    "2023-02-01,Total balance, , ,EUR,1.00,-1.00\n"
)


def club(ada: Person) -> str:
    return f"/v1/groups/{ada.post('/v1/groups', {'name': 'Club', 'currency': 'EUR'})['id']}"


def wallet_of(ada: Person) -> str:
    return f"/v1/accounts/{ada.post('/v1/accounts', {'name': uuid.uuid4().hex[:8]})['id']}"


def folder_of(ada: Person) -> str:
    return f"/v1/folders/{ada.post('/v1/folders', {'name': uuid.uuid4().hex[:8]})['id']}"


def open_one(ada: Person, bob: Person, path: str, body: dict) -> Refusal:
    """Refused until the invitation that is open already is rejected."""
    first = ada.post(path, body)["id"]
    return Refusal(
        ada, path, "already-invited", said={"json": body},
        mend=lambda: bob.call("POST", f"/v1/invitations/{first}/rejection", 204),
    )  # fmt: skip


def invitation(ada: Person, bob: Person) -> Refusal:
    return open_one(ada, bob, f"{club(ada)}/invitations", {"username": bob.username})


def to_wallet(ada: Person, bob: Person) -> Refusal:
    body = {"username": bob.username, "role": "viewer"}
    return open_one(ada, bob, f"{wallet_of(ada)}/members", body)


def to_folder(ada: Person, bob: Person) -> Refusal:
    body = {"username": bob.username, "access": "read"}
    return open_one(ada, bob, f"{folder_of(ada)}/invitations", body)


def somebody(ada: Person, _: Person) -> Refusal:
    username = f"p{uuid.uuid4().hex[:12]}"
    return Refusal(
        ada, f"{club(ada)}/invitations", "user-not-found", said={"json": {"username": username}},
        mend=lambda: Person(ada.suite, username=username),
    )  # fmt: skip


def group(ada: Person, _: Person) -> Refusal:
    username = f"p{uuid.uuid4().hex[:12]}"
    body = {"name": "Club", "invitations": [{"username": username}]}
    return Refusal(
        ada, "/v1/groups", "user-not-found", said={"json": body},
        mend=lambda: Person(ada.suite, username=username),
    )  # fmt: skip


def by_address(ada: Person, answer: str, served: int) -> Refusal:
    """Nobody's invitation until the address is proved that it went to."""
    late = Person(ada.suite)
    sent = ada.post(f"{club(ada)}/invitations", {"email": late.email})["id"]
    path = f"/v1/invitations/{sent}/{answer}"
    return Refusal(late, path, "not-found", late.verify_email, served=served)


def acceptance(ada: Person, _: Person) -> Refusal:
    return by_address(ada, "acceptance", 200)


def rejection(ada: Person, _: Person) -> Refusal:
    return by_address(ada, "rejection", 204)


def enter(ada: Person, bob: Person, path: str) -> None:
    asked = ada.post(f"{path}/invitations", {"username": bob.username})["id"]
    bob.post(f"/v1/invitations/{asked}/acceptance", status=200)


def settlement(ada: Person, bob: Person, **more: str) -> Refusal:
    path = club(ada)
    enter(ada, bob, path)
    members = {one["userId"]: one["id"] for one in ada.get(f"{path}/members")["items"]}
    split = {"kind": "equal", "parts": [{"memberId": one} for one in members.values()]}
    expense = {"name": "Rent", "amount": money("10.00"), "split": split}
    return Refusal(
        ada, f"{path}/settlements", "nothing-to-settle",
        said={"json": {"withMemberId": members[bob.id]} | more},
        mend=lambda: ada.post(f"{path}/expenses", expense),
    )  # fmt: skip


def cleared_settlement(ada: Person, bob: Person) -> Refusal:
    """The same for an account that the money comes to."""
    account = ada.post("/v1/accounts", {"kind": "current", "currency": "EUR"})["id"]
    return settlement(ada, bob, accountId=account)


def linked_expense(ada: Person, _: Person) -> Refusal:
    """From an account that does not hold enough yet."""
    path = club(ada)
    account = ada.post("/v1/accounts", {"kind": "current", "currency": "EUR"})["id"]
    income = {"accountId": account, "amount": money("9.00")}
    return Refusal(
        ada, f"{path}/expenses", "insufficient-funds",
        said={"json": {"name": "Rent", "amount": money("3.00"), "accountId": account}},
        mend=lambda: ada.post("/v1/transactions", income),
    )  # fmt: skip


def expense(ada: Person, bob: Person) -> Refusal:
    """Of a group that one is not in yet."""
    path = club(ada)
    (member,) = ada.get(f"{path}/members")["items"]
    split = {"kind": "equal", "parts": [{"memberId": member["id"]}]}
    body = {"name": "Rent", "amount": money("3.00"), "split": split}
    return Refusal(
        bob, f"{path}/expenses", "not-found", said={"json": body},
        mend=lambda: enter(ada, bob, path),
    )  # fmt: skip


def threshold(ada: Person, bob: Person) -> Refusal:
    path = club(ada)
    return Refusal(
        bob, f"{path}/thresholds", "not-found", said={"json": {"amount": money("9.00")}},
        mend=lambda: enter(ada, bob, path),
    )  # fmt: skip


def guest(ada: Person, bob: Person) -> Refusal:
    path = club(ada)
    return Refusal(
        bob, f"{path}/members", "not-found", said={"json": {"displayName": "Grandma"}},
        mend=lambda: enter(ada, bob, path),
    )  # fmt: skip


def by_link(ada: Person, bob: Person) -> Refusal:
    """To a group that one is in already, until one leaves it."""
    path = club(ada)
    enter(ada, bob, path)
    token = ada.post(f"{path}/invitations", {"link": {}})["link"]["token"]
    return Refusal(
        bob, f"/v1/invitation-links/{token}/acceptance", "already-member", served=200,
        mend=lambda: bob.call("DELETE", f"{path}/members/me", 204),
    )  # fmt: skip


def parting(ada: Person, bob: Person) -> Refusal:
    """Of a guest who has not been merged yet."""
    path = club(ada)
    enter(ada, bob, path)
    guest = ada.post(f"{path}/members", {"displayName": "Bobby"})["id"]
    token = ada.post(f"{path}/invitations", {"link": {"memberId": guest}})["link"]["token"]
    return Refusal(
        ada, f"{path}/members/{guest}/undo", "not-found", served=204,
        mend=lambda: bob.post(f"/v1/invitation-links/{token}/acceptance", status=200),
    )  # fmt: skip


def written(ada: Person) -> str:
    path = club(ada)
    body = {"name": "Rent", "amount": money("3.00")}
    return f"{path}/expenses/{ada.post(f'{path}/expenses', body)['id']}"


def attachment(ada: Person, _: Person) -> Refusal:
    """As many files as one can have."""
    path = f"{written(ada)}/attachments"
    made = [ada.call("POST", path, 201, content=picture())["id"] for _ in range(10)]
    return Refusal(
        ada, path, "too-many-attachments", said={"content": picture()},
        mend=lambda: ada.call("DELETE", f"{path}/{made[0]}", 204),
    )  # fmt: skip


def comment(ada: Person, _: Person) -> Refusal:
    """In a group that is put away."""
    path = written(ada)
    archive = f"{path.split('/expenses')[0]}/archive"
    ada.call("PUT", archive, 200)
    return Refusal(
        ada, f"{path}/comments", "group-archived", said={"json": {"text": "Why?"}},
        mend=lambda: ada.call("DELETE", archive, 200),
    )  # fmt: skip


def undoing(ada: Person, _: Person) -> Refusal:
    """Of what has not been removed yet."""
    path = written(ada)
    return Refusal(
        ada, f"{path}/undo", "not-found", served=200, mend=lambda: ada.call("DELETE", path, 204)
    )


def category(ada: Person, bob: Person) -> Refusal:
    path = club(ada)
    return Refusal(
        bob, f"{path}/categories", "not-found", said={"json": {"name": "Food"}},
        mend=lambda: enter(ada, bob, path),
    )  # fmt: skip


def group_upload(ada: Person, _: Person) -> Refusal:
    """Ten previews wait."""
    late = Person(ada.suite)
    group = club(late).rpartition("/")[2]
    made = [preview(late, group, EXPORT)["id"] for _ in range(10)]
    return Refusal(
        late, f"{PATH}?groupId={group}", "too-many-imports",
        said={"content": EXPORT.encode(), "headers": BYTES},
        mend=lambda: late.call("DELETE", f"{PATH}/{made[0]}", 204),
    )  # fmt: skip


def group_commit(ada: Person, _: Person) -> Refusal:
    """Of people whom nobody has named."""
    path = f"{PATH}/{preview(ada, club(ada).rpartition('/')[2], EXPORT)['id']}"
    guests = {"people": [{"name": name, "guest": True} for name in ("Zoe", "Yan")]}
    return Refusal(
        ada, f"{path}/commit", "people-not-mapped", served=200,
        mend=lambda: ada.call("PATCH", path, 200, json=guests),
    )  # fmt: skip


def family(ada: Person, _: Person) -> Refusal:
    """By whoever is in one, until they leave it."""
    late = Person(ada.suite)
    late.post("/v1/families", {})
    return Refusal(
        late, "/v1/families", "already-in-family", said={"json": {}},
        mend=lambda: late.call("DELETE", "/v1/families/me", 204),
    )  # fmt: skip


def household_envelope(ada: Person, _: Person) -> Refusal:
    """Of a name that is free once the other has another."""
    late = Person(ada.suite)
    late.post("/v1/families", {})
    path = "/v1/families/me/budget/envelopes"
    first = late.post(path, {"name": "Food"})["id"]
    return Refusal(
        late, path, "envelope-name-taken", said={"json": {"name": "food"}},
        mend=lambda: late.call("PATCH", f"{path}/{first}", 200, json={"name": "Fun"}),
    )  # fmt: skip


def to_family(ada: Person, bob: Person) -> Refusal:
    late = Person(ada.suite)
    late.post("/v1/families", {})
    path = "/v1/families/me/invitations"
    body = {"email": bob.email, "role": "child"}
    first = late.post(path, body)["id"]
    return Refusal(
        late, path, "already-invited", said={"json": body},
        mend=lambda: late.call("DELETE", f"{path}/{first}", 204),
    )  # fmt: skip


def allowance(ada: Person, _: Person) -> Refusal:
    """Of a parent's account that does not hold enough yet."""
    parent, child = Person(ada.suite), Person(ada.suite)
    child.verify_email()
    parent.post("/v1/families", {"currency": "EUR"})
    body = {"email": child.email, "role": "child"}
    sent = parent.post("/v1/families/me/invitations", body)["id"]
    child.post(f"/v1/invitations/{sent}/acceptance", status=200)
    account = parent.post("/v1/accounts", {"kind": "current", "currency": "EUR"})["id"]
    said = {"json": {"amount": money("1.00"), "fromAccountId": account}}
    income = {"accountId": account, "amount": money("9.00")}
    return Refusal(
        parent, f"/v1/families/me/children/{child.id}/allowances", "insufficient-funds", said=said,
        mend=lambda: parent.post("/v1/transactions", income),
    )  # fmt: skip


def recurring_allowance(ada: Person, other: Person) -> Refusal:
    """The same of one that is to come again."""
    refusal = allowance(ada, other)
    refusal.said["json"]["recurrence"] = {"every": 1, "unit": "month"}
    return refusal


def approval(ada: Person, _: Person) -> Refusal:
    """Of a child who has asked for as much as may be open."""
    parent, child = Person(ada.suite), Person(ada.suite)
    child.verify_email()
    parent.post("/v1/families", {"currency": "EUR"})
    body = {"email": child.email, "role": "child"}
    sent = parent.post("/v1/families/me/invitations", body)["id"]
    child.post(f"/v1/invitations/{sent}/acceptance", status=200)
    path, said = "/v1/families/me/approvals", {"name": "Skates", "amount": money("20.00")}
    asked = [child.post(path, said, key=str(number))["id"] for number in range(20)]
    return Refusal(
        child, path, "too-many-approvals", said={"json": said},
        mend=lambda: child.call("DELETE", f"{path}/{asked[0]}", 204),
    )  # fmt: skip
