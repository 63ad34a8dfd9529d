"""Rates that are fetched: from a provider that may be anything, and as another reads them."""

import datetime
import http.server
import random
import threading
import time
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

import pytest
from currency_converter import CurrencyConverter

from actions import current
from client import Api, Person, eventually, money, of_each_replica, value
from conftest import RATES_PORT, ROOT, make_suite
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
SHIPPED = ROOT / "Services" / "Ledger" / "Service" / "Data" / "eurofxref-hist.zip"


class RateProvider:
    """Answers what a test wants; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked, self.answer = 0, self.garbage
        self.over = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                outer.answer(self)

            def log_message(self, *arguments: object) -> None: ...

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", RATES_PORT), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def send(to: http.server.BaseHTTPRequestHandler, status: int, body: bytes = b"") -> None:
        to.send_response(status)
        to.send_header("Content-Length", str(len(body)))
        if status == 302:
            to.send_header("Location", "/elsewhere")
        to.end_headers()
        try:
            to.wfile.write(body)
        except OSError:
            # Whoever has had enough hangs up.
            return

    def garbage(self, to: http.server.BaseHTTPRequestHandler) -> None:
        self.send(to, 200, b"<html>busy</html>")

    def failure(self, to: http.server.BaseHTTPRequestHandler) -> None:
        self.send(to, 500)

    def redirect(self, to: http.server.BaseHTTPRequestHandler) -> None:
        self.send(to, 302)

    def flood(self, to: http.server.BaseHTTPRequestHandler) -> None:
        self.send(to, 200, b"<" * (50 << 20))

    def silence(self, to: http.server.BaseHTTPRequestHandler) -> None:
        self.over.wait(30)

    def document(self, *days: tuple[str, dict[str, str]]) -> None:
        cubes = "".join(
            f"<Cube time='{day}'>"
            + "".join(f"<Cube currency='{code}' rate='{rate}'/>" for code, rate in rates.items())
            + "</Cube>"
            for day, rates in days
        )
        body = f"<e:Envelope xmlns:e='x'><Cube>{cubes}</Cube></e:Envelope>".encode()
        self.answer = lambda to: self.send(to, 200, body)


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite whose rates become others; the other tests' figures are those that are shipped."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.fixture
def person(own: Suite) -> Person:
    return Person(own)


@pytest.fixture
def provider() -> Iterator[RateProvider]:
    found = RateProvider()
    yield found
    # Whoever waits for an answer waits no longer: the next test's provider is another.
    found.over.set()
    found.server.shutdown()
    found.server.server_close()


def number(suite: Suite, query: str) -> int:
    return int(suite.postgres.psql("-c", query, database="ezwallet_ledger"))


def fetch_now(suite: Suite) -> int:
    """Has it done soon, and returns how often it had failed before."""
    # One that is under way says when the next is, once it ends.
    due = "update ledger.rate_fetch set next_at = now() where claimed_until < now()"
    return int(
        eventually(
            lambda: suite.postgres.psql(
                "-c", f"{due} returning failures", database="ezwallet_ledger"
            ),
            seconds=60,
        )
    )


def failures(suite: Suite) -> int:
    return number(suite, "select failures from ledger.rate_fetch")


def newest(api: Api) -> dict[str, str]:
    return api.get("/v1/exchange-rates")


class Published:
    """The shipped file as CurrencyConverter (PyPI) reads it, for currencies that are ours."""

    def __init__(self, person: Person):
        self.other = CurrencyConverter(str(SHIPPED), decimal=True)
        listed = person.get("/v1/currencies")["items"]
        self.exponents = {item["code"]: item["exponent"] for item in listed}
        rates = self.other._rates  # noqa: SLF001
        self.rates = {code: days for code, days in rates.items() if code in self.exponents}
        self.first, self.last = self.other.bounds["USD"]

    def row(self, day: datetime.date) -> datetime.date:
        """The day whose rates count: the last with any, on or before it."""
        while self.rates["USD"].get(day) is None:
            day -= datetime.timedelta(days=1)
        return day

    def there(self, row: datetime.date) -> list[str]:
        return ["EUR", *(code for code, days in self.rates.items() if days.get(row))]

    def converted(
        self, amount: Decimal, source: str, target: str, row: datetime.date, rounding: str
    ) -> Decimal:
        with localcontext() as context:
            context.prec = 60
            exact = self.other.convert(amount, source, target, date=row)
            # It divides first: what is a tie comes back a little beside it.
            exact = exact.quantize(Decimal("1e-30"))
            return exact.quantize(Decimal(1).scaleb(-self.exponents[target]), rounding)


@pytest.mark.timeout(240)
def test_what_is_moved_is_rounded_against_the_one_who_converts(person: Person) -> None:
    """The first here, for the newest rates are not yet others than those that are shipped.

    The debit up and the credit down from CurrencyConverter's rate, to the last minor unit: of
    150 random pairs and amounts, half of them in the currency that is got."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    published = Published(person)
    day = published.last
    codes = published.there(day)
    wallets = {
        code: person.post("/v1/accounts", {"kind": "wallet", "currency": code})["id"]
        for code in codes
    }
    sums = dict.fromkeys(codes, Decimal(0))
    moved, pairs = 0, set()
    while moved < 150:
        pair = source, target = tuple(chance.sample(codes, 2))
        is_got = chance.random() < 0.5
        named = target if is_got else source
        units = chance.randrange(1, 10 ** chance.randint(1, 12))
        amount = Decimal(units).scaleb(-published.exponents[named])
        figure = (
            published.converted(amount, target, source, day, ROUND_CEILING) if is_got
            else published.converted(amount, source, target, day, ROUND_FLOOR)
        )  # fmt: skip
        facts = f"seed {seed}: {amount} {named} of {source} {target}: {figure}"
        body = {
            "fromAccountId": wallets[source], "toAccountId": wallets[target],
            "amount": money(f"{amount:f}", named),
        }  # fmt: skip
        answer = person.send("POST", "/v1/quotes", json=body)
        if figure == 0:
            assert answer.status_code == 422, facts
            assert answer.json()["code"] == "amount-too-small", facts
            continue
        quote = answer.json()
        assert answer.status_code == 201 and quote["rate"]["day"] == day.isoformat(), facts
        debit, credit = (figure, amount) if is_got else (amount, figure)
        assert quote["amount"] == money(f"{debit:f}", source), f"{facts}, not {quote}"
        assert quote["converted"] == money(f"{credit:f}", target), f"{facts}, not {quote}"
        transfer = person.post("/v1/transfers", {"quoteId": quote["id"]})
        assert transfer["debit"] == quote["amount"], facts
        assert transfer["credit"] == quote["converted"], facts
        sums[source] -= debit
        sums[target] += credit
        moved += 1
        pairs.add(pair)
    assert len(pairs) >= 100, f"seed {seed}"
    balances = {one["id"]: value(one["balance"]) for one in person.pages("/v1/accounts")}
    for code, figure in sums.items():
        assert balances[wallets[code]] == figure, f"seed {seed}: {code}"


