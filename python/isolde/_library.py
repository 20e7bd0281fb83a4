"""The shared library: found, loaded, its functions declared, its errors turned into exceptions.

isolde/isolde.h documents the functions.
"""

import ctypes
import enum
import json
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint64, c_void_p, pointer)
from typing import Any, Callable, List, Mapping, Optional, Tuple, Union

SERIES = '0.1'  # of the library that this package is for; its ABI may differ in the next
Value = Union[None, int, str, float, bool]
Columns = Mapping[str, Value]  # a row by the names of its columns; None: null, or no such column
Bounds = Tuple[Optional[int], Optional[int]]  # both included; None: there is no such bound
# A value; None: null; or a mapping of some of 'min', 'max', 'in', 'not', 'not in'
Test = Union[Value, Mapping[str, Any]]
Tests = Mapping[str, Test]  # of columns by their names
Keys = Union[Bounds, Mapping[str, Any]]  # a mapping: as of a Test


class IsoldeError(Exception):
    """What went wrong, in one line."""


class UsageError(IsoldeError, ValueError):
    """Asked for something that does not exist or does not fit together."""


class BadInputError(IsoldeError, ValueError):
    """A file or text does not follow its format."""


class MachineError(IsoldeError, OSError):
    """The machine refused: missing file, no permission, disk full."""


class LimitError(IsoldeError):
    """A limit was reached before there was anything to report."""


ERRORS = {1: UsageError, 2: BadInputError, 3: MachineError, 4: LimitError}


class Verdict(enum.Enum):
    """What is said of one level and one history."""

    HOLDS = 0
    VIOLATED = 1
    UNKNOWN = 2         #: a limit was reached, or the history does not determine the answer
    NOT_APPLICABLE = 3  #: the level needs something that the history does not carry

    def __str__(self) -> str:
        return self.name.lower().replace('_', '-')


class CValue(Structure):
    _fields_ = [('kind', c_int), ('number', c_int64), ('text', c_char_p), ('length', c_size_t)]


class CTest(Structure):
    _fields_ = [('column', c_char_p), ('is_null', c_int), ('has_min', c_int),
                ('has_max', c_int), ('min', c_int64), ('max', c_int64), ('has_in', c_int),
                ('in_', POINTER(CValue)), ('in_count', c_size_t),
                ('not_in', POINTER(CValue)), ('not_in_count', c_size_t)]


class CCondition(Structure):
    _fields_ = [('has_keys', c_int), ('min_key', c_int64), ('max_key', c_int64),
                ('has_values', c_int), ('min_value', c_int64), ('max_value', c_int64),
                ('equal', CValue), ('tests', POINTER(CTest)), ('test_count', c_size_t)]


class CAggregate(Structure):
    _fields_ = [('kind', c_int), ('column', c_char_p), ('has_result', c_int),
                ('result', c_int64)]


class CColumn(Structure):
    _fields_ = [('name', c_char_p), ('value', CValue)]


class CRow(Structure):
    _fields_ = [('key', CValue), ('value', CValue), ('columns', POINTER(CColumn)),
                ('column_count', c_size_t), ('version', POINTER(CValue))]


class COperation(Structure):
    _fields_ = [('size', c_size_t), ('kind', c_int), ('key', CValue), ('value', CValue),
                ('elements', POINTER(CValue)), ('element_count', c_size_t),
                ('condition', POINTER(CCondition)), ('rows', POINTER(CRow)),
                ('row_count', c_size_t), ('has_columns', c_int), ('columns', POINTER(CColumn)),
                ('column_count', c_size_t), ('version', POINTER(CValue)),
                ('aggregate', POINTER(CAggregate)), ('lock', c_int),
                ('sum', POINTER(CValue))]


class CLevelResult(Structure):
    _fields_ = [('level', c_char_p), ('verdict', c_int), ('reason', c_char_p),
                ('tried', c_int), ('follows_from', c_char_p)]


class CVerification(Structure):
    _fields_ = [('proves', c_int), ('level', c_char_p), ('verdict', c_int),
                ('clock_error_ns', c_int64), ('claim', c_void_p), ('reason', c_void_p),
                ('trusts_versions', c_int)]


PROGRESS = CFUNCTYPE(None, c_char_p, c_void_p)
CANCELLED = CFUNCTYPE(c_int, c_void_p)

