"""Makes people, what they have, and what they did."""

import random
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from loader.journal import Journal
from loader.rates import Rates
from loader.story import CATEGORIES, Account, Person, settle, story
from suite.suite import Suite

PASSWORD = "correct-horse-battery-7"
DATABASE = "ezwallet_ledger"


@dataclass(frozen=True)
class Plan:
    """How much of it."""

    users: int
    transactions: int
    months: int
    seed: int
    events: bool


@dataclass
class Loaded:
    """What was loaded."""

    people: list[Person]
    entries: int
    movements: int
    transactions: int
    seed: int
    password: str = PASSWORD

    def email(self, number: int) -> str:
        """The address of the nth, from 1."""
        return f"{username(self.seed, number)}@example.org"


def username(seed: int, number: int) -> str:
    """Tells one load's people from another's."""
    return f"load{seed}n{number:06d}"


def load(
    suite: Suite, plan: Plan, say: Callable[[str], None] = lambda _: None,
    tell: Callable[[list[Person], int, int, int], Iterable[object]] = story,
) -> Loaded:  # fmt: skip
    """Loads all of it; what has been loaded with the same seed is refused.

    `tell` says what they did: of these people so many transactions in so many months, by a seed.
    """
    prefix = f"load{plan.seed}n"
    there = sql(suite, f"select count(*) from ledger.person where display_name ~ '^{prefix}'")
    if there != "0":
        raise RuntimeError(f"seed {plan.seed} is loaded already: --seed takes another")
    register(suite, plan, say)
    people = read_people(suite, plan, say)
    say("accounts and categories")
    furnish(suite, plan, people)
    rates = Rates({"EUR", "USD", "JPY"})
    systems = {
        (kind, currency): account
        for kind, currency, account in (
            line.split("|")
            for line in sql(
                suite, "select kind, currency, id from ledger.account where user_id is null"
            ).splitlines()
        )
    }
    say(f"{plan.transactions} transactions")
    psql = session(suite)
    journal = Journal(psql, systems, rates, plan.seed)
    try:
        counts = journal.write(tell(people, plan.transactions, plan.months, plan.seed))
    except BrokenPipeError:
        counts = None
    said = psql.stderr.read().decode()
    if psql.wait() or counts is None:
        raise RuntimeError(f"psql: {said.strip()[-2000:]}")
    say("statistics")
    sql(suite, "analyze")
    return Loaded(people, counts.entries, counts.movements, counts.transactions, plan.seed)


def sql(suite: Suite, text: str) -> str:
    """Runs some SQL as the superuser."""
    return suite.postgres.psql(database=DATABASE, sql=text)


def session(suite: Suite, answers: int = subprocess.DEVNULL) -> subprocess.Popen:
    """A psql of the superuser that reads what it is to do."""
    server = suite.postgres
    return subprocess.Popen(
        [
            "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(server.socket),
            "-p", str(server.port), "-U", "ezwallet_admin", "-d", DATABASE,
        ],
        stdin=subprocess.PIPE, stdout=answers, stderr=subprocess.PIPE,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PGPASSWORD": server.password_file.read_text(),
             "PGCLIENTENCODING": "UTF8"},
    )  # fmt: skip


def register(suite: Suite, plan: Plan, say: Callable[[str], None]) -> None:
    """By auth's own command: over the network an address may register some dozen an hour."""
    file = suite.folder / "secrets" / f"load{plan.seed}"
    file.write_text(PASSWORD)
    file.chmod(0o600)

    def make(number: int) -> None:
        name = username(plan.seed, number)
        suite.command(
            "auth", "create-user", "--role", "user", "--email", f"{name}@example.org",
            "--username", name, "--password-file", str(file),
        )  # fmt: skip

    say(f"{plan.users} people")
    try:
        with ThreadPoolExecutor(2) as pool:
            for _ in pool.map(make, range(1, plan.users + 1)):
                pass
    finally:
        file.unlink()


