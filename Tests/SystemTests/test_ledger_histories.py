"""Random histories of transactions against a model in memory: the same operations, the same
answers, the same balances, and the same lists for any filter, order, grouping and page."""

import os
import random

from actions import held
from client import Person
from histories import Model, SharedModel, seen
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
STEPS = int(os.environ.get("EZWALLET_HISTORY_STEPS", "220"))


def test_a_random_history_is_what_the_model_says(suite: Suite) -> None:
    seed = int(os.environ.get("EZWALLET_HISTORY_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    model = Model(Person(suite, currency="EUR"), random.Random(seed))
    steps = [model.record] * 4 + [model.batch] * 2 + [model.change] * 5
    steps += [model.delete] * 2 + [model.undo] * 2 + [model.compare] * 6
    for _ in range(STEPS):
        model.chance.choice(steps)()
    for account in model.accounts:
        assert int(held(model.person, account) * 100) == model.balance(account)
    for identifier, row in list(model.rows.items())[:20]:
        items = model.person.get(f"/v1/transactions/{identifier}/history", limit=200)["items"]
        assert items[0]["version"] == row.version and items[-1]["action"] == "recorded"
        assert seen(items[0]["transaction"]) == row.view()


def test_a_random_history_of_several_people_is_what_the_model_says(suite: Suite) -> None:
    seed = int(os.environ.get("EZWALLET_HISTORY_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    model = SharedModel(suite, random.Random(seed))
    steps = [model.record] * 4 + [model.batch] * 2 + [model.change] * 6
    steps += [model.delete] * 2 + [model.undo] * 2 + [model.compare] * 6 + [model.come_or_go]
    for _ in range(STEPS):
        model.chance.choice(steps)()
    for reader in (model.ada, model.vic):
        for account in model.accounts:
            assert int(held(reader, account) * 100) == model.balance(account)
