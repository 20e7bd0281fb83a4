"""Isolde: which transaction-isolation level did a database really give?

    report = isolde.check('history.jsonl', levels=['serializable'], seconds=60)
    print(report)                        # for people
    report.holds('serializable')         # True, or False when it is violated or not decided
    report.certificate('serializable')   # the proof, for isolde.verify() or anybody else

Histories come from files (load), from bytes (parse), from a HistoryBuilder, or from a Recorder,
which writes down what clients do. Other threads run during each call, and Ctrl-C ends load(),
parse() and check(). Keys and values are None (the initial value), int, str, float or bool; a
value may be a row, a dict of its columns.

Threads: histories, reports and recorders may be used by several at once, builders and sessions by
one at a time. Errors: an IsoldeError of the kind that says what is wrong; a verdict is never one.
Cost: load() takes about a second for 100 MB, check() mostly a second for a million transactions
and for some levels without bound, so give it `seconds`; verify() is linear in the history.
"""

from ._library import (BadInputError, IsoldeError, LimitError, MachineError, UsageError,
                       Verdict)
from .checking import (History, Level, LevelResult, Report, Verification, assert_level, check,
                       explanation, levels, load, parse, verify)
from .recording import HistoryBuilder, Recorder, Session, Transaction
from ._library import version as _version

__version__ = _version()

__all__ = ['BadInputError', 'History', 'HistoryBuilder', 'IsoldeError', 'Level', 'LevelResult',
           'LimitError', 'MachineError', 'Recorder', 'Report', 'Session', 'Transaction',
           'UsageError', 'Verdict', 'Verification', 'assert_level', 'check', 'explanation',
           'levels', 'load', 'parse', 'verify']