@pytest.mark.timeout(120)
def test_no_call_waits_for_a_provider_and_the_last_good_day_stands(
    own: Suite, provider: RateProvider, person: Person
) -> None:
    before = newest(person)
    today = datetime.datetime.now(datetime.UTC).date()
    assert before["ageDays"] == (today - datetime.date.fromisoformat(before["day"])).days
    euro, yen = current(person, "EUR"), current(person, "JPY")
    person.post("/v1/transactions", {"accountId": euro["id"], "amount": money("100.00")})
    begun = fetch_now(own)
    eventually(lambda: provider.asked)
    count = eventually(lambda: failures(own), until=lambda found: found > begun)
    for fault in (provider.failure, provider.redirect, provider.flood):
        provider.answer = fault
        fetch_now(own)
        last = count
        count = eventually(
            lambda: failures(own), seconds=30, until=lambda found, last=last: found > last
        )
    provider.answer, asked = provider.silence, provider.asked
    fetch_now(own)
    eventually(lambda: provider.asked > asked)
    # While it hangs, rates, quotes and transfers go on as ever.
    begin = time.monotonic()
    assert newest(person) == before
    quote = person.post(
        "/v1/quotes",
        {"fromAccountId": euro["id"], "toAccountId": yen["id"], "amount": money("10.00")},
    )
    person.post("/v1/transfers", {"quoteId": quote["id"]})
    assert time.monotonic() - begin < 5
    assert quote["rate"]["day"] == before["day"]


@pytest.mark.timeout(240)
def test_what_is_fetched_counts_on_every_replica(
    own: Suite, provider: RateProvider, person: Person
) -> None:
    before = newest(person)
    rates = before["rates"]
    day = datetime.date.fromisoformat(before["day"])
    today = datetime.datetime.now(datetime.UTC).date()
    if day >= today:
        pytest.skip("the shipped rates are of today")
    next_day = (day + datetime.timedelta(days=1)).isoformat()
    # As the bank writes them: five digits, no more than ten in all.
    figures = {code: str(Decimal(rate).quantize(Decimal("0.0001"))) for code, rate in rates.items()}
    figures["USD"] = str(Decimal(figures["USD"]) + Decimal("0.0123"))
    leap = figures | {"JPY": str(Decimal(figures["JPY"]) * 2)}
    provider.document((next_day, leap))
    fetch_now(own)
    eventually(lambda: number(own, "select count(*) from ledger.rate_doubt"))
    taken = f"select count(*) from ledger.exchange_rate where day = '{next_day}'"
    assert number(own, taken) == 0, "a day with a rate that leaps waits"
    provider.document((next_day, figures), (before["day"], {"USD": "9.9999"}))
    fetch_now(own)

    def all_newest() -> list[dict]:
        answers = of_each_replica(own, "/v1/exchange-rates", person.token)
        return [answer.json() for answer in answers]

    for found in eventually(
        all_newest, until=lambda found: all(one["day"] == next_day for one in found)
    ):
        for code in ("USD", "JPY"):
            assert Decimal(found["rates"][code]) == Decimal(figures[code])
    # Of a day that is known nothing changes.
    assert person.get("/v1/exchange-rates", date=before["day"])["rates"] == rates


