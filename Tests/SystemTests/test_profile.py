"""Profiles: settings, a new e-mail by its mailed link, names, pictures."""

import datetime
import io
import os
import random
import signal
import time
import uuid
import zoneinfo

import httpx
import pytest
from PIL import Image, ImageDraw

from actions import Shared, folder, join
from client import Api, Person, eventually, link_token, mail_text, mails, money
from families import ME, Family
from suite.suite import Suite

NEEDS = ["auth", "groups", "notifications", "ledger"]


def test_a_profile_is_merged_and_versioned(person: Person) -> None:
    first = person.send("GET", "/v1/users/me")
    settings = {
        "firstName": "Zoë", "lastName": "Li", "area": "CH-ZH", "theme": "dark", "monthStart": 25,
        "currency": "CHF", "language": "de-CH", "timeZone": "Europe/Zurich",
        "dateFormat": "dd.MM.yyyy", "dateOfBirth": "2015-02-28",
    }  # fmt: skip
    changed = person.send(
        "PATCH", "/v1/users/me", json=settings, headers={"If-Match": first.headers["etag"]}
    )
    assert changed.status_code == 200, changed.text
    assert settings.items() <= changed.json().items()
    person.problem(
        "PATCH", "/v1/users/me", 412, "precondition-failed", json={"theme": "light"},
        headers={"If-Match": first.headers["etag"]},
    )  # fmt: skip
    person.call("PATCH", "/v1/users/me", 200, json={"firstName": None})
    me = person.get("/v1/users/me")
    assert "firstName" not in me and me["lastName"] == "Li" and me["theme"] == "dark"
    for body, pointer in [
        ({"theme": "pink"}, "/theme"), ({"monthStart": 29}, "/monthStart"),
        ({"currency": None}, "/currency"), ({"area": "XX"}, "/area"), ({"id": "1"}, "/id"),
        ({"username": "раypal"}, "/username"), ({"dateOfBirth": "2999-01-01"}, "/dateOfBirth"),
    ]:  # fmt: skip
        told = person.problem("PATCH", "/v1/users/me", 422, "invalid-body", json=body)
        assert [error["pointer"] for error in told["errors"]] == [pointer]


def test_the_ledger_follows_the_currency_and_the_zone(person: Person) -> None:
    person.get("/v1/accounts")
    person.call("PATCH", "/v1/users/me", 200, json={"currency": "JPY"})
    opened = eventually(
        lambda: person.post("/v1/accounts", {"name": uuid.uuid4().hex}),
        until=lambda account: account["balance"]["currency"] == "JPY",
        seconds=30,
    )
    assert opened["balance"] == {"amount": "0", "currency": "JPY"}


def days_of(suite: Suite, person: Person, account: str) -> set[str]:
    """On which day each replica books now."""
    bodies = [{"amount": money("-1.00"), "accountId": account} for _ in (1, 2)]
    answers = [
        httpx.post(
            f"http://127.0.0.1:{suite.ports[f'LEDGER_{replica}']}/v1/transactions", json=body,
            headers={
                "Authorization": f"Bearer {person.token}", "Idempotency-Key": str(uuid.uuid4()),
            },
            verify=False, trust_env=False, timeout=15,  # noqa: S501
        )
        for replica, body in zip((1, 2), bodies, strict=True)
    ]  # fmt: skip
    return {answer.json()["date"] for answer in answers}


@pytest.mark.timeout(90)
def test_a_time_zone_is_in_force_everywhere_within_two_seconds(
    suite: Suite, person: Person
) -> None:
    account = person.post("/v1/accounts", {"name": "Cash"})["id"]
    for zone in ["Pacific/Kiritimati", "Etc/GMT+12", "Pacific/Kiritimati", "Etc/GMT+12"]:
        person.call("PATCH", "/v1/users/me", 200, json={"timeZone": zone})
        time.sleep(2)
        today = datetime.datetime.now(zoneinfo.ZoneInfo(zone)).date().isoformat()
        assert days_of(suite, person, account) == {today}, zone
    # While auth does not answer what was last known holds.
    pids = [suite.pid(f"ezwallet-auth-{replica}") for replica in (1, 2)]
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        report = person.get("/v1/reports/summary")
        assert report["to"] == today and time.monotonic() - began < 3
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    eventually(lambda: person.send("GET", "/v1/users/me").status_code == 200)


def test_new_zones_and_languages_with_texts_are_taken(suite: Suite, visitor: Api) -> None:
    person = Person(suite, timeZone="America/Ciudad_Juarez", language="de-AT")
    account = person.post("/v1/accounts", {"name": "Cash"})["id"]
    zone = zoneinfo.ZoneInfo("America/Ciudad_Juarez")
    made = person.post("/v1/transactions", {"amount": money("-1.00"), "accountId": account})
    assert made["date"] == datetime.datetime.now(zone).date().isoformat()
    for taken in ["Europe/Kyiv", "Asia/Calcutta", "US/Pacific", "EST5EDT"]:
        person.call("PATCH", "/v1/users/me", 200, json={"timeZone": taken})
    languages = {item["tag"]: item["name"] for item in visitor.get("/v1/languages")["items"]}
    assert languages["en"] == "English" and languages["it"] == "italiano"
    for field, value in [("timeZone", "Europe/Atlantis"), ("language", "xx")]:
        told = person.problem(
            "PATCH", "/v1/users/me", 422, "invalid-body", json={field: value}
        )  # fmt: skip
        assert [error["pointer"] for error in told["errors"]] == [f"/{field}"]


