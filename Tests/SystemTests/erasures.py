"""A person who has used everything, and what becomes of them."""

import datetime
import random
import uuid

from actions import document, import_file, ofx
from client import Api, Person, eventually, mails, money, sms_code
from families import ME, join, proved, purse
from suite.suite import Suite


def phone_token(suite: Suite, phone: str) -> str:
    """The proof that a phone answers."""
    nobody = Api(suite)
    body = {"purpose": "phone-verification", "phone": phone}
    challenge = nobody.post("/v1/challenges", body, status=202)
    answer = {"code": sms_code(suite, phone)}
    return nobody.post(f"/v1/challenges/{challenge['id']}/answers", answer, status=200)[
        "phoneToken"
    ]


def delete(person: Person, **body: str) -> dict:
    """Asks for the deletion and gives the receipt."""
    return person.post("/v1/users/me/deletion", body or {"password": person.password}, status=202)


def completed(suite: Suite, receipt: dict, seconds: float = 30.0) -> dict:
    """The receipt once all of it is done; nobody has to be signed in for it."""
    path = f"/v1/deletion-receipts/{receipt['token']}"
    done = eventually(
        lambda: Api(suite).get(path), seconds, until=lambda one: one["state"] == "completed"
    )
    assert done["id"] == receipt["id"] and done["completedAt"] and "token" not in done
    assert all(part["completedAt"] for part in done["parts"]) and len(done["parts"]) == 7
    return done


