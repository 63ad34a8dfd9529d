"""Whether answers that clients saw are those of some order, one call after another.

The order must respect «answered before sent»: a call that was answered before another was sent
comes before it. What was posted (holds and what ends them, too) has its place in each account's
history, which the journal tells; what was refused, or only read, has none and is given the first
that fits. Then the whole order is played to a model with one thread.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any


@dataclass
class Call:
    """One call as a client saw it: amounts in cents, times of one clock."""

    number: int
    began: float
    ended: float
    #: What it moves: account and signed cents.
    moves: list[tuple[str, int]]
    #: Whether it was posted, refused for want of money or as the hold had ended, or only read.
    kind: str
    #: Of a reading: the balance and what is available of it.
    told: tuple[int, int] = (0, 0)
    #: The account that a reading, a refusal or a hold is about.
    account: str = ""
    #: The hold that it makes or ends, and what is held more, or less, by that.
    hold: str = ""
    held: int = 0
    #: Where it stands (or begins) in each account's history, by the journal.
    places: dict[str, Any] = field(default_factory=dict)

    @property
    def accounts(self) -> list[str]:
        """Those that it changes anything of."""
        named = [account for account, _ in self.moves] + [self.account] * bool(self.hold)
        return list(dict.fromkeys(named))


class Disorder(AssertionError):
    """No order gives these answers."""


@dataclass
class State:
    """One account in the model."""

    balance: int
    #: What is held, by the hold's id.
    holds: dict[str, int] = field(default_factory=dict)
    #: The holds that were captured or given up.
    ended: set[str] = field(default_factory=set)

    @property
    def available(self) -> int:
        return self.balance - sum(self.holds.values())

    def post(self, call: Call, account: str) -> None:
        """What the call does to this account, with all that must hold of it."""
        gives = [cents for name, cents in call.moves if name == account]
        if call.hold and call.account == account:
            if call.held > 0:
                gives.append(-call.held)
                self.holds[call.hold] = call.held
            else:
                if self.holds.pop(call.hold, 0) != -call.held:
                    raise Disorder(f"{call} ended what was not held")
                self.ended.add(call.hold)
        self.balance += sum(cents for name, cents in call.moves if name == account)
        # Of a change both halves count together.
        if min(gives, default=0) < 0 and self.available < 0:
            raise Disorder(f"{call} took its account below zero")

    def answers(self, call: Call) -> bool:
        """Whether a refusal or a reading is what this account gives."""
        if call.kind == "read":
            return call.told == (self.balance, self.available)
        if call.kind == "ended":
            return call.hold in self.ended
        need = call.held - sum(cents for account, cents in call.moves if account == call.account)
        return self.available < need


def histories(calls: Iterable[Call]) -> dict[str, list[Call]]:
    """What was posted on each account, in the journal's order."""
    found: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.kind == "posted":
            for account in call.accounts:
                found[account].append(call)
    for account, all_of_it in found.items():
        all_of_it.sort(key=lambda call: call.places[account])
    return found


def fitting(call: Call, history: list[Call], opening: int) -> range:
    """After how many calls of the account's history one that moves nothing may come: from the first
    to the last number that gives its answer; not each in between does."""
    counts, state = [], State(opening)
    for count in range(len(history) + 1):
        if count:
            state.post(history[count - 1], call.account)
        if state.answers(call):
            counts.append(count)
    first = max((i + 1 for i, other in enumerate(history) if other.ended < call.began), default=0)
    last = min((i for i, o in enumerate(history) if o.began > call.ended), default=len(history))
    counts = [count for count in counts if first <= count <= last]
    if not counts:
        raise Disorder(f"there was no moment for {call}")
    return range(counts[0], counts[-1] + 1)


def edges(calls: list[Call], openings: dict[str, int]) -> dict[object, set[object]]:
    """What has to come behind what, by the journal and by the clients' clocks."""
    after: dict[object, set[object]] = defaultdict(set)
    known = histories(calls)
    for call in calls:
        if call.kind != "posted":
            history = known.get(call.account, [])
            counts = fitting(call, history, openings[call.account])
            if counts[0]:
                after[history[counts[0] - 1].number].add(call.number)
            if counts[-1] < len(history):
                after[call.number].add(history[counts[-1]].number)
    for history in known.values():
        for one, other in zip(history, history[1:], strict=False):
            after[one.number].add(other.number)
    # Time as a chain of moments at which something ended: so there are few edges, not one a pair.
    ends = sorted({call.ended for call in calls})
    for one, other in zip(ends, ends[1:], strict=False):
        after["end", one].add(("end", other))
    last, index = None, 0
    for call in sorted(calls, key=lambda call: call.began):
        while index < len(ends) and ends[index] < call.began:
            last = ends[index]
            index += 1
        if last is not None:
            after["end", last].add(call.number)
        after[call.number].add(("end", call.ended))
    return after


def play(calls: list[Call], openings: dict[str, int]) -> dict[str, State]:
    """One order that agrees with all of that, on a model with one thread, which must answer as the
    clients were answered: the accounts that it ends with."""
    by_number = {call.number: call for call in calls}
    after = edges(calls, openings)
    nodes = set(by_number) | set(after) | {node for found in after.values() for node in found}
    waits = dict.fromkeys(nodes, 0)
    for found in after.values():
        for node in found:
            waits[node] += 1
    states = {account: State(opening) for account, opening in openings.items()}
    # What moves nothing waits for its balance, beside what is posted in the order of its answers.
    waiting: dict[str, list[Call]] = defaultdict(list)
    ready: list[tuple[float, int]] = []
    done, moments = 0, [node for node in nodes if not waits[node]]

    def free(node: object) -> None:
        for follower in after.get(node, ()):
            waits[follower] -= 1
            if not waits[follower]:
                moments.append(follower)

    while True:
        while moments:
            node = moments.pop()
            call = by_number.get(node)
            if call is None:
                free(node)
            elif call.kind == "posted":
                heappush(ready, (call.ended, call.number))
            else:
                waiting[call.account].append(call)
        fits = [c for found in waiting.values() for c in found if states[c.account].answers(c)]
        for call in fits:
            waiting[call.account].remove(call)
            done += 1
            free(call.number)
        if fits or moments:
            continue
        if not ready:
            break
        call = by_number[heappop(ready)[1]]
        for account in call.accounts:
            states[account].post(call, account)
        done += 1
        free(call.number)
    if done < len(calls):
        raise Disorder(f"no order gives the answers of {len(calls) - done} calls of {len(calls)}")
    return states