def test_an_email_is_changed_by_the_link_mailed_to_it(suite: Suite, person: Person) -> None:
    person.verify_email()
    wanted = f"new{uuid.uuid4().hex[:12]}@example.org"
    me = person.call("PATCH", "/v1/users/me", 200, json={"email": wanted})
    assert me["email"] == person.email and me["pendingEmail"] == wanted
    (mail,) = eventually(lambda: mails(suite, wanted))
    eventually(lambda: [m for m in mails(suite, person.email) if "Security" in m["subject"]])
    Api(suite).call("POST", f"/v1/email-verifications/{link_token(mail)}", 204)
    me = person.get("/v1/users/me")
    assert me["email"] == wanted and me["emailVerified"] and "pendingEmail" not in me
    eventually(lambda: mails(suite, wanted), until=lambda all: len(all) == 2)
    assert "e-mail address" in mail_text(mails(suite, wanted)[-1])
    Api(suite).problem(
        "POST", "/v1/sessions", 401, "wrong-credentials",
        json={"identifier": person.email, "password": person.password},
    )  # fmt: skip
    Api(suite).post("/v1/sessions", {"identifier": wanted, "password": person.password})


def test_names_that_are_taken_or_look_so_are_refused(suite: Suite, person: Person) -> None:
    other = Person(suite)
    told = other.problem(
        "PATCH", "/v1/users/me", 409, "username-taken",
        json={"username": person.username.upper()},
    )  # fmt: skip
    assert [error["pointer"] for error in told["errors"]] == ["/username"]
    body = {"email": person.email.upper(), "username": person.username}
    body["password"] = other.password
    told = Api(suite).problem("POST", "/v1/users", 409, "email-taken", json=body)
    assert [error["pointer"] for error in told["errors"]] == ["/email", "/username"]


