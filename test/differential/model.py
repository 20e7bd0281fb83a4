"""What all readers here make of a file: sessions of transactions of operations.

A key or a value is its JSON text (`5`, `"x"`, `true`), so that values are equal when their types and
their contents are. An operation is a tuple:

    ('w', key, value)           write of a register
    ('append', key, value)      append of an element to a list
    ('r', key, result)          read: a value, a tuple of elements, or None for the initial state
    ('r?', key)                 read whose result nobody knows
    ('r-not', key, value)       read that returned something else
    ('inc', key, number)        a number is added, and nobody knows to what
    selection(...)              all rows with columns within bounds
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
    initial: dict = dataclasses.field(default_factory=dict)  # key -> what it holds at the start

    def session(self, name):
        return self.sessions.setdefault(name, [])

    def txns(self):
        return (txn for txns in self.sessions.values() for txn in txns)


class Number(str):
    """A number that is no integer: its text is what counts."""


def selection(bounds, rows):
    """`bounds`: of each column the lowest and the highest. A row is its key, and perhaps its value."""
    return ('select', tuple(sorted(bounds.items())), tuple(rows))


def row(columns):
    """The value of a row with these columns."""
    return tuple(sorted((name, token(held)) for name, held in columns.items()))


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


def zero_is_initial(history, spellings=('0',), held=()):
    """Reads of a key's initial value are of the initial state. It is 0, an ordinary value where a
    transaction that may have committed writes it; or else in `held`, a dictionary, and nobody
    knows what a read saw where such a transaction writes it again, unless the reader wrote the
    key before. Nor are there aborted writes of the initial state."""
    again, held = written(history), dict(held)
    for txn in history.txns():
        ops, own = [], set()
        for op in txn.ops:
            if op[0] in ('r', 'w'):
                kind, key, value = op
                if value in ((held[key],) if key in held else spellings):
                    if (key, value) not in again:
                        op = ('r', key, None) if kind == 'r' else None
                    elif kind == 'r' and key in held and key not in own:
                        op = ('r?', key)
                if kind == 'w':
                    own.add(key)
            if op:
                ops.append(op)
        txn.ops = ops


def drop_initial(history):
    """Takes away the one session that is one transaction which only writes 0; what it wrote."""
    found = [name for name, txns in history.sessions.items()
             if len(txns) == 1 and txns[0].outcome == COMMITTED and txns[0].ops
             and all(op[0] == 'w' and op[2] == '0' for op in txns[0].ops)]
    return dict(op[1:] for op in history.sessions.pop(found[0])[0].ops) if len(found) == 1 else {}