ERROR = POINTER(c_void_p)
FUNCTIONS = {  # name: result, arguments
    'version': (c_char_p, []),
    'free': (None, [c_void_p]),
    'level_count': (c_size_t, []),
    'level_name': (c_char_p, [c_size_t]),
    'level_alias': (c_char_p, [c_size_t]),
    'level_summary': (c_char_p, [c_size_t]),
    'level_find': (c_size_t, [c_char_p]),
    'options_new': (c_void_p, []),
    'options_free': (None, [c_void_p]),
    'options_format': (None, [c_void_p, c_char_p]),
    'options_level': (c_int, [c_void_p, c_char_p, ERROR]),
    'options_seconds': (None, [c_void_p, c_double]),
    'options_memory': (None, [c_void_p, c_uint64]),
    'options_threads': (None, [c_void_p, c_uint]),
    'options_clock_error': (None, [c_void_p, c_int64]),
    'options_min_committed': (None, [c_void_p, c_uint64]),
    'options_require_evidence': (None, [c_void_p, c_int]),
    'options_verify': (None, [c_void_p, c_int]),
    'options_explain': (None, [c_void_p, c_int]),
    'options_progress': (None, [c_void_p, PROGRESS, c_void_p]),
    'options_cancelled': (None, [c_void_p, CANCELLED, c_void_p]),
    'load': (c_int, [c_char_p, c_void_p, POINTER(c_void_p), ERROR]),
    'parse': (c_int, [c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p), ERROR]),
    'history_free': (None, [c_void_p]),
    'history_sessions': (c_size_t, [c_void_p]),
    'history_transactions': (c_size_t, [c_void_p]),
    'history_operations': (c_size_t, [c_void_p]),
    'history_keys': (c_size_t, [c_void_p]),
    'history_trust_versions': (c_int, [c_void_p, POINTER(c_void_p), ERROR]),
    'builder_new': (c_void_p, []),
    'builder_free': (None, [c_void_p]),
    'builder_begin': (None, [c_void_p, c_char_p]),
    'builder_initial': (None, [c_void_p, POINTER(COperation)]),
    'builder_add': (None, [c_void_p, POINTER(COperation)]),
    'builder_label': (None, [c_void_p, c_char_p]),
    'builder_times': (None, [c_void_p, c_int64, c_int64]),
    'builder_outcome': (None, [c_void_p, c_int]),
    'builder_finish': (c_int, [c_void_p, POINTER(c_void_p), ERROR]),
    'check': (c_int, [c_void_p, c_void_p, POINTER(c_void_p), ERROR]),
    'report_free': (None, [c_void_p]),
    'report_size': (c_size_t, [c_void_p]),
    'report_level': (c_int, [c_void_p, c_size_t, POINTER(CLevelResult)]),
    'report_render': (c_void_p, [c_void_p, c_char_p, ERROR]),
    'report_certificate': (c_void_p, [c_void_p, c_char_p, ERROR]),
    'verify': (c_int, [c_void_p, c_char_p, POINTER(CVerification), ERROR]),
    'explanation': (c_void_p, [c_void_p, c_char_p, ERROR]),
    'recorder_open': (c_int, [c_char_p, POINTER(c_char_p), POINTER(c_char_p), c_size_t,
                              c_int, POINTER(c_void_p), ERROR]),
    'recorder_session': (c_void_p, [c_void_p, c_char_p]),
    'recorder_event_span': (None, [c_void_p, c_char_p, c_char_p, c_char_p, c_char_p]),
    'recorder_close': (c_int, [c_void_p, ERROR]),
    'recorder_free': (None, [c_void_p]),
    'session_begin': (None, [c_void_p]),
    'session_add': (c_int, [c_void_p, POINTER(COperation), ERROR]),
    'session_drop_last': (None, [c_void_p]),
    'session_version': (c_int, [c_void_p, POINTER(CValue), ERROR]),
    'session_version_of_writes': (c_int, [c_void_p, POINTER(CValue), ERROR]),
    'session_sum': (c_int, [c_void_p, c_int64, ERROR]),
    'session_sums': (c_int, [c_void_p, POINTER(c_int64), c_size_t, ERROR]),
    'session_server': (None, [c_void_p, c_char_p]),
    'session_end': (None, [c_void_p, c_int]),
    'session_free': (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libisolde.so')
    named = os.environ.get('ISOLDE_LIBRARY')
    path = named or (own if os.path.exists(own) else 'libisolde.so.' + SERIES)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f'cannot load the library of Isolde: {error}; install libisolde, or '
                          'name the file in the environment variable ISOLDE_LIBRARY') from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, 'isolde_' + name)
        function.restype, function.argtypes = result, arguments
    found = library.isolde_version().decode()
    if not found.startswith(SERIES + '.'):
        raise ImportError(f'{path} is version {found} of the library; this package is for '
                          f'{SERIES}')
    return library


