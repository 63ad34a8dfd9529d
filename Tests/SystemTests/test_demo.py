"""The demo data of deploy/up --demo."""

import pytest

from suite.demo import load
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES


@pytest.mark.timeout(60)
def test_the_demo_loads_once_and_again(suite: Suite) -> None:
    load(suite)
    load(suite)