def picture(size: tuple[int, int], kind: str, **options: object) -> bytes:
    """Red above, blue below, with noise so that it does not compress away."""
    image = Image.new("RGB", size, "red")
    ImageDraw.Draw(image).rectangle([0, size[1] // 2, size[0], size[1]], fill="blue")
    grain = random.Random(7)
    for _ in range(min(size) * 20):
        x, y = grain.randrange(size[0]), grain.randrange(size[1])
        red, _, blue = image.getpixel((x, y))
        image.putpixel((x, y), (red, grain.randrange(60), blue))
    kept = io.BytesIO()
    image.save(kept, kind, **options)
    return kept.getvalue()


def put(person: Api, content: bytes, kind: str = "image/jpeg") -> int:
    return person.send(
        "PUT", "/v1/users/me/picture", content=content, headers={"Content-Type": kind}
    ).status_code


def shown(person: Api, owner: Person, size: int = 512) -> Image.Image:
    answer = person.send("GET", f"/v1/users/{owner.id}/picture", params={"size": size})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/jpeg"
    assert "private" in answer.headers["cache-control"]
    return Image.open(io.BytesIO(answer.content))


def is_red(pixel: tuple[int, int, int]) -> bool:
    return pixel[0] > 180 and pixel[2] < 90


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_kept_square_in_two_sizes(person: Person, kind: str) -> None:
    # What it is is found by its content.
    assert put(person, picture((300, 200), kind), "application/octet-stream") == 204
    assert put(person, picture((300, 200), kind), f"image/{kind.lower()}") == 204
    for size in (512, 64):
        image = shown(person, person, size)
        assert image.size == (size, size) and image.format == "JPEG"
        assert is_red(image.getpixel((size // 2, size // 8)))
        assert not is_red(image.getpixel((size // 2, size * 7 // 8)))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_upright_and_says_nothing_of_its_place(
    person: Person, orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a camera"
    exif.get_ifd(0x8825).update({1: "N", 2: (46.0, 12.0, 7.0), 3: "E", 4: (6.0, 9.0, 1.0)})
    assert put(person, picture((240, 320), "JPEG", exif=exif.tobytes(), quality=92)) == 204
    image = shown(person, person)
    assert not image.getexif() and "exif" not in image.info
    # Where the red half, which is on top of what is stored, is for who looks at it.
    red = ["top", "top", "bottom", "bottom", "left", "right", "right", "left"][orientation - 1]
    at = {"top": (256, 40), "bottom": (256, 472), "left": (40, 256), "right": (472, 256)}
    opposite = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
    assert is_red(image.getpixel(at[red]))
    assert not is_red(image.getpixel(at[opposite[red]]))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_damaged_picture_is_refused(person: Person, kind: str) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    whole = picture((160, 160), kind, **options)
    lengths = [*range(1024, len(whole) - 16, 1024), len(whole) // 2]
    for number, length in enumerate(lengths):
        # Nobody has more than thirty rendered in an hour.
        if number % 25 == 24:
            person = Person(person.suite)
        told = person.send(
            "PUT", "/v1/users/me/picture", content=whole[:length],
            headers={"Content-Type": f"image/{kind.lower()}"},
        )  # fmt: skip
        assert told.status_code == 422, (kind, length, told.text)
        assert told.json()["code"] == "unreadable-picture"
    noise = whole[:24] + random.Random(3).randbytes(4000)
    assert put(person, noise) == 422


def test_bombs_and_other_files_are_refused(person: Person) -> None:
    bomb = io.BytesIO()
    Image.new("1", (30_000, 30_000)).save(bomb, "PNG")
    assert len(bomb.getvalue()) < 1 << 20
    assert put(person, bomb.getvalue(), "image/png") == 422
    for content in (b"", b"GIF89a" + bytes(100), b"<svg/>", b"%PDF-1.7", bytes(5000)):
        assert put(person, content) == 415
    assert put(person, b"\xff\xd8\xff" + bytes((5 << 20) - 3)) == 422
    assert put(person, b"\xff\xd8\xff" + bytes(5 << 20)) == 413
    assert person.send("GET", f"/v1/users/{person.id}/picture").headers["content-type"] == (
        "image/svg+xml"
    )


def test_a_picture_is_seen_by_those_who_share_a_group(suite: Suite) -> None:
    ada, bob, eve = Person(suite), Person(suite), Person(suite)
    assert put(ada, picture((64, 64), "PNG"), "image/png") == 204
    path = f"/v1/users/{ada.id}/picture"
    unknown = f"/v1/users/{uuid.uuid4()}/picture"
    for who in (bob, eve):
        seen = [who.problem("GET", target, 404, "not-found") for target in (path, unknown)]
        assert seen[0] | {"traceId": ""} == seen[1] | {"traceId": ""}
    group = ada.post("/v1/groups", {"name": "Trip", "invitations": [{"username": bob.username}]})
    (mine,) = bob.get("/v1/invitations")["items"]
    bob.call("POST", f"/v1/invitations/{mine['id']}/acceptance", 200)
    assert shown(bob, ada, 64).size == (64, 64) and group
    eve.problem("GET", path, 404, "not-found")
    tag = bob.send("GET", path).headers["etag"]
    again = bob.send("GET", path, headers={"If-None-Match": tag})
    assert again.status_code == 304 and not again.content
    ada.call("DELETE", "/v1/users/me/picture", 204)
    assert bob.send("GET", path).headers["content-type"] == "image/svg+xml"


def test_a_picture_is_seen_by_those_who_share_a_wallet_or_a_folder(suite: Suite) -> None:
    shared = Shared(suite)
    owner, guest = Person(suite), Person(suite)
    holidays = folder(owner)
    for one in (shared.ada, shared.eve, owner, guest):
        assert put(one, picture((64, 64), "PNG"), "image/png") == 204

    def seen(reader: Person, whose: Person) -> int:
        return reader.send("GET", f"/v1/users/{whose.id}/picture").status_code

    assert {seen(one, shared.ada) for one in (shared.eve, shared.vic)} == {200}
    assert seen(shared.ada, shared.eve) == seen(shared.vic, shared.eve) == 200
    assert seen(shared.sam, shared.ada) == seen(shared.sam, shared.eve) == 404
    assert seen(owner, guest) == seen(guest, owner) == 404
    join(owner, holidays, guest, "read")
    assert seen(owner, guest) == seen(guest, owner) == 200
    # Whoever is in it no more sees it no more.
    guest.call("DELETE", f"/v1/folders/{holidays}/members/{guest.id}", 204)
    shared.ada.call("DELETE", f"{shared.path}/members/{shared.eve.id}", 204)
    assert seen(owner, guest) == seen(guest, owner) == seen(shared.eve, shared.ada) == 404


def test_a_picture_is_seen_by_those_who_share_a_family(suite: Suite) -> None:
    family, other = Family(suite), Family(suite)
    everybody = (family.mother, family.father, family.child)
    for one in (*everybody, other.mother):
        assert put(one, picture((64, 64), "PNG"), "image/png") == 204

    def seen(reader: Person, whose: Person) -> int:
        return reader.send("GET", f"/v1/users/{whose.id}/picture").status_code

    assert {seen(one, whose) for one in everybody for whose in everybody} == {200}
    assert shown(family.child, family.father, 64).size == (64, 64)
    assert {seen(other.mother, one) for one in everybody} == {404}
    assert {seen(one, other.mother) for one in everybody} == {404}
    # Whoever is in it no more sees it no more.
    family.mother.call("DELETE", f"{ME}/members/{family.child.id}", 204)
    family.father.call("DELETE", f"{ME}/members/me", 204)
    for gone in (family.child, family.father):
        assert seen(gone, family.mother) == seen(family.mother, gone) == 404