def read_people(suite: Suite, plan: Plan, say: Callable[[str], None]) -> list[Person]:
    """Everybody once the ledger has heard of them, in the order of their numbers."""
    text = (
        "select p.display_name, p.user_id, c.id, coalesce(c.coicop, ''), a.id, a.currency, "
        "a.exponent, a.name from ledger.person as p "
        "join ledger.category as c on c.user_id = p.user_id and c.is_default "
        "join ledger.account as a on a.user_id = p.user_id and a.is_default "
        f"where p.display_name ~ '^load{plan.seed}n' order by p.display_name"
    )
    deadline = time.monotonic() + 60 + plan.users / 10
    while True:
        rows = [line.split("|") for line in sql(suite, text).splitlines()]
        if len(rows) == plan.users:
            break
        if time.monotonic() > deadline:
            raise RuntimeError(f"the ledger has heard of {len(rows)} people in {plan.users}")
        time.sleep(0.2)
    people = []
    for name, user, others, coicop, account, currency, exponent, label in rows:
        person = Person(user, name, others, coicop or None)
        person.cash = Account(account, person, "wallet", currency, int(exponent), label)
        people.append(person)
    return people


def furnish(suite: Suite, plan: Plan, people: list[Person]) -> None:
    """Accounts, categories and friends of everybody; each as its endpoint makes it."""
    chance = random.Random(f"people {plan.seed}")
    accounts: list[Account] = []
    categories: list[str] = []
    told: list[tuple[str, str, str]] = []

    def identifier() -> str:
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))

    for person in people:
        settle(person, chance)
        person.friends = [
            friend for friend in chance.sample(people, min(4, len(people))) if friend is not person
        ] or [next(other for other in people if other is not person)]
        person.main = Account(identifier(), person, "current", "EUR", 2, "Main account")
        person.savings = Account(identifier(), person, "current", "EUR", 2, "Savings")
        accounts += [person.main, person.savings]
        if chance.random() < 0.3:
            currency, exponent, name = chance.choice([("USD", 2, "Dollars"), ("JPY", 0, "Yen")])
            person.abroad = Account(identifier(), person, "current", currency, exponent, name)
            accounts.append(person.abroad)
        for name, coicop, color, symbol, kind in CATEGORIES:
            category = identifier()
            person.categories[name] = (category, coicop)
            written = f"'{coicop}'" if coicop else "null"
            categories.append(
                f"('{category}', '{person.user}', '{name}', '{name.lower()}', {color}, "
                f"'{symbol}', '{kind}', {written})"
            )
            payload = f'{{"categoryId":"{category}","userId":"{person.user}"'
            payload += f',"coicop":"{coicop}"' if coicop else ""
            told.append((f"category:{category}", "wallet.category.changed.v1", payload + "}"))
    opened = ", ".join(
        f"('{a.id}', '{a.owner.user}', '{a.kind}', '{a.currency}', {a.exponent}, '{a.name}', "
        f"'{a.name.lower()}')"
        for a in accounts
    )
    script = (
        "begin;\ninsert into ledger.account "
        f"(id, user_id, kind, currency, exponent, name, name_folded) values {opened};\n"
        "insert into ledger.category (id, user_id, name, name_folded, color, symbol, type, coicop) "
        f"values {', '.join(categories)};\n"
    )
    if plan.events:
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
        for account in accounts:
            told.append((
                f"account:{account.id}", "wallet.account.opened.v1",
                f'{{"accountId":"{account.id}","userId":"{account.owner.user}",'
                f'"kind":"{account.kind}","currency":"{account.currency}","openedAt":"{now}"}}',
            ))  # fmt: skip
        events = ", ".join(
            f"('{aggregate}', 1, '{kind}', gen_random_uuid(), '{payload}')"
            for aggregate, kind, payload in told
        )
        script += (
            "insert into ledger.aggregate_sequence (aggregate, sequence) values "
            + ", ".join(f"('{aggregate}', 1)" for aggregate, _, _ in told)
            + " on conflict (aggregate) do update set sequence = 1;\n"
            "insert into ledger.outbox (aggregate, sequence, type, event_id, payload) "
            f"values {events};\n"
        )
    sql(suite, script + "commit;\n")
