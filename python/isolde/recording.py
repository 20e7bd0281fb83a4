"""Writing histories: in memory, and to a file while clients work."""

import contextlib
import weakref
from ctypes import byref, c_char_p, c_int64, pointer, sizeof
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from . import _library
from ._library import (Bounds, CAggregate, CCondition, Columns, COperation, CRow, Keys, Tests,
                       Value)
from .checking import History, Path

COMMITTED, ABORTED, INDETERMINATE = range(3)
SUM = 'the sum that an increment has left'


class Operations:
    """Operations of a transaction, in program order. From one thread at a time.

    Arguments are copied. TypeError for a key or value of another type, UsageError for what does not
    fit together; in a recorder that is not recorded, and without `deletes` recording stops where
    the operation needs it. Cost: the time to copy.
    """

    def _add(self, operation: COperation) -> None:
        raise NotImplementedError

    def _operation(self, kind: int, **fields: Any) -> None:
        self._add(COperation(size=sizeof(COperation), kind=kind, **fields))

    def _read_or_write(self, kind: int, key: Value, value: Union[Value, Columns],
                       version: Value, **more: Any) -> None:
        self._operation(kind, key=_library.value(key), has_columns=isinstance(value, Mapping),
                        **_library.content(value), **_library.version_of(version), **more)

    def read(self, key: Value, value: Union[Value, Columns], version: Value = None,
             lock: Optional[str] = None) -> None:
        """A read of a register, after its answer has come. None is the initial value.

        Of a row with columns, a dict of those that the answer told, null as None; {} says that
        there was a row, and no more. `version`: the database's own name of what was read, such as
        PostgreSQL's xmin or etcd's revision. `lock`: 'share' or 'update', how the statement locked
        what it read, for people and for replays.
        """
        self._read_or_write(0, key, value, version, **_library.lock_of(lock))

    def write(self, key: Value, value: Union[Value, Columns], version: Value = None) -> None:
        """A write of a register, before it is sent.

        Of a row with columns, a dict of all of them, those too that stay as they were. `version`:
        as read(); where it is known after the answer only, see Transaction.version().
        """
        self._read_or_write(1, key, value, version)

    def append(self, key: Value, element: Value) -> None:
        """An append to a list, before it is sent."""
        self._operation(2, key=_library.value(key), value=_library.value(element))

    def read_list(self, key: Value, elements: Iterable[Value], lock: Optional[str] = None) -> None:
        """A read of a whole list, after its answer has come. `lock`: as read()."""
        seen = _library.values(elements)
        self._operation(3, key=_library.value(key), elements=seen, element_count=len(seen),
                        **_library.lock_of(lock))

    def read_unknown(self, key: Value) -> None:
        """A read whose answer never came."""
        self._operation(4, key=_library.value(key))

    def read_not(self, key: Value, value: Value, lock: Optional[str] = None) -> None:
        """A read that only showed that the value is another one. `lock`: as read()."""
        self._operation(5, key=_library.value(key), value=_library.value(value),
                        **_library.lock_of(lock))

    def insert_refused(self, key: Value) -> None:
        """An insert that failed, for there was a row with that key."""
        self._operation(11, key=_library.value(key))

    def increment(self, key: Value, by: int, sum: Optional[int] = None) -> None:
        """A statement that adds to the number of a key, before it is sent.

        Such as UPDATE ... SET v = v + 3 or INCRBY. `sum`: what became of the number, None where it
        is not known; where it is known after the answer only, see Transaction.increment_sum().
        """
        added = _library.value(_library.number(by, 'what an increment adds'))
        left = None if sum is None else _library.value(_library.number(sum, SUM))
        self._operation(9, key=_library.value(key), value=added,
                        **({} if left is None else {'sum': pointer(left)}))

    def select(self, rows: Iterable[Union[Tuple[Value], Tuple[Value, Union[Value, Columns]]]],
               keys: Optional[Keys] = None, values: Optional[Bounds] = None,
               equal: Value = None, columns: Optional[Tests] = None,
               lock: Optional[str] = None) -> None:
        """A read of all rows that match, after its answer has come.

        Each row is (key, value), (key, {column: value}) with the columns that were returned, or
        (key,). A row matches when its key lies between the two `keys` and its value between the
        two `values`, both ends included and None for an open one, and when its value is `equal`.
        `columns` tests columns by their names: {'state': 'open', 'note': None} for what they
        hold, or {'qty': {'min': 1}} with some of 'min', 'max', 'in', 'not' and 'not in', which
        all must hold. `keys` may be such a test, too: {'in': [17, 18]}. As in SQL, None passes
        no test but None, and {'not': None} is anything but None. Conditions that are None are
        not asked. A row that the answer has twice stands twice. `lock`: as read().

        Where the statement skipped locked rows, other rows may match: put down a read() of each row
        that it returned. So where a limit was reached; or, where the answer was sorted by key and
        nothing was locked, a selection of the keys up to the last one that it returned.
        """
        each = [_library.row(row) for row in rows]
        condition = _library.condition(keys, values, equal, columns)
        self._operation(6, condition=pointer(condition), rows=(CRow * len(each))(*each),
                        row_count=len(each), **_library.lock_of(lock))

    def _aggregate(self, condition: CCondition, computed: CAggregate) -> None:
        self._operation(8, condition=pointer(condition), aggregate=pointer(computed))

    def count(self, result: int, keys: Optional[Keys] = None, values: Optional[Bounds] = None,
              equal: Value = None, columns: Optional[Tests] = None) -> None:
        """How many rows match, after the answer has come; which ones it did not tell.

        The condition is as of select().
        """
        self._aggregate(_library.condition(keys, values, equal, columns),
                        _library.aggregate(0, result))

    def exists(self, result: bool, keys: Optional[Keys] = None,
               values: Optional[Bounds] = None, equal: Value = None,
               columns: Optional[Tests] = None) -> None:
        """Whether any row matches, after the answer has come. The condition is as of select().

        1 and 0, as some databases answer, mean the same.
        """
        self._aggregate(_library.condition(keys, values, equal, columns),
                        _library.aggregate(1, result))

    def sum(self, result: Optional[int], column: Optional[str] = None,
            keys: Optional[Keys] = None, values: Optional[Bounds] = None, equal: Value = None,
            columns: Optional[Tests] = None) -> None:
        """The sum of a column of all rows that match, after the answer has come.

        Without `column` it is of the values, where these are no rows with columns. `result` is
        None where nothing was summed: as in SQL, a row whose column holds None is in no sum,
        minimum or maximum. The condition, `columns` too, is as of select(). All that may be
        summed is an integer, else the history cannot be read.
        """
        self._aggregate(_library.condition(keys, values, equal, columns),
                        _library.aggregate(2, result, column))

    def minimum(self, result: Optional[int], column: Optional[str] = None,
                keys: Optional[Keys] = None, values: Optional[Bounds] = None,
                equal: Value = None, columns: Optional[Tests] = None) -> None:
        """The least value of a column of all rows that match, as sum()."""
        self._aggregate(_library.condition(keys, values, equal, columns),
                        _library.aggregate(3, result, column))

    def maximum(self, result: Optional[int], column: Optional[str] = None,
                keys: Optional[Keys] = None, values: Optional[Bounds] = None,
                equal: Value = None, columns: Optional[Tests] = None) -> None:
        """The greatest value of a column of all rows that match, as sum()."""
        self._aggregate(_library.condition(keys, values, equal, columns),
                        _library.aggregate(4, result, column))

    def remove(self, key: Value, version: Value = None) -> None:
        """A deletion of a row, before it is sent. It is None from then on, until it is written."""
        self._operation(7, key=_library.value(key), **_library.version_of(version))