class Busy:
    """Somebody who has done everything, and a friend who has seen it."""

    def __init__(self, suite: Suite):
        mark = uuid.uuid4().hex[:10]
        self.first, self.last = f"Zoé{mark}", f"Quux{mark}"
        born = datetime.date(1930, 1, 1) + datetime.timedelta(random.randrange(25_000))
        self.born = born.isoformat()
        self.phone = f"+39333{random.randrange(10**6, 10**7)}"
        self.person = person = Person(
            suite, username=f"u{mark}", email=f"m{mark}@example.org", firstName=self.first,
            lastName=self.last, dateOfBirth=self.born, phone=self.phone,
            phoneToken=phone_token(suite, self.phone),
        )  # fmt: skip
        self.text = f"secret{mark}"
        person.verify_email()
        self.friend = friend = Person(suite)
        friend.verify_email()
        self.write_transactions()
        self.plan()
        self.share_wallets(friend)
        self.transfer()
        self.share_group(friend)
        self.look_after()

    def write_transactions(self) -> None:
        person, text = self.person, self.text
        category = person.post("/v1/categories", {"name": f"C {text}"})["id"]
        wallet = person.post("/v1/accounts", {"kind": "wallet", "name": f"W {text}"})["id"]
        made = [
            person.post(
                "/v1/transactions",
                {
                    "amount": money("-1.25"), "accountId": wallet, "categoryId": category,
                    "name": f"N {text} {i}", "description": f"D {text}",
                },
            )["id"]
            for i in range(6)
        ]  # fmt: skip
        for one in made[:2]:
            person.call("DELETE", f"/v1/transactions/{one}", 200)
        rows = [(f"202401{i + 10}", "-2.00", f"shop {text} {i}") for i in range(5)]
        import_file(person, wallet, ofx(rows, "EUR", "-10.00"))
        preview = person.call(
            "POST", f"/v1/imports?accountId={wallet}&format=ofx", 201,
            content=ofx([("20240301", "-1.00", f"later {text}")], "EUR", "-11.00"),
            headers={"Content-Type": "application/octet-stream"},
        )  # fmt: skip
        assert preview["state"] == "preview"

    def plan(self) -> None:
        """What repeats, a rule, a receipt, and a file that waits to be read in another way."""
        person, text = self.person, self.text
        wallet = person.post("/v1/accounts", {"kind": "wallet", "name": f"P {text}"})["id"]
        made = person.post(
            "/v1/transactions",
            {
                "amount": money("-3.00"), "accountId": wallet, "name": f"S {text}",
                "tags": [f"t{text}"], "recurrence": {"every": 1, "unit": "month"},
                "location": {"lat": 45.1, "lon": 7.6, "label": f"L {text}"},
            },
        )["id"]  # fmt: skip
        person.call(
            "POST", f"/v1/transactions/{made}/attachments", 201, content=document(),
            headers={"Content-Disposition": f'attachment; filename="{text}.pdf"'},
        )  # fmt: skip
        category = person.post("/v1/categories", {"name": f"B {text}"})["id"]
        self.order()
        person.post("/v1/import-rules", {"match": {"contains": text}, "categoryId": category})
        person.post(f"/v1/budgets/{category}/allocations", {"amount": money("7.00")})
        import_file(person, wallet, ofx([("20240105", "-9.00", f"own {text}")], "EUR", "-9.00"))
        csv = f"when,who,how much\n2024-01-06,{text},-1.00\n".encode()
        preview = person.call(
            "POST", f"/v1/imports?accountId={wallet}&format=csv", 201, content=csv,
            headers={"Content-Type": "application/octet-stream"},
        )  # fmt: skip
        assert preview["state"] == "preview"

    def order(self) -> None:
        """What is paid again and again, with a word to whoever gets it."""
        one, other = (self.person.post("/v1/accounts", {"kind": "wallet"})["id"] for _ in range(2))
        body = {
            "fromAccountId": one, "toAccountId": other, "amount": money("0.01"),
            "reference": f"O {self.text}", "recurrence": {"every": 1, "unit": "day"},
            "startDate": "2999-01-01",
        }  # fmt: skip
        self.person.post("/v1/standing-orders", body)

    def share_wallets(self, friend: Person) -> None:
        """One of the person's, and one of the friend's in which the person has written."""
        for owner, guest in ((self.person, friend), (friend, self.person)):
            wallet = owner.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
            invitation = owner.post(
                f"/v1/accounts/{wallet}/members", {"username": guest.username, "role": "editor"}
            )
            guest.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
            name = f"guest {self.text}" if guest is self.person else "guest"
            body = {"accountId": wallet, "amount": money("-4.00"), "name": name}
            guest.post("/v1/transactions", body)
        self.friends_wallet = wallet

    def transfer(self) -> None:
        """Money to the friend and back, so that each has lines of the other."""
        ours, theirs = (
            one.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Current"})
            for one in (self.person, self.friend)
        )
        self.iban, self.friends_account = ours["iban"], theirs["id"]
        row = {"accountId": ours["id"], "amount": money("50.00")}
        self.person.post("/v1/transactions", row)
        for payer, source, target in (
            (self.person, ours["id"], theirs["iban"]), (self.friend, theirs["id"], ours["iban"]),
            (self.person, ours["id"], theirs["iban"]),
        ):  # fmt: skip
            body = {
                "fromAccountId": source, "toIban": target, "amount": money("50.00"),
                "reference": f"R {self.text}" if payer is self.person else "rent",
            }  # fmt: skip
            key = str(uuid.uuid4())
            made = payer.post("/v1/transfers", body, key=key)["id"]
            if payer is self.friend:
                self.repeat = (body, key, made)

    def share_group(self, friend: Person) -> None:
        invited = [
            {"username": friend.username}, {"email": f"i{uuid.uuid4().hex[:8]}@example.org"},
        ]  # fmt: skip
        group = self.person.post(
            "/v1/groups", {"name": "Flat", "currency": "EUR", "invitations": invited}
        )["id"]
        self.group = f"/v1/groups/{group}"
        (asked,) = friend.get("/v1/invitations")["items"]
        friend.post(f"/v1/invitations/{asked['id']}/acceptance", status=200)
        members = self.person.get(f"{self.group}/members")["items"]
        split = {"kind": "equal", "parts": [{"memberId": one["id"]} for one in members]}
        for payer in (self.person, friend):
            body = {"name": "Rent", "amount": money("30.00"), "split": split}
            if payer is self.person:
                body["recurrence"] = {"every": 1, "unit": "year"}
            made = payer.post(f"{self.group}/expenses", body)["id"]
        # On an expense of the friend's.
        self.person.call(
            "POST", f"{self.group}/expenses/{made}/attachments", 201, content=document(),
            params={"name": f"{self.text}.pdf"},
        )  # fmt: skip
        self.spend()
        bank = {"iban": "DE89370400440532013000", "name": f"A {self.text}"}
        self.person.call("PUT", "/v1/receiving-accounts/EUR", 200, json=bank)
        # Two more ask the person, by name and by address.
        for invitee in ({"username": self.person.username}, {"email": self.person.email}):
            asking = Person(friend.suite)
            asking.post("/v1/groups", {"name": "Trip", "currency": "EUR", "invitations": [invitee]})
        eventually(lambda: self.person.get("/v1/notifications")["items"])

    def spend(self) -> None:
        """What is in a category of the group, limited, talked about, changed and removed."""
        person, group = self.person, self.group
        food = person.post(f"{group}/categories", {"name": "Food"})["id"]
        person.post(f"{group}/thresholds", {"amount": money("500.00")})
        made = [
            person.post(
                f"{group}/expenses", {"name": "Bread", "amount": money("2.00"), "categoryId": food}
            )["id"]
            for _ in range(2)
        ]
        said = {"text": f"said {self.text}"}
        person.post(f"{group}/expenses/{made[0]}/comments", said)
        person.call("PATCH", f"{group}/expenses/{made[0]}", 200, json={"amount": money("3.00")})
        person.call("DELETE", f"{group}/expenses/{made[1]}", 204)

    def look_after(self) -> None:
        """A family with a child, who asked for something."""
        self.child = proved(self.person.suite)
        self.person.post("/v1/families", {"name": f"F {self.text}", "currency": "EUR"})
        join(self.person, self.child, "child")
        purse(self.child)
        asked = self.child.post(f"{ME}/approvals", {"name": "Skates", "amount": money("9.00")})
        no = {"approved": False, "reason": f"no {self.text}"}
        self.person.post(f"{ME}/approvals/{asked['id']}/decision", no, status=200)

    def needles(self) -> list[str]:
        """What names the person, or was written by them."""
        return [
            self.person.email, self.person.username, self.first, self.last, self.phone, self.text,
            self.iban, self.born,
        ]  # fmt: skip


def last_mails(suite: Suite, person: Person) -> int:
    """How many mails tell somebody that the account is deleted. One that was sent by somebody who
    died before saying so is sent once more, and is the same to whoever gets it (RFC 5322, 3.6.4).
    """
    told = [one for one in mails(suite, person.email) if "deleted" in one["subject"]]
    return len({one["message-id"] for one in told})
