"""Histories, verdicts and certificates."""

import json
import os
import threading
from ctypes import byref, c_void_p
from typing import (Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional,
                    Union)

from . import _library
from ._library import CLevelResult, CVerification, IsoldeError, Verdict

Path = Union[str, 'os.PathLike[str]']


class Level(NamedTuple):
    """An isolation level."""

    name: str
    alias: str    #: short form; '' where there is none
    summary: str  #: a sentence


class LevelResult(NamedTuple):
    """The verdict about one level."""

    level: str
    verdict: Verdict
    reason: str                  #: violated: what went wrong; unknown: why
    tried: bool                  #: holds: the history put the level to the test
    follows_from: Optional[str]  #: the level whose verdict decides this one


class Verification(NamedTuple):
    """What the independent verifier says of a certificate."""

    proves: bool
    level: str
    verdict: Verdict     #: claimed
    claim: str           #: in words
    clock_error_ns: int  #: how far apart the proof assumes clocks to be
    reason: str          #: why it proves nothing; '' when it does
    trusts_versions: bool = False  #: it is a proof for History.trusting_versions()


def levels() -> List[Level]:
    """All levels, stronger ones first. A new list each time. From any thread; never fails."""
    def text(name: str, index: int) -> str:
        return str(_library.call('level_' + name, index).decode())
    return [Level(text('name', i), text('alias', i), text('summary', i))
            for i in range(_library.call('level_count'))]


class _Options:
    """Options of one call, as the library takes them, while the call lasts."""

    def __init__(self, progress: Optional[Callable[[str], None]]) -> None:
        self.handle = _library.call('options_new')
        self.cancel = threading.Event()
        self._cancelled = _library.CANCELLED(lambda _: int(self.cancel.is_set()))
        _library.call('options_cancelled', self.handle, self._cancelled, None)
        self._progress = _library.PROGRESS(
            lambda work, _: progress(work.decode('utf-8', 'replace')) if progress else None)
        if progress:
            _library.call('options_progress', self.handle, self._progress, None)

    def set(self, **options: Any) -> None:
        # C would cut larger numbers off.
        for name, bits in (('memory', 64), ('threads', 32), ('clock_error', 63), ('min_committed', 64)):
            if options.get(name, 0) < 0:
                raise _library.UsageError(f'{name} is negative')
            if options.get(name, 0) >= 2**bits:
                raise _library.UsageError(f'{name} is {options[name]}; it has at most {bits} bits')
        for name, setting in options.items():
            _library.call('options_' + name, self.handle, setting)

    def __enter__(self) -> '_Options':
        return self

    def __exit__(self, *_: Any) -> None:
        _library.call('options_free', self.handle)