_LIBRARY = _load()


def call(name: str, *arguments: Any) -> Any:
    """Calls isolde_NAME, which cannot fail."""
    return getattr(_LIBRARY, 'isolde_' + name)(*arguments)


def taken(pointer: Optional[int]) -> str:
    """The text at the pointer, which the library gave to its caller."""
    assert pointer is not None
    text = ctypes.string_at(pointer).decode('utf-8', 'replace')
    call('free', pointer)
    return text


def checked(name: str, *arguments: Any) -> None:
    """Calls isolde_NAME, which returns a status; raises what it says."""
    error = c_void_p()
    status = call(name, *arguments, byref(error))
    if status:
        raise ERRORS.get(status, IsoldeError)(taken(error.value))


def text_of(name: str, *arguments: Any, raises: type = UsageError) -> str:
    """Calls isolde_NAME, which returns a text; raises what it says instead."""
    error = c_void_p()
    pointer = call(name, *arguments, byref(error))
    if pointer is None:
        raise raises(taken(error.value))
    return taken(pointer)


def made(name: str, *arguments: Any) -> int:
    """Calls isolde_NAME, which makes a handle."""
    handle = c_void_p()
    checked(name, *arguments, byref(handle))
    assert handle.value is not None
    return handle.value


class NotCopied:
    """A handle has one owner: neither copied nor pickled."""

    def __reduce__(self) -> Any:
        raise TypeError(f'a {type(self).__name__} can be neither copied nor pickled; pass the '
                        'file, or what it was made from')


class Handle(NotCopied):
    """Of the library, freed with the object."""

    def __init__(self, handle: int, free: str) -> None:
        self._handle = handle
        self._free = free

    def __del__(self) -> None:
        if hasattr(self, '_free'):
            call(self._free, self._handle)


def version() -> str:
    """Of the library."""
    return str(call('version').decode())


def path_bytes(path: Any) -> bytes:
    """A path as the library takes it."""
    name = os.fsencode(path)
    if b'\0' in name:
        raise ValueError('a path has no zero byte')
    return name


def text_bytes(text: str) -> bytes:
    """A name as the library takes it."""
    if '\0' in text:
        raise ValueError('a name has no zero character')
    return text.encode('utf-8')


def value(python: Value) -> CValue:
    """A key or value as the library takes it."""
    if python is None:
        return CValue(0, 0, None, 0)
    if isinstance(python, bool):
        kind, text = 3, b'true' if python else b'false'
    elif isinstance(python, int):
        if -2**63 <= python < 2**63:
            return CValue(1, python, None, 0)
        kind, text = 3, str(python).encode()
    elif isinstance(python, float):
        kind, text = 3, json.dumps(python, allow_nan=False).encode()
    elif isinstance(python, str):
        kind, text = 2, python.encode('utf-8')
    else:
        raise TypeError(f'a key or value is None, int, str, float or bool, not {python!r}')
    return CValue(kind, 0, text, len(text))


def bounds(python: Bounds) -> Tuple[int, int]:
    """Bounds of a condition as the library takes them; C would cut larger numbers off."""
    least, most = python
    least = -2**61 if least is None else least
    most = 2**61 - 1 if most is None else most
    for bound in (least, most):
        if not -2**61 <= bound < 2**61:
            raise UsageError(f'bounds lie between -2**61 and 2**61 - 1, not at {bound}')
    return least, most


def values(many: Any) -> Any:
    """An array of values."""
    each = [value(one) for one in many]
    return (CValue * len(each))(*each)


def content(python: Union[Value, Columns]) -> Any:
    """What is read or written, as fields of an operation or a row."""
    if not isinstance(python, Mapping):
        return {'value': value(python)}
    each = [CColumn(text_bytes(name), value(held)) for name, held in python.items()]
    return {'columns': (CColumn * len(each))(*each), 'column_count': len(each)}


