"""For pytest: a recorder for each test, whose history can be checked at its end.

    def test_transfers(isolde_recorder):
        session = isolde_recorder.session('client 1')
        ...                                     # run transactions and record them
        isolde_recorder.close()
        isolde.assert_level(isolde_recorder.path, 'serializable')
"""

from typing import Any, Iterator

import pytest

from . import Recorder


@pytest.fixture
def isolde_recorder(tmp_path: Any) -> Iterator[Recorder]:
    """A Recorder to history.jsonl in the test's folder; closed at the end of the test."""
    with Recorder(tmp_path / 'history.jsonl') as recorder:
        yield recorder
