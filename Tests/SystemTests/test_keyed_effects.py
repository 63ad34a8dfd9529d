"""What a key promises: one effect, and the first answer again, whatever has changed since."""

import uuid
from collections.abc import Callable

import pytest

import keyed_money
import keyed_sharing
import keyed_sign_in
import keyed_things
from client import Api, Person, eventually
from conftest import make_admin
from keyed import Making, Refusal, name
from provider import Hostile
from suite.suite import Suite

NEEDS = ["gateway", "auth", "notifications", "ledger", "groups", "analytics"]

#: By operation: how each of them comes to be refused.
REFUSED = {
    "openAccount": [keyed_money.account],
    "makeCategory": [keyed_money.category, keyed_money.subcategory],
    "makeFolder": [keyed_money.folder],
    "makeImportRule": [keyed_money.rule],
    "makeStandingOrder": [keyed_money.standing_order],
    "recordTransaction": [keyed_money.transaction],
    "recordTransactions": [keyed_money.transactions],
    "deleteTransactions": [keyed_money.deletion],
    "undoDeletion": [keyed_money.undoing],
    "postTransfer": [keyed_money.transfer],
    "postTransfers": [keyed_money.transfers],
    "makeQuote": [keyed_money.quote],
    "openDeposit": [keyed_money.deposit],
    "captureTransfer": [keyed_money.capture],
    "allocateBudget": [keyed_money.allocation],
    "transferBudget": [keyed_money.budget_transfer],
    "uploadImport": [keyed_money.upload],
    "commitImport": [keyed_money.commit],
    "addAttachment": [keyed_money.attachment],
    "addExpenseAttachment": [keyed_sharing.attachment],
    "makeGroup": [keyed_sharing.group],
    "invite": [keyed_sharing.invitation, keyed_sharing.somebody],
    "inviteToWallet": [keyed_sharing.to_wallet],
    "inviteToFolder": [keyed_sharing.to_folder],
    "acceptInvitation": [keyed_sharing.acceptance],
    "rejectInvitation": [keyed_sharing.rejection],
    "settle": [keyed_sharing.settlement, keyed_sharing.cleared_settlement],
    "addExpense": [keyed_sharing.expense, keyed_sharing.linked_expense],
    "makeThreshold": [keyed_sharing.threshold],
    "addGuest": [keyed_sharing.guest],
    "acceptInvitationLink": [keyed_sharing.by_link],
    "undoGuestMerge": [keyed_sharing.parting],
    "addComment": [keyed_sharing.comment],
    "restoreExpense": [keyed_sharing.undoing],
    "makeGroupCategory": [keyed_sharing.category],
    "uploadGroupImport": [keyed_sharing.group_upload],
    "commitGroupImport": [keyed_sharing.group_commit],
    "makeFamily": [keyed_sharing.family],
    "inviteToFamily": [keyed_sharing.to_family],
    "payFamilyAllowance": [keyed_sharing.allowance, keyed_sharing.recurring_allowance],
    "askForApproval": [keyed_sharing.approval],
    "makeHouseholdEnvelope": [keyed_sharing.household_envelope],
    "makeSavedQuery": [keyed_things.taken_query],
}
#: The same for sign-in: what a factory takes stands in `sign_in_refusal`.
REFUSED_SIGN_IN = {
    "createUser": keyed_sign_in.new_user,
    "linkIdentity": keyed_sign_in.identity,
    "registerPasskey": keyed_sign_in.passkey,
    "sendEmailVerification": keyed_sign_in.link_again,
    "verifyEmail": keyed_sign_in.link,
}
#: What is made and can be taken away; an administrator's user has a test of their own.
MADE = {
    "makeFolder": keyed_things.folder, "makeCategory": keyed_things.category,
    "openAccount": keyed_things.account, "makeImportRule": keyed_things.rule,
    "makeStandingOrder": keyed_things.standing_order,
    "makeThreshold": keyed_things.threshold, "addExpense": keyed_things.expense,
    "addAttachment": keyed_things.attachment, "uploadImport": keyed_things.upload,
    "recordTransaction": keyed_things.transaction,
    "invite": keyed_things.invitation, "inviteToWallet": keyed_things.to_wallet,
    "inviteToFolder": keyed_things.to_folder,
    "addGuest": keyed_things.guest, "addComment": keyed_things.comment,
    "makeGroupCategory": keyed_things.group_category,
    "addExpenseAttachment": keyed_things.expense_attachment,
    "uploadGroupImport": keyed_things.group_upload,
    "makeHouseholdEnvelope": keyed_things.household_envelope,
    "makeSavedQuery": keyed_things.saved_query,
}  # fmt: skip
#: Why a call is in no list of refusals.
NEVER_MENDED = {
    "recoverUser": "is refused for who is not there alone, and ids come from us",
    "requestExport": "its refusals, too many or no fresh proof, are no key's",
    "voidTransfer": "a hold that has ended stays so",
    "allocateHouseholdBudget": "is refused for another envelope or currency: both stay so",
    "transferHouseholdBudget": "is refused for another envelope or currency: both stay so",
    "decideApproval": "what is decided stays so",
    "readNotification": "is refused for what is not there alone, and ids come from us",
    "readAllNotifications": "refuses nobody",
}


@pytest.fixture(scope="module")
def bob(suite: Suite) -> Person:
    return Person(suite)


@pytest.fixture(scope="module")
def admin(suite: Suite) -> Api:
    return make_admin(suite)