class BuiltTransaction(Operations):
    """A transaction of a HistoryBuilder, until the next one begins; UsageError after that."""

    def __init__(self, builder: 'HistoryBuilder') -> None:
        self._builder = builder

    def _builder_handle(self) -> int:
        if self._builder._current is not self:
            raise _library.UsageError('another transaction has begun since, or the history is '
                                      'finished; a builder takes one transaction after the other')
        return self._builder._handle

    def _add(self, operation: COperation) -> None:
        _library.call('builder_add', self._builder_handle(), byref(operation))

    def compare_and_set(self, key: Value, expected: Value, value: Value, done: bool = True,
                        **seen: Value) -> None:
        """A write of `value` on condition that the register holds `expected`, None for nothing.

        `done`: it took place. Where it has not, `found`, if the client was told what was there. A
        recorder's transaction has write() before it is sent, and then drop_last() and read_not()
        where it has failed, or else read() of what was expected in front of it.
        """
        if seen.keys() - {'found'} or done and seen:
            raise _library.UsageError('only a compare-and-set that has failed has found something')
        if done:
            self.read(key, expected)
            self.write(key, value)
        elif 'found' in seen:
            if seen['found'] == expected and type(seen['found']) is type(expected):
                raise _library.UsageError('a compare-and-set that found what it expected has not '
                                          'failed')
            self.read(key, seen['found'])
        elif expected is None:
            self.read(key, {})
        else:
            self.read_not(key, expected)

    def abort(self) -> None:
        """It was rolled back, certainly."""
        _library.call('builder_outcome', self._builder_handle(), ABORTED)

    def unknown(self) -> None:
        """Nobody knows whether it was committed."""
        _library.call('builder_outcome', self._builder_handle(), INDETERMINATE)


