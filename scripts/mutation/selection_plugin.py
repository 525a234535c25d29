"""A pytest plugin that runs chosen tests in a given order, each under a time limit.

STEERING_SELECTION names a JSON file: the identifiers of the tests in order, each with its limit in processor seconds. A
test that exceeds its limit ends the process with SIGPROF, whatever code it is in. The identifier of a test that fails
is appended to the file that STEERING_FAILURES names. Hypothesis reports the first failing example as it is: shrinking
it takes time and changes no verdict.
"""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    # Deterministic, so that a mutant dies or survives each time.
    settings.register_profile(
        "mutants",
        parent=settings.default,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
    )
    settings.load_profile("mutants")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    yield
    limits = _limits()
    collected = {item.nodeid: item for item in items}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in limits])
    items[:] = [collected[name] for name in limits if name in collected]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    # Left to the system: a handler in Python would wait for the code that does not end.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, _limits()[item.nodeid])
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        with Path(os.environ["STEERING_FAILURES"]).open("a", encoding="utf-8") as file:
            print(report.nodeid, file=file)


def _limits() -> dict[str, float]:
    """The limits of the chosen tests, in the order in which these are to run."""
    return dict(json.loads(Path(os.environ["STEERING_SELECTION"]).read_text(encoding="utf-8")))
