"""What auth refuses and makes under a key."""

import uuid

from authenticator import Authenticator
from client import Api, Person, eventually, link_token, mails
from keyed import Making, Refusal, name
from provider import Browser, Hostile, sign_in

USERS = "/v1/admin/users"
IDENTITIES = "/v1/users/me/identities"
PASSKEYS = "/v1/passkeys"


def new_user(admin: Api) -> Refusal:
    holder = Person(admin.suite)
    body = {"email": f"{name()}@example.org", "username": holder.username, "roles": ["user"]}
    change = {"username": f"p{uuid.uuid4().hex[:12]}", "password": holder.password}
    return Refusal(
        admin, USERS, "username-taken", said={"json": body},
        mend=lambda: holder.call("PATCH", "/v1/users/me", 200, json=change),
    )  # fmt: skip


def proved(person: Person, browser: Browser, provider: Hostile, subject: str) -> dict:
    """A body that links the identity, and the browser's cookie."""
    browser.token = person.token
    code = sign_in(browser, provider, sub=subject, link="true")["oidcCode"]
    return {"json": {"oidcCode": code}, "headers": browser.with_cookie()}


def identity(ada: Person, provider: Hostile) -> Refusal:
    holder, subject = Person(ada.suite), uuid.uuid4().hex
    page, other = Browser(ada.suite), Browser(ada.suite)
    linked = page.call("POST", IDENTITIES, 201, **proved(holder, page, provider, subject))
    said = proved(ada, other, provider, subject)
    return Refusal(
        other, IDENTITIES, "identity-taken", said=said,
        mend=lambda: holder.call("DELETE", f"{IDENTITIES}/{linked['id']}", 204),
    )  # fmt: skip


def registering(person: Person, soft: Authenticator) -> dict:
    options = person.post(f"{PASSKEYS}/options")
    credential = soft.create(options["publicKey"]["challenge"])
    return {"json": {"challengeId": options["challengeId"], "credential": credential}}


def authenticator(person: Person) -> Authenticator:
    return Authenticator(origin=person.suite.address, user=uuid.UUID(person.id).bytes)


def passkey(ada: Person) -> Refusal:
    holder = Person(ada.suite)
    soft = authenticator(holder)
    kept = holder.call("POST", PASSKEYS, 201, **registering(holder, soft))
    return Refusal(
        ada, PASSKEYS, "passkey-taken", said=registering(ada, soft),
        mend=lambda: holder.call("DELETE", f"{PASSKEYS}/{kept['id']}", 204),
    )  # fmt: skip


def link_again(ada: Person) -> Refusal:
    person = Person(ada.suite)
    person.verify_email()
    change = {"email": f"{name()}@example.org", "password": person.password}
    return Refusal(
        person, "/v1/email-verifications", "already-verified", served=204,
        mend=lambda: person.call("PATCH", "/v1/users/me", 200, json=change),
    )  # fmt: skip


def move(person: Person, email: str) -> str:
    """Asks for another address; the token that is mailed there."""
    change = {"email": email, "password": person.password}
    person.call("PATCH", "/v1/users/me", 200, json=change)
    return link_token(eventually(lambda: mails(person.suite, email))[-1])


def link(ada: Person) -> Refusal:
    """Two want the same address, and the quicker one gives it back."""
    wanted, first, second = f"{name()}@example.org".lower(), Person(ada.suite), Person(ada.suite)
    slower = move(first, wanted)
    change = {"email": wanted, "password": second.password}
    second.call("PATCH", "/v1/users/me", 200, json=change)
    both = eventually(lambda: mails(ada.suite, wanted), until=lambda all: len(all) > 1)
    (quicker,) = {link_token(mail) for mail in both} - {slower}
    path, visitor = "/v1/email-verifications", Api(ada.suite)
    visitor.call("POST", f"{path}/{quicker}", 204)

    def give_back() -> None:
        visitor.call("POST", f"{path}/{move(second, f'{name()}@example.org')}", 204)

    return Refusal(visitor, f"{path}/{slower}", "email-taken", give_back, served=204)


def made_passkey(ada: Person) -> Making:
    person = Person(ada.suite)
    return Making(person, PASSKEYS, registering(person, authenticator(person)))


def made_identity(ada: Person, provider: Hostile) -> Making:
    page = Browser(ada.suite)
    said = proved(Person(ada.suite), page, provider, uuid.uuid4().hex)
    return Making(page, IDENTITIES, said)
