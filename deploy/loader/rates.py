"""Reference rates of the file that the ledger ships."""

import csv
import datetime
import io
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from loader.story import Account

FILE = Path(__file__).parents[2] / "Services" / "Ledger" / "Service" / "Data"


class Rate(NamedTuple):
    """Units of the target for one of the source, exactly, and its day."""

    numerator: int
    denominator: int
    day: datetime.date


class Rates:
    """Rates of the last row on or before a day."""

    def __init__(self, currencies: set[str]):
        with zipfile.ZipFile(FILE / "eurofxref-hist.zip") as archive:
            text = archive.read(archive.namelist()[0]).decode()
        self.rows = []
        for row in csv.DictReader(io.StringIO(text)):
            if all(row.get(currency, "1") != "N/A" for currency in currencies):
                day = datetime.date.fromisoformat(row["Date"])
                values = {"EUR": Fraction(1)}
                values |= {c: Fraction(row[c]) for c in currencies if c != "EUR"}
                self.rows.append((day, values))
        self.rows.sort(key=lambda row: row[0])
        self.known: dict[datetime.date, tuple] = {}

    def rate(self, day: datetime.date, source: Account, target: Account) -> Rate:
        """What one of the source's is in the target's."""
        if day not in self.known:
            self.known[day] = max((row for row in self.rows if row[0] <= day), key=lambda r: r[0])
        of, values = self.known[day]
        ratio = values[target.currency] / values[source.currency]
        return Rate(ratio.numerator, ratio.denominator, of)
