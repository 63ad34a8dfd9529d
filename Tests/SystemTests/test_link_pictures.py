"""Links to groups as pictures: what they say, and who gets them."""

import uuid

import pytest

from actions import Group
from client import Api, Person
from drawings import read
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups"]


@pytest.fixture(scope="module")
def group(suite: Suite) -> Group:
    return Group(suite)


def made(group: Group, **link: object) -> dict:
    return group.ada.post(f"{group.path}/invitations", {"link": link})


def picture(group: Group, invitation: dict) -> str:
    return f"{group.path}/invitations/{invitation['id']}/picture"


@pytest.mark.parametrize("pixels", [None, 150, 400, 1200])
def test_a_picture_says_the_links_address(group: Group, pixels: int | None) -> None:
    invitation = made(group)
    for member in (group.ada, group.bob):
        answer = member.send("GET", picture(group, invitation))
        assert read(answer, pixels).decode() == invitation["link"]["url"]
    group.ada.call("DELETE", f"{group.path}/invitations/{invitation['id']}", 204)


def test_whoever_reads_it_may_join(suite: Suite, group: Group) -> None:
    invitation = made(group, uses=1)
    url = read(group.ada.send("GET", picture(group, invitation))).decode()
    token = url.split("token=")[1]
    cleo = Person(suite)
    cleo.post(f"/v1/invitation-links/{token}/acceptance", status=200)
    # Its one use is over.
    group.ada.problem("GET", picture(group, invitation), 404, "not-found")


def test_what_is_no_living_link_has_none(suite: Suite, group: Group) -> None:
    asked = Person(suite)
    named = group.ada.post(f"{group.path}/invitations", {"username": asked.username})
    group.ada.problem("GET", picture(group, named), 404, "not-found")
    gone = made(group)
    group.ada.call("DELETE", f"{group.path}/invitations/{gone['id']}", 204)
    group.ada.problem("GET", picture(group, gone), 404, "not-found")
    past = made(group)
    suite.postgres.psql(
        "-c", "update groups.invitation set expires_at = now() - interval '1 s'"
        f" where id = '{past['id']}'", database="ezwallet_groups",
    )  # fmt: skip
    group.ada.problem("GET", picture(group, past), 404, "not-found")
    for other in (str(uuid.uuid4()), "x", "..%2F"):
        path = f"{group.path}/invitations/{other}/picture"
        group.ada.problem("GET", path, 404, "not-found")


def test_a_link_is_shown_to_its_own_members_alone(suite: Suite, group: Group) -> None:
    invitation = made(group)
    stranger = Person(suite)
    stranger.problem("GET", picture(group, invitation), 404, "not-found")
    Api(suite).problem("GET", picture(group, invitation), 401, "unauthenticated")
    # Nor by way of a group that somebody is in.
    own = stranger.post("/v1/groups", {"name": "Own", "currency": "EUR"})["id"]
    path = f"/v1/groups/{own}/invitations/{invitation['id']}/picture"
    stranger.problem("GET", path, 404, "not-found")
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    group.bob.problem("GET", picture(group, invitation), 404, "not-found")
