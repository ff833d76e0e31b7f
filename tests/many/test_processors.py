"""How many processors are taken by default, where others share the machine."""

from __future__ import annotations

import pytest

from eigenbody.many.run import processors


def test_the_environment_says_fewer_never_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EIGENBODY_PROCESSORS", raising=False)
    own = processors()
    for said, wanted in (("1", 1), ("0", 1), ("100000", own), ("", own), ("many", own)):
        monkeypatch.setenv("EIGENBODY_PROCESSORS", said)
        assert processors() == wanted