@pytest.mark.timeout(120)
def test_an_old_rate_moves_no_money(own: Suite, person: Person) -> None:
    """Figures are shown by it as ever, and say of which day it is."""
    shown = newest(person)
    if shown["ageDays"] <= 7:
        pytest.skip("the shipped rates are of this week")
    wallets = [
        person.post("/v1/accounts", {"kind": "wallet", "currency": code})["id"]
        for code in ("EUR", "USD", "EUR")
    ]
    own.executables.extra["ledger"]["EZWALLET_RATE_DAYS_MAX"] = "7"
    try:
        own.start_services()
        body = {"fromAccountId": wallets[0], "toAccountId": wallets[1], "amount": money("1.00")}
        order = body | {"recurrence": {"every": 1, "unit": "month"}}
        for path, call in (("/v1/quotes", body), ("/v1/standing-orders", order)):
            # Until the replicas with the limit serve.
            answer = eventually(
                lambda path=path, call=call: person.send("POST", path, json=call, retry=False),
                until=lambda found: (
                    found.status_code == 503 and found.headers.get("retry-after") == "3600"
                ),
            )
            assert answer.json()["code"] == "rate-stale", answer.text
        assert newest(person)["day"] == shown["day"]
        person.post("/v1/quotes", body | {"toAccountId": wallets[2]})
    finally:
        del own.executables.extra["ledger"]["EZWALLET_RATE_DAYS_MAX"]


@pytest.mark.timeout(240)
def test_conversions_are_those_of_another_reader(person: Person) -> None:
    """CurrencyConverter (PyPI) over the shipped file, at 1,000 random days and pairs."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    published = Published(person)
    for _ in range(1_000):
        days = (published.last - published.first).days + 1
        day = published.first + datetime.timedelta(days=chance.randrange(days))
        row = published.row(day)
        there = published.there(row)
        source, target = chance.sample(there, 2)
        answer = person.get("/v1/exchange-rates", base=source, date=day.isoformat())
        facts = f"seed {seed}: {source} {target} {day}"
        assert answer["day"] == row.isoformat(), facts
        assert answer["ageDays"] == (day - row).days, facts
        assert set(answer["rates"]) == set(there) - {source}, facts
        with localcontext() as context:
            context.prec = 60
            # What one euro is in each, as it was published, and so exact.
            rates = published.rates
            pair = [Decimal(1) if c == "EUR" else rates[c][row] for c in (source, target)]
            exact = pair[1] / pair[0]
            theirs = published.other.convert(1, source, target, date=row)
            assert abs(theirs - exact) < Decimal("1e-20"), facts
            shown = Decimal(answer["rates"][target])
            # Twelve digits, or as many as fit 64 bits, half to even.
            digits = max(0, min(12, 18 - exact.adjusted()))
            wanted = {
                exact.quantize(Decimal(1).scaleb(-d), ROUND_HALF_EVEN) for d in (digits, digits - 1)
            }
            assert shown in wanted, f"{facts}: {shown}, not {exact}"


@pytest.mark.timeout(240)
@pytest.mark.parametrize("target", ["EUR", "USD", "JPY", "GBP"])
def test_amounts_are_converted_as_another_converts_them(suite: Suite, target: str) -> None:
    """250 random amounts, days and currencies in each of four: shown half to even."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    person = Person(suite, currency=target)
    published = Published(person)
    wallets: dict[str, str] = {}
    rows, wanted = [], []
    while len(rows) < 250:
        days = (published.last - published.first).days + 1
        day = published.first + datetime.timedelta(days=chance.randrange(days))
        row = published.row(day)
        source = chance.choice(published.there(row))
        if target not in published.there(row) or source == target:
            continue
        if source not in wallets:
            body = {"kind": "wallet", "currency": source, "name": source}
            wallets[source] = person.post("/v1/accounts", body)["id"]
        units = chance.randrange(1, 10 ** chance.randint(1, 13))
        amount = Decimal(-units).scaleb(-published.exponents[source])
        number = f"{amount:f}"
        rows.append(
            {"accountId": wallets[source], "amount": money(number, source), "date": str(day)}
        )
        figure = published.converted(amount, source, target, row, ROUND_HALF_EVEN)
        wanted.append((figure, source, day, row))
    made = person.post("/v1/transactions/batches", {"transactions": rows})
    told = {}
    for one in person.pages("/v1/transactions", expand="converted", limit=200):
        told[one["id"]] = one["converted"]
    for one, (figure, source, day, row) in zip(made["items"], wanted, strict=True):
        converted = told[one["id"]]
        facts = f"seed {seed}: {one['amount']} {source} {target} {day}: {converted}, not {figure}"
        assert value(converted["amount"]) == figure, facts
        assert converted["rate"]["day"] == row.isoformat(), facts