class HistoryBuilder(_library.Handle):
    """Builds a history in memory: one transaction after the other, in one thread at a time.

    The first problem, such as a null that is written, is raised by finish().
    """

    def __init__(self) -> None:
        super().__init__(_library.call('builder_new'), 'builder_free')
        self._current: Optional[BuiltTransaction] = None

    def initial(self, key: Value, held: Union[Value, Columns, List[Value]]) -> None:
        """What a key held before all transactions.

        A value, a dict of the columns of a row, or a list of elements. Once for each key, else
        finish() raises BadInputError.
        """
        if isinstance(held, list):
            elements = _library.values(held)
            fields = {'kind': 3, 'elements': elements, 'element_count': len(elements)}
        else:
            fields = {'kind': 1, 'has_columns': isinstance(held, Mapping),
                      **_library.content(held)}
        operation = COperation(size=sizeof(COperation), key=_library.value(key), **fields)
        _library.call('builder_initial', self._handle, byref(operation))

    def transaction(self, session: str, *, start: Optional[int] = None,
                    end: Optional[int] = None, label: Optional[str] = None) -> BuiltTransaction:
        """Begins a transaction, which is committed unless it says otherwise.

        Transactions of one session come in their order. `start` and `end`: nanoseconds on a
        clock that all sessions share.
        """
        _library.call('builder_begin', self._handle, _library.text_bytes(session))
        unknown = -2**63
        if start is not None or end is not None:
            _library.call('builder_times', self._handle,
                          unknown if start is None else start, unknown if end is None else end)
        if label is not None:
            _library.call('builder_label', self._handle, _library.text_bytes(label))
        self._current = BuiltTransaction(self)
        return self._current

    def finish(self) -> History:
        """The history. The builder is empty then, and can build another one.

        UsageError where no transaction has begun since the last time, BadInputError for the first
        problem of any call. Cost: linear, but for what selections leave out and aggregates look at.
        """
        self._current = None
        return History(_library.made('builder_finish', self._handle))


class Transaction(Operations):
    """A transaction of a Session. UsageError in every call once the recorder is closed."""

    def __init__(self, session: 'Session') -> None:
        self._session = session
        self._open = True

    def _add(self, operation: COperation) -> None:
        _library.checked('session_add', self._session._open_handle(), byref(operation))

    def drop_last(self) -> None:
        """Takes the last operation back. Not twice in a row.

        A conditional write that did not happen, or a deletion or an increment that found nothing.
        """
        _library.call('session_drop_last', self._session._open_handle())

    def version(self, version: Value) -> None:
        """The database's own name of the version that the last operation read or wrote.

        After its answer has come. Needs `deletes`.
        """
        made = _library.value(version)
        _library.checked('session_version', self._session._open_handle(), byref(made))

    def version_of_writes(self, version: Value) -> None:
        """The version of all writes and deletions of the transaction that have none yet.

        Before commit(), where only the reply to the commit tells, as etcd's revision.
        """
        made = _library.value(version)
        _library.checked('session_version_of_writes', self._session._open_handle(), byref(made))

    def increment_sum(self, sum: int) -> None:
        """The sum that the last operation, an increment, has left.

        After its answer has come, where that tells.
        """
        left = _library.number(sum, SUM)
        _library.checked('session_sum', self._session._open_handle(), left)

    def increment_sums(self, sums: Iterable[int]) -> None:
        """The sums that all increments of the transaction have left, in their order.

        Before commit(), where only the reply to the commit tells.
        """
        each = [_library.number(left, SUM) for left in sums]
        _library.checked('session_sums', self._session._open_handle(),
                         (c_int64 * len(each))(*each), len(each))

    def commit(self) -> None:
        """The database said that it has committed."""
        self._end(COMMITTED)

    def abort(self) -> None:
        """The database said so, or the client rolled back: certainly not committed."""
        self._end(ABORTED)

    def unknown(self) -> None:
        """The client does not know and never will: connection lost, timeout."""
        self._end(INDETERMINATE)

    def _end(self, outcome: int) -> None:
        self._open = False
        _library.call('session_end', self._session._open_handle(), outcome)


