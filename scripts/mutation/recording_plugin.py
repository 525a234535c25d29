"""A pytest plugin that records which lines of the package each test runs.

Every process of a test run writes one JSON file, PID.json, into the folder that STEERING_RECORDING names:

    tests     the processor seconds of each test, whether it passed, and the shared fixtures that it uses
    fixtures  the processor seconds of each shared fixture
    lines     path -> line -> the tests and shared fixtures that ran the line

A fixture with a scope wider than one test runs during the first test that asks for it but serves others too, so it is
recorded under its own name.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

PACKAGE = "steering_addon"


def pytest_configure(config: pytest.Config) -> None:
    distributes = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if not distributes:
        config.pluginmanager.register(Recorder(config.rootpath))


class Recorder:
    """Records the tests of one process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tests: dict[str, dict[str, Any]] = {}
        self.fixtures: dict[str, float] = {}
        self.contexts = [""]
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{root}/{PACKAGE}/*"])
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        shared = [
            _name(definition)
            for definitions in item._fixtureinfo.name2fixturedefs.values()
            for definition in definitions
            if definition.scope != "function"
        ]
        self.tests[item.nodeid] = {"passed": True, "fixtures": shared}
        fixtures_before = sum(self.fixtures.values())
        start = time.process_time()
        self._enter(item.nodeid)
        try:
            return (yield)
        finally:
            self._leave()
            fixtures = sum(self.fixtures.values()) - fixtures_before
            self.tests[item.nodeid]["seconds"] = time.process_time() - start - fixtures

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        name = _name(fixturedef)
        others_before = sum(self.fixtures.values())
        start = time.process_time()
        self._enter(name)
        try:
            return (yield)
        finally:
            self._leave()
            others = sum(self.fixtures.values()) - others_before
            seconds = time.process_time() - start - others
            self.fixtures[name] = max(seconds, self.fixtures.get(name, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tests[report.nodeid]["passed"] = False

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {
            Path(path).relative_to(self.root).as_posix(): data.contexts_by_lineno(path)
            for path in data.measured_files()
        }
        written = {"tests": self.tests, "fixtures": self.fixtures, "lines": lines}
        target = Path(os.environ["STEERING_RECORDING"], f"{os.getpid()}.json")
        target.write_text(json.dumps(written), encoding="utf-8")

    def _enter(self, context: str) -> None:
        self.contexts.append(context)
        self.coverage.switch_context(context)

    def _leave(self) -> None:
        self.contexts.pop()
        self.coverage.switch_context(self.contexts[-1])


def _name(fixture: pytest.FixtureDef) -> str:
    """The name of a shared fixture, with the folder or file that defines it."""
    return f"fixture {fixture.baseid}::{fixture.argname}"