def row(python: Any) -> CRow:
    """A row that a selection returned: (key, value), (key, columns) or (key,).

    The first two may have a version as third.
    """
    key, *rest = python
    if len(rest) > 2 or rest[:1] == [None]:
        raise UsageError('a row of a selection is (key, value), (key, {column: value}) or (key,), '
                         f'the first two perhaps with a version, not {python!r}')
    return CRow(key=value(key), **(content(rest[0]) if rest else {}),
                **version_of(rest[1] if len(rest) == 2 else None))


def version_of(python: Value) -> Any:
    """The database's own name of a version, as a field of an operation or a row."""
    return {} if python is None else {'version': pointer(value(python))}


def number(python: int, what: str) -> int:
    """What an increment adds or leaves; C would cut larger numbers off."""
    if not isinstance(python, int):
        raise UsageError(f'{what} is an integer, not {python!r}')
    if not -2**61 <= python < 2**61:
        raise UsageError(f'{what} lies between -2**61 and 2**61 - 1; {python} does not')
    return int(python)


def lock_of(python: Optional[str]) -> Any:
    """The field of an operation that says how it locked what it read."""
    modes = (None, 'share', 'update')
    if python not in modes:
        raise UsageError(f'{python!r} is no lock; expected \'share\' or \'update\'')
    return {'lock': modes.index(python)}


def test(column: Optional[str], python: Test) -> CTest:
    """A test of a column, or of the key, as the library takes it."""
    made = CTest(column=None if column is None else text_bytes(column))
    if python is None:
        made.is_null = 1
        return made
    asked = dict(python) if isinstance(python, Mapping) else {'in': [python]}
    if not asked:
        raise UsageError("a test is empty; expected 'min', 'max', 'in', 'not' or 'not in'")
    for end in ('min', 'max'):
        if end in asked:
            bound = asked.pop(end)
            if not isinstance(bound, int):
                raise UsageError(f'{end!r} of a test is an integer, not {bound!r}')
            bounds((bound, None))
            setattr(made, 'has_' + end, 1)
            setattr(made, end, bound)
    for name in ('in', 'not in'):
        if isinstance(asked.get(name), str):
            raise UsageError(f'{name!r} of a test has a list of values, not {asked[name]!r}')
    if 'in' in asked:
        each = values(asked.pop('in'))
        made.has_in, made.in_, made.in_count = 1, each, len(each)
    excluded = list(asked.pop('not in', []))
    unequal = asked.pop('not', None)  # null passes no other test, so "not null" needs no more
    if unequal is not None:
        excluded.insert(0, unequal)
    made.not_in, made.not_in_count = values(excluded), len(excluded)
    if asked:
        raise UsageError(f"no test is called {', '.join(map(repr, asked))}; expected 'min', "
                         "'max', 'in', 'not' or 'not in'")
    return made


def condition(keys: Optional[Keys], values: Optional[Bounds], equal: Value,
              columns: Optional[Tests]) -> CCondition:
    """A condition on rows as the library takes it."""
    tests = [test(name, asked) for name, asked in (columns or {}).items()]
    made = CCondition(equal=value(equal))
    if isinstance(keys, Mapping):
        tests.append(test(None, keys))
    elif keys is not None:
        made.has_keys = 1
        made.min_key, made.max_key = bounds(keys)
    if values is not None:
        made.has_values = 1
        made.min_value, made.max_value = bounds(values)
    made.tests, made.test_count = (CTest * len(tests))(*tests), len(tests)
    return made


def aggregate(kind: int, result: Optional[int], column: Optional[str] = None) -> CAggregate:
    """What a statement computed, as the library takes it; C would cut larger numbers off."""
    made = CAggregate(kind=kind, column=None if column is None else text_bytes(column))
    if result is None:
        return made
    if not isinstance(result, int):
        raise UsageError(f'the result of an aggregate is an integer or None, not {result!r}')
    if not -2**63 <= result < 2**63:
        raise UsageError(f'the result of an aggregate has 64 bits; {result} has more')
    made.has_result, made.result = 1, result
    return made


def interruptible(work: Callable[[], Any], cancel: threading.Event) -> Any:
    """Does work that asks `cancel` now and then, so that Ctrl-C ends it.

    Signals reach Python code of the main thread only, so the work is done in another one.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: List[Any] = []
    problem: List[BaseException] = []
    done = threading.Event()  # where join() is interrupted, Python takes the thread for ended

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:  # noqa: B902: goes on in the main thread
            problem.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name='isolde').start()
    try:
        done.wait()
    except BaseException:
        cancel.set()
        done.wait()
        raise
    if problem:
        raise problem[0]
    return result[0]
