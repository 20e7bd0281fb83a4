"""Reads histories in the native format, by docs/formats/native.md, and tells what follows from them
alone, by the terms of docs/formats/certificate.md."""
import collections
import json
import os

from verifier.levels import Bad, demand


class Number(str):
    """A number that is no integer of 64 bits, by its text."""


class Object(dict):
    """A JSON object that knows which of its members stood more than once."""

    def __init__(self, pairs):
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = {name for name in names if names.count(name) > 1}


def no_constant(text):
    """JSON has no NaN and no infinity."""
    raise ValueError(f'{text} is not JSON')


DECODER = json.JSONDecoder(
    object_pairs_hook=Object, parse_float=Number, parse_constant=no_constant,
    parse_int=lambda text: int(text) if -2**63 <= int(text) < 2**63 else Number(text))


def decode(text, where):
    """The JSON object in a line."""
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Bad(f'{where}: {error}') from error
    demand(isinstance(value, Object), f'{where}: not an object')
    return value


def is_int(value):
    """Whether a JSON value is an integer of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool)


def scalar(value):
    """A key or value, such that equal ones are equal in Python."""
    for kind in (bool, Number, int, str):
        if isinstance(value, kind):
            return kind.__name__, kind(value)
    raise Bad(f'{json.dumps(value)} is no key or value')


def rank(key):
    """Integers come first, then strings by their bytes, then the others by their text."""
    kind, value = key
    if kind == 'int':
        return 0, value, b''
    text = value if kind != 'bool' else str(value).lower()
    return 1 + (kind != 'str'), 0, text.encode('utf-8', 'surrogatepass')


DEAD = 'dead', ''  # what a key holds after a deletion; no scalar is equal to it


class Op:
    """One operation. Kinds: w(rite; a deletion writes DEAD), a(ppend), r(ead), x (it only tells what it did not return),
    ? (a read of unknown result), - (of a key that is not looked at)."""

    def __init__(self, kind, key, value=None, step=0, fit=True, excludes=None, every=False):
        self.kind, self.key, self.value, self.step, self.fit = kind, key, value, step, fit
        self.excludes, self.every, self.left_out = excludes, every, False
        self.is_list = kind == 'a' or isinstance(value, list) and bool(value)
        self.external, self.wrong, self.seen = False, False, None

    def fits(self, state):
        """Whether an external read can have returned this state of the key."""
        if self.kind == 'x':
            return not state or not self.excludes(state)
        return (self.seen or None) == (state or None)


class Transaction:
    """One transaction: its outcome, times and operations."""

    def __init__(self, line, ops):
        self.session = str(line['session'])
        self.status = line.get('status', 'committed')
        self.start, self.end = line.get('start'), line.get('end')
        self.db_start, self.db_commit = line.get('db_start'), line.get('db_commit')
        self.level, self.ops = line.get('level'), ops
        demand(self.status in ('committed', 'aborted', 'indeterminate'), 'unknown status')
        demand(all(time is None or is_int(time) for time in (
            self.start, self.end, self.db_start, self.db_commit)), 'a time is no number')
        demand(self.level is None or isinstance(self.level, str), 'a level is no string')
        self.writes, self.reads, self.wrong = {}, [], False

    def examine(self, lists):
        """Tells external reads from internal ones and finds final writes."""
        self.writes, self.reads, self.wrong = {}, [], False
        for i, op in enumerate(self.ops):
            op.is_list = op.key in lists
            own = self.writes.get(op.key)
            if op.kind == 'w':
                self.writes[op.key] = op.value
            elif op.kind == 'a':
                self.writes[op.key] = (own or ()) + (op.value,)
            elif op.kind in 'rx':
                op.seen = None if op.value == [] else op.value
                op.external = own is None or op.is_list
                if op.is_list:
                    op.seen, own = tuple(op.value or ()), own or ()
                    op.wrong = op.seen[len(op.seen) - len(own):] != own or len(op.seen) < len(own)
                    op.external = not op.wrong
                    op.seen = op.seen[:len(op.seen) - len(own)]
                elif own is not None:
                    op.wrong = op.excludes(own) if op.kind == 'x' else own != op.value
                self.wrong |= op.wrong or not op.fit
                if op.external:
                    self.reads.append(i)

    def uses(self, key):
        """Whether it reads or writes the key."""
        return any(op.key == key and op.kind not in '?-' for op in self.ops)


def condition(spec):
    """What a selection selects, as two tests: of keys and of values."""
    demand(isinstance(spec, Object) and not spec.keys() - {'keys', 'values', 'equal'},
           'unknown condition')

    def between(name):
        low, high = spec.get(name, (None, None))
        return lambda item: low is None or (item[0] == 'int' and low <= item[1] <= high)
    value_between = between('values')
    equal = scalar(spec['equal']) if 'equal' in spec else None
    return between('keys'), lambda item: (
        item != DEAD and value_between(item) and equal in (None, item))


def plain_op(op, step):
    """An operation other than a selection."""
    kind, key, *rest = op
    key = scalar(key)
    if kind == 'delete':
        demand(not rest, 'a deletion has too much')
        return Op('w', key, DEAD, step)
    demand(len(rest) == (kind != 'r' or bool(rest)), 'an operation has too much or too little')
    if kind in ('w', 'append'):
        return Op('w' if kind == 'w' else 'a', key, scalar(rest[0]), step)
    demand(kind == 'r', f'unknown operation {kind!r}')
    if not rest:
        return Op('?', key, step=step)
    if isinstance(rest[0], Object):
        demand(rest[0].keys() == {'not'}, 'unknown kind of read')
        value = scalar(rest[0]['not'])
        return Op('x', key, step=step, excludes=lambda item: item == value)
    if isinstance(rest[0], list):
        return Op('r', key, [scalar(element) for element in rest[0]], step)
    return Op('r', key, None if rest[0] is None else scalar(rest[0]), step)


def open_nothing(transactions, version, truncated):
    """A read that found nothing may have seen a deletion, where there are deletions: it tells only
    that it returned no value. A missing record may be a deletion of any key."""
    ops = [op for t in transactions for op in t.ops]
    deleted = {op.key for op in ops if op.value == DEAD}
    lists = {op.key for op in ops if op.is_list}
    demand(version == 2 or not deleted, 'a deletion in version 1')
    for op in ops:
        if op.kind == 'x':
            op.every = op.every and version == 1
        elif op.kind == 'r' and not op.value and op.key not in lists and (
                op.key in deleted or version == 2 and truncated):
            op.kind, op.value, op.excludes = 'x', None, lambda item: item != DEAD


def read_ops(ops, written):
    """The operations of a transaction; a selection becomes reads, of its rows and then of the
    other keys that it could have returned."""
    found = []
    for step, op in enumerate(ops):
        if op[0] != 'select':
            found.append(plain_op(op, step))
            continue
        of_keys, of_values = condition(op[1])
        every = not op[1].keys() & {'values', 'equal'}
        # A key may stand there in two versions; one of them twice is the same as once.
        rows = list(dict.fromkeys((scalar(key), scalar(value)) for key, value in op[2]))
        found += [Op('r', key, value, step, of_keys(key) and of_values(value))
                  for key, value in rows]
        for key in sorted(written.keys() - dict(rows).keys(), key=rank):
            if of_keys(key) and any(map(of_values, written[key])):
                found.append(Op('x', key, None, step, True, of_values, every))
                found[-1].left_out = True
    return found


class History:
    """Transactions, and what follows from them alone."""

    def __init__(self, transactions, truncated):
        self.txns, self.truncated = transactions, truncated
        ops = [op for t in transactions for op in t.ops]
        self.keys = {op.key for op in ops}
        self.lists = {op.key for op in ops if op.is_list}
        demand(not any(op.kind in 'wx' and op.key in self.lists for op in ops),
               'a key is a register and a list')
        for t in transactions:
            t.examine(self.lists)
        self.kept = [i for i, t in enumerate(transactions) if t.status != 'aborted']
        self.writers = collections.defaultdict(list)  # key: kept transactions that write it
        self.finals = collections.defaultdict(list)   # key, last value: kept transactions
        self.wrote = collections.defaultdict(list)    # key, value: transactions, for each write
        for i, t in enumerate(transactions):
            for op in t.ops:
                if op.kind in 'wa':
                    self.wrote[op.key, op.value].append(i)
            if t.status != 'aborted':
                for key, value in t.writes.items():
                    self.writers[key].append(i)
                    self.finals[key, value[-1] if key in self.lists else value].append(i)
        self.sessions = collections.defaultdict(list)
        for i in range(len(transactions)):
            self.sessions[transactions[i].session].append(i)
        self.place = {i: p for ids in self.sessions.values() for p, i in enumerate(ids)}
        self.certain = self.spread(self.surely_read)
        self.possible = self.spread(self.maybe_read)
        self.possible_items = self.spread(self.maybe_read_item)

    def kept_writers(self, key, value):
        """Kept transactions for each of their writes of the value."""
        return [w for w in self.wrote.get((key, value), ()) if self.txns[w].status != 'aborted']

    def sources(self, reader, op):
        """Transactions whose final writes an external read can have returned."""
        if op.kind == 'x':
            found = [w for w in self.writers[op.key] if op.fits(self.txns[w].writes[op.key])]
        elif not op.seen:
            found = []
        else:
            found = self.finals.get((op.key, op.seen[-1] if op.is_list else op.seen), ())
        return [w for w in found if w != reader]

    def values(self, op):
        """Values or elements that an external read returned."""
        if op.kind == 'x' or not op.seen:
            return ()
        return op.seen if op.is_list else (op.seen,)

    def surely_read(self, reader, op):
        """Indeterminate transactions that must have taken effect if the reader did."""
        groups = [set(self.sources(reader, op))] if self.values(op) else []
        if op.is_list:
            groups += [set(self.kept_writers(op.key, e)) - {reader} for e in op.seen]
        return [w for group in groups if len(group) == 1 for w in group]

    def maybe_read(self, reader, op):
        """Transactions that may have taken effect if the reader did."""
        if op.kind == 'x':
            return self.sources(reader, op)
        return [w for value in self.values(op) for w in self.kept_writers(op.key, value)]

    def maybe_read_item(self, reader, op):
        """The same at repeatable read, which disregards what selections left out."""
        return [] if op.left_out else self.maybe_read(reader, op)

    def spread(self, step):
        """Committed transactions and all that follow from their reads, step by step."""
        todo = [i for i, t in enumerate(self.txns) if t.status == 'committed']
        found = set(todo)
        while todo:
            i = todo.pop()
            for r in self.txns[i].reads:
                new = set(step(i, self.txns[i].ops[r])) - found
                found |= new
                todo += new
        return found

    def ended_before(self, a, b, error):
        """Whether a had ended when b started."""
        a, b = self.txns[a], self.txns[b]
        return (a.status == 'committed' and a.end is not None and b.start is not None
                and b.start - a.end > error)

    def earlier_in_session(self, i):
        """Transactions before this one in its session."""
        return self.sessions[self.txns[i].session][:self.place[i]]

    def only(self, key):
        """The history without the other keys; numbers stay as they are."""
        txns = []
        for t in self.txns:
            line = dict(t.__dict__, status=t.status if t.uses(key) else 'aborted')
            txns.append(Transaction(line, [Op('-', None) if op.key != key else op
                                           for op in t.ops]))
        return History(txns, self.truncated)


def read_history(path):
    """Reads a history in the native format."""
    with open(path, 'rb') as file:
        text = file.read().rstrip(b'\0')
    lines = text.decode('utf-8').split('\n')
    objects, cut = [], False
    for n, line in enumerate(lines):
        if line.strip(' \t\r'):
            try:
                objects.append(decode(line, f'{path}:{n + 1}'))
            except Bad:
                if n + 1 < len(lines) or n == 0 or line.rstrip().endswith('}'):
                    raise
                cut = True
    demand(objects and objects[0].get('isolde') in (1, 2) and objects[0].get('kind') == 'history',
           f'{path}: not a history in the native format')
    header, *rest = objects
    open_end = header.get('ends') is True and not (rest and rest[-1].get('event') == 'end')
    demand(not open_end or not os.path.exists(path + '.inflight'),
           f'{path}: in-flight files are not read here')
    cut = cut or open_end or header.get('truncated') is True
    rows = [row for row in rest if 'event' not in row]
    written = collections.defaultdict(set)
    try:
        for row in rows:
            demand('session' in row and 'ops' in row and not row.twice & {'session', 'ops'},
                   'no transaction')
            for op in row['ops']:
                if op[0] == 'w':
                    written[scalar(op[1])].add(scalar(op[2]))
        transactions = [Transaction(row, read_ops(row['ops'], written)) for row in rows]
        open_nothing(transactions, header['isolde'], cut)
        return History(transactions, cut)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise Bad(f'{path}: {error}') from error