def test_every_call_that_takes_a_key_is_tried(visitor: Api) -> None:
    keyed = {
        call["operationId"]
        for path in visitor.get("/openapi.json")["paths"].values()
        for method, call in path.items()
        if method == "post"
        and any(one.get("name") == "Idempotency-Key" for one in call.get("parameters", []))
    }
    assert len(keyed) >= 37, "the document names keys in another way"
    tried = REFUSED.keys() | REFUSED_SIGN_IN.keys()
    assert tried.isdisjoint(NEVER_MENDED)
    assert keyed == tried | NEVER_MENDED.keys()
    assert keyed >= MADE.keys()


def hold(refusal: Refusal) -> None:
    """The refusal stays under its key; under another the call is served once it can be."""
    call = refusal.by
    key = str(uuid.uuid4())
    first = call.send("POST", refusal.path, key=key, **refusal.said)
    assert first.json()["code"] == refusal.code, first.text
    refusal.mend()

    def serve() -> int:
        again = call.send("POST", refusal.path, key=key, **refusal.said)
        assert again.status_code == first.status_code, again.text
        for member in ("code", "detail", "errors"):
            assert again.json().get(member) == first.json().get(member)
        return call.send("POST", refusal.path, **refusal.said).status_code

    eventually(serve, refusal.patience, until=lambda status: status == refusal.served)


@pytest.mark.parametrize("made", [one for all in REFUSED.values() for one in all])
def test_a_refusal_stays_though_its_cause_is_gone(
    ada: Person, bob: Person, made: Callable[[Person, Person], Refusal]
) -> None:
    hold(made(ada, bob))


@pytest.mark.parametrize("operation", REFUSED_SIGN_IN)
def test_a_refusal_of_sign_in_stays_though_its_cause_is_gone(
    ada: Person, admin: Api, provider: Hostile, operation: str
) -> None:
    made = REFUSED_SIGN_IN[operation]
    if operation == "linkIdentity":
        return hold(made(ada, provider))
    return hold(made(admin if operation == "createUser" else ada))


def keep(making: Making) -> None:
    """The answer stays though the thing is taken away, which does not come back."""
    call, path = making.by, making.path
    key = str(uuid.uuid4())
    first = call.send("POST", path, key=key, **making.said)
    assert first.status_code == 201, first.text
    place = first.headers.get("Location", f"{path}/{first.json()['id']}")
    remove = making.remove or (lambda _: call.send("DELETE", place))
    assert remove(first.json()).status_code in (200, 204)
    again = call.send("POST", path, key=key, **making.said)
    assert again.status_code == 201, again.text
    assert again.json() == first.json()
    for field in ("Location", "ETag", "Content-Type"):
        assert again.headers.get(field) == first.headers.get(field)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert remove(first.json()).status_code in (204, 404)


@pytest.mark.parametrize("operation", MADE)
def test_an_answer_stays_though_what_was_made_is_gone(
    ada: Person, bob: Person, operation: str
) -> None:
    keep(MADE[operation](ada, bob))


def test_the_answer_of_a_passkey_stays_though_it_is_gone(ada: Person) -> None:
    keep(keyed_sign_in.made_passkey(ada))


def test_the_answer_of_an_identity_stays_though_it_is_unlinked(
    ada: Person, provider: Hostile
) -> None:
    keep(keyed_sign_in.made_identity(ada, provider))


def test_nobody_is_made_again_by_the_key_of_who_was_erased(admin: Api) -> None:
    key, email = str(uuid.uuid4()), f"{name()}@example.org"
    body = {"email": email, "roles": ["user"]}
    made = admin.post(keyed_sign_in.USERS, body, key=key)
    admin.call("DELETE", f"/v1/users/{made['id']}", 202)
    # The erasure deletes the person from the stored response; its status and place stay.
    again = eventually(
        lambda: admin.send("POST", keyed_sign_in.USERS, json=body, key=key),
        until=lambda answer: email not in answer.text,
    )
    assert again.status_code == 201 and again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Location"] == f"{keyed_sign_in.USERS}/{made['id']}".replace("admin/", "")
    left = f"select count(*) from auth.user_account where lower(email) = lower('{email}')"
    assert admin.suite.postgres.psql("-c", left, database="ezwallet_auth") == "0"


def test_reading_all_twice_under_a_key_leaves_what_has_come_between(ada: Person) -> None:
    reader = Person(ada.suite)

    def told(count: int) -> None:
        path = keyed_sharing.club(ada)
        ada.post(f"{path}/invitations", {"username": reader.username})
        eventually(
            lambda: reader.get("/v1/notifications")["unreadCount"], until=lambda n: n == count
        )

    told(1)
    key = str(uuid.uuid4())
    first = reader.post("/v1/notifications/read-all", status=200, key=key)
    told(1)
    assert reader.post("/v1/notifications/read-all", status=200, key=key) == first
    assert reader.get("/v1/notifications")["unreadCount"] == 1
    (newest, older) = reader.get("/v1/notifications")["items"]
    path = f"/v1/notifications/{newest['id']}/read"
    read = reader.send("POST", path, key=key)
    assert read.status_code == 200 and read.json()["readAt"]
    again = reader.send("POST", path, key=key)
    assert again.json() == read.json() and again.headers["Idempotency-Replayed"] == "true"
    # A key is of one path.
    other = reader.send("POST", f"/v1/notifications/{older['id']}/read", key=key)
    assert "Idempotency-Replayed" not in other.headers


def test_a_quote_repeated_under_its_key_is_the_same_one(ada: Person) -> None:
    account = keyed_money.poor(ada)
    keyed_money.fill(ada, account)
    body = keyed_money.moving(ada, account)
    key = str(uuid.uuid4())
    first = ada.post("/v1/quotes", body, key=key)
    assert ada.post("/v1/quotes", body, key=key) == first
    ada.problem(
        "POST", "/v1/quotes", 422, "idempotency-key-reused", key=key,
        json=body | {"toAccountId": account["id"]},
    )  # fmt: skip