class History(_library.Handle):
    """What clients sent and saw. Immutable; made by load(), parse() or a HistoryBuilder."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, 'history_free')

    @property
    def sessions(self) -> int:
        """How many."""
        return int(_library.call('history_sessions', self._handle))

    @property
    def transactions(self) -> int:
        """How many, with those that were rolled back."""
        return int(_library.call('history_transactions', self._handle))

    @property
    def operations(self) -> int:
        """How many."""
        return int(_library.call('history_operations', self._handle))

    @property
    def keys(self) -> int:
        """How many."""
        return int(_library.call('history_keys', self._handle))

    def trusting_versions(self) -> 'History':
        """The history with its versions taken for true.

        Each read with a version is from the write with that version. Verdicts and certificates of
        it say so. Raises BadInputError where versions contradict values. Cost: linear; it is a
        copy.
        """
        made = c_void_p()
        _library.checked('history_trust_versions', self._handle, byref(made))
        return History(made.value or 0)

    def __repr__(self) -> str:
        return (f'<isolde.History: {self.sessions} sessions, {self.transactions} transactions, '
                f'{self.operations} operations, {self.keys} keys>')


class Report(_library.Handle):
    """The verdicts about one history. str() is the report for people."""

    def __init__(self, handle: int, history: History) -> None:
        super().__init__(handle, 'report_free')
        self.history = history
        rows: Dict[str, LevelResult] = {}
        for index in range(_library.call('report_size', handle)):
            row = CLevelResult()
            _library.call('report_level', handle, index, byref(row))
            follows = row.follows_from.decode() if row.follows_from else None
            rows[row.level.decode()] = LevelResult(
                row.level.decode(), Verdict(row.verdict), row.reason.decode('utf-8', 'replace'),
                bool(row.tried), follows)
        self._rows = rows

    def __iter__(self) -> Iterator[LevelResult]:
        """Of the levels asked for, stronger ones first."""
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, level: str) -> LevelResult:
        """By name or alias, in any case. KeyError for a level that was not asked for."""
        if level in self._rows:
            return self._rows[level]
        name = _library.call('level_name',
                             _library.call('level_find', _library.text_bytes(level)))
        if name is None or name.decode() not in self._rows:
            raise KeyError(level)
        return self._rows[name.decode()]

    def holds(self, level: str) -> bool:
        """True when the level holds; False when it is violated or not decided.

        By name or alias, as all that takes a level. KeyError for one that was not asked for.
        """
        return self[level].verdict is Verdict.HOLDS

    def violated(self, level: str) -> bool:
        """True when the level is violated; False when it holds or is not decided.

        KeyError for a level that was not asked for.
        """
        return self[level].verdict is Verdict.VIOLATED

    def __str__(self) -> str:
        return self.render('text')

    def __repr__(self) -> str:
        return '<isolde.Report: ' + ', '.join(f'{row.level} {row.verdict}' for row in self) + '>'

    def json(self) -> Dict[str, Any]:
        """The report for programs (docs/report.schema.json). Cost: rendered and parsed anew."""
        report: Dict[str, Any] = json.loads(self.render('json'))
        return report

    def render(self, form: str) -> str:
        """The report as text, json, junit or another form.

        UsageError for a name that is none of them, with all of them. Cost: rendered anew each
        time, by str() too.
        """
        return _library.text_of('report_render', self._handle, _library.text_bytes(form))

    def certificate(self, level: str) -> str:
        """The proof of the verdict, for verify(). UsageError where there is no verdict.

        Cost: linear in its size, which is about that of the history where a level holds.
        """
        return _library.text_of('report_certificate', self._handle, _library.text_bytes(level))


def load(path: Path, format: str = '', *, seconds: float = 0, memory: int = 0,
         threads: int = 1, progress: Optional[Callable[[str], None]] = None) -> History:
    """Reads a history from a file or directory.

    `format`: its name, or '' to tell it from the content. `seconds`: limit of time. `memory`: by
    how many bytes the process may grow. `threads`: how many to use, from 1 to 1024. `progress` is
    called with what is being done, in another thread where load() is called in the main one. What
    it raises ends nothing: sys.unraisablehook gets it, which prints it by default; Ctrl-C ends the
    call with KeyboardInterrupt. Raises MachineError where the file cannot be read, BadInputError
    for what is wrong in it, UsageError for an unknown format and numbers out of their range,
    LimitError. Cost: some 100 MB in a second and core.
    """
    with _Options(progress) as options:
        options.set(format=_library.text_bytes(format), seconds=seconds, memory=memory,
                    threads=threads)
        return History(_library.interruptible(
            lambda: _library.made('load', _library.path_bytes(path), options.handle),
            options.cancel))


def parse(content: Union[str, bytes], name: str = 'memory', format: str = '') -> History:
    """Reads what a file would hold. `name` is for messages.

    Errors and cost: as load(), and a copy.
    """
    data = content.encode('utf-8') if isinstance(content, str) else bytes(content)
    with _Options(None) as options:
        options.set(format=_library.text_bytes(format))
        return History(_library.interruptible(
            lambda: _library.made('parse', data, len(data), _library.text_bytes(name),
                                  options.handle), options.cancel))


def check(history: Union[History, Path], levels: Iterable[str] = (), *, format: str = '',
          seconds: float = 0, memory: int = 0, threads: int = 1, clock_error_ns: int = 0,
          min_committed: int = 1, require_evidence: bool = False, verify: bool = False, explain: bool = True,
          progress: Optional[Callable[[str], None]] = None) -> Report:
    """Decides which isolation levels a history satisfies.

    `levels`: names or aliases, all levels where there are none. `format`: that of a path, as for
    load(). `seconds`, `memory`: limits, of
    loading and of deciding each; levels that they leave open are UNKNOWN. `clock_error_ns`: real
    time counts only where it differs by more. `min_committed`, `require_evidence`: without so
    many transactions, or without two that met on a key, what holds is UNKNOWN. `verify`: each proof
    is verified before it is reported, as verify() does, which costs about as much for each level.
    `progress`: as that of load(). Raises UsageError for an unknown level and numbers out of their
    range, LimitError where memory does not suffice for a report, and where it reads a file what
    load() raises. Cost: mostly a second for a million transactions, and for some levels without
    bound.
    """
    if isinstance(levels, str):
        levels = [levels]
    loaded = history if isinstance(history, History) else load(
        history, format, seconds=seconds, memory=memory, threads=threads, progress=progress)
    with _Options(progress) as options:
        for level in levels:
            _library.checked('options_level', options.handle, _library.text_bytes(level))
        options.set(seconds=seconds, memory=memory, threads=threads, clock_error=clock_error_ns,
                    min_committed=min_committed, require_evidence=require_evidence,
                    verify=verify, explain=explain)
        return Report(_library.interruptible(
            lambda: _library.made('check', loaded._handle, options.handle), options.cancel),
            loaded)


def _failure(row: LevelResult) -> str:
    """One line, which is all that a summary of many tests shows."""
    if row.verdict is Verdict.VIOLATED:
        return f'{row.level} is violated: {row.reason}'
    return f'{row.level} is not decided: {row.reason}'


def assert_level(history: Union[History, Path], level: str, **options: Any) -> Report:
    """Raises AssertionError, with the report, unless the level holds and was put to the test.

    `options` are those of check(), and so are other errors and the cost.
    """
    __tracebackhide__ = True  # pytest then shows the line of the test, and the report
    options.setdefault('require_evidence', True)
    report = check(history, [level], **options)
    if not report.holds(level):
        raise AssertionError(f'{_failure(report[level])}\n\n{report}')
    return report


def _loaded(history: Union[History, Path]) -> History:
    return history if isinstance(history, History) else load(history)


def verify(history: Union[History, Path], certificate: str) -> Verification:
    """Checks a certificate, independently of check(). From any thread.

    `proves` tells whether it stands; that is no error. Raises BadInputError for what is no
    certificate for a history of this size, and what load() raises where `history` is a path. Cost:
    about linear in the history, after loading it.
    """
    history = _loaded(history)
    made = CVerification()
    _library.checked('verify', history._handle, _library.text_bytes(certificate), byref(made))
    return Verification(bool(made.proves), made.level.decode(), Verdict(made.verdict),
                        _library.taken(made.claim), made.clock_error_ns,
                        _library.taken(made.reason), bool(made.trusts_versions))


def explanation(history: Union[History, Path], certificate: str) -> str:
    """What a certificate says, for people, after verifying it.

    Raises IsoldeError where it proves nothing or is no certificate; else as verify(), with its
    cost.
    """
    history = _loaded(history)
    return _library.text_of('explanation', history._handle, _library.text_bytes(certificate),
                            raises=IsoldeError)