class Session(_library.NotCopied):
    """One client, in one thread at a time. It keeps its recorder alive.

    UsageError in every call once the recorder is closed; problems of writing are raised by
    Recorder.close(). Cost: a few microseconds for a transaction.
    """

    def __init__(self, recorder: 'Recorder', handle: int) -> None:
        self._recorder = recorder  # which must not end before
        self._handle: Optional[int] = handle

    def _open_handle(self) -> int:
        if self._handle is None:
            raise _library.UsageError('the recorder is closed')
        return self._handle

    def server(self, name: str) -> None:
        """The server and its name for the connection, as in its logs; from the next begin on."""
        _library.call('session_server', self._open_handle(), _library.text_bytes(name))

    def begin(self) -> Transaction:
        """Begins a transaction, right before its first request is sent."""
        _library.call('session_begin', self._open_handle())
        return Transaction(self)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Begins a transaction that is committed at the end of the block.

        After an exception its outcome is unknown, unless the block said before that it was
        rolled back: `except Conflict: transaction.abort()`.
        """
        transaction = self.begin()
        try:
            yield transaction
        except BaseException:
            if transaction._open:
                transaction.unknown()
            raise
        if transaction._open:
            transaction.commit()


class Recorder(_library.NotCopied):
    """Writes a history while clients work (docs/recording.md has the rules). From any thread.

    with isolde.Recorder('history.jsonl', database='mine 0.1') as recorder:
        session = recorder.session('client 1')
        ...
    """

    def __init__(self, path: Path, *, deletes: bool = False, **about: str) -> None:
        """Starts a new file. `about`: fields of its header, such as database and isolation.

        A path that ends in .isob: groups of the native-binary format, a few each second, for
        `isolde watch --follow`; until it is closed there is a text PATH.jsonl beside it, which has
        all of it.

        `deletes`: clients may delete rows, compute aggregates or add to numbers, or their rows
        have columns. The file is then of version 2 of the format. UsageError where the file exists,
        MachineError where it cannot be created. Cost: makes a file, and a folder beside it.
        """
        self.path = path
        self._handle: Optional[int] = None
        self._session_handles: List[int] = []
        self._sessions: 'weakref.WeakSet[Session]' = weakref.WeakSet()
        names = (c_char_p * len(about))(*(_library.text_bytes(name) for name in about))
        texts = (c_char_p * len(about))(*(_library.text_bytes(str(text))
                                          for text in about.values()))
        self._handle = _library.made('recorder_open', _library.path_bytes(path), names, texts,
                                     len(about), int(deletes))

    def _open(self) -> int:
        if self._handle is None:
            raise _library.UsageError('the recorder is closed')
        return self._handle

    def session(self, name: str) -> Session:
        """A client. Names must be distinct, else close() raises UsageError. Makes a file."""
        handle = _library.call('recorder_session', self._open(), _library.text_bytes(name))
        self._session_handles.append(handle)
        session = Session(self, handle)
        self._sessions.add(session)
        return session

    def event(self, kind: str, what: str, *, begins: Optional[str] = None,
              ends: Optional[str] = None) -> None:
        """Something that is not a transaction: a fault, a phase of the test.

        Of what lasts, `begins` or `ends` is the name; an end closes the last of that name that
        has begun. UsageError for both. Cost: a write to the file.
        """
        if begins is not None and ends is not None:
            raise _library.UsageError('an event begins something or ends something, not both')
        names = (None if name is None else _library.text_bytes(name) for name in (begins, ends))
        _library.call('recorder_event_span', self._open(), _library.text_bytes(kind),
                      _library.text_bytes(what), *names)

    def close(self) -> None:
        """Marks the history as complete; raises the first problem of any session.

        No session may be used any more, so join threads with clients first; UsageError in those
        that go on. Does nothing the second time. Cost: a write to the file, and the removal of
        one for each session.
        """
        handle, self._handle = self._handle, None
        if handle is None:
            return
        try:
            _library.checked('recorder_close', handle)
        finally:
            for session in list(self._sessions):
                session._handle = None
            for each in self._session_handles:
                _library.call('session_free', each)
            _library.call('recorder_free', handle)

    def __enter__(self) -> 'Recorder':
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
            return
        with contextlib.suppress(_library.IsoldeError):
            self.close()  # the exception that ends the block matters more

    def __del__(self) -> None:
        with contextlib.suppress(_library.IsoldeError):
            self.close()
