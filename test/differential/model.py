"""What all readers here make of a file: sessions of transactions of operations.

A key or a value is its JSON text (`5`, `"x"`, `true`), so that values are equal when their types and
their contents are. An operation is a tuple:

    ('w', key, value)           write of a register
    ('append', key, value)      append of an element to a list
    ('r', key, result)          read: a value, a tuple of elements, or None for the initial state
    ('r?', key)                 read whose result nobody knows
    ('r-not', key, value)       read that returned something else
"""
import dataclasses
import json

COMMITTED, ABORTED, UNKNOWN = 'committed', 'aborted', 'indeterminate'
INT64 = (-2**63, 2**63 - 1)


class Malformed(Exception):
    """The bytes are not of the format, or hold what docs/formats/foreign.md says is refused."""


class Undefined(Exception):
    """docs/formats/foreign.md does not say what this means, so there is nothing to compare."""


@dataclasses.dataclass
class Txn:
    outcome: str
    ops: list
    start: int = None
    end: int = None
    label: str = None  # the input's own id, where it has one

    def __str__(self):
        times = '' if self.start is None else f' @{self.start},{self.end}'
        label = '' if self.label is None else f' id {self.label}'
        return f'{self.outcome}{label}{times} {self.ops}'


@dataclasses.dataclass
class History:
    sessions: dict  # name -> transactions in session order
    ordered: bool = False  # times are numbers in a row of events

    def session(self, name):
        return self.sessions.setdefault(name, [])

    def txns(self):
        return (txn for txns in self.sessions.values() for txn in txns)


class Number(str):
    """A number that is no integer: its text is what counts."""


def parse_json(text):
    try:
        return json.loads(text, parse_float=Number, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as what:
        raise Malformed(f'JSON: {what}') from None


def refuse_constant(text):
    raise Malformed(f'{text} is not JSON')


def token(value):
    """The text of a scalar of JSON."""
    if value is True or value is False:
        return 'true' if value else 'false'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise Malformed(f'{value!r} is no scalar')


def string(text):
    return json.dumps(text, ensure_ascii=False)


def only(files):
    """The bytes of the one file of a format that is a file."""
    (_, data), = files
    return data


def decode(data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError as what:
        raise Malformed(str(what)) from None


def written(history, outcomes=(COMMITTED, UNKNOWN)):
    """The (key, value) that transactions with one of these outcomes write."""
    return {op[1:] for txn in history.txns() if txn.outcome in outcomes
            for op in txn.ops if op[0] == 'w'}


def zero_is_initial(history, spellings=('0',), others=()):
    """Reads of 0 are of the initial state, unless a transaction that may have committed writes 0
    to the key, or the key is one of those that begin otherwise. Nor are there aborted writes of
    the initial state."""
    ordinary = written(history) | {(key, value) for key in others for value in spellings}
    for txn in history.txns():
        txn.ops = [op for op in txn.ops if op[0] != 'w' or op[2] not in spellings
                   or op[1:] in ordinary]
        txn.ops = [('r', op[1], None) if op[0] == 'r' and op[2] in spellings
                   and op[1:] not in ordinary else op for op in txn.ops]


def drop_initial(history):
    """Takes away the one session that is one transaction which only writes 0."""
    found = [name for name, txns in history.sessions.items()
             if len(txns) == 1 and txns[0].outcome == COMMITTED and txns[0].ops
             and all(op[0] == 'w' and op[2] == '0' for op in txns[0].ops)]
    if len(found) == 1:
        del history.sessions[found[0]]
