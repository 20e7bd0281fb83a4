"""Reads histories in the native format, by docs/formats/native.md, and tells what follows from them
alone, by the terms of docs/formats/certificate.md."""
import collections
import functools
import os

from verifier.aggregate import KINDS, Aggregate
from verifier.increment import Increments
from verifier.levels import CURRENT, LEVELS, Bad, demand
from verifier.values import (DEAD, Condition, Object, columns, decode, is_int, is_row, plain,
                             scalar, value, versioned)
from verifier.written import Written


class Op:
    """One operation. Kinds: w(rite; a deletion writes DEAD), a(ppend), r(ead), x (a partial read: an exclusion,
    or a match), ? (a read of unknown result), - (of a key that is not looked at)."""

    def __init__(self, kind, key, value=None, step=0, fit=True, excludes=None, every=False):
        self.kind, self.key, self.value, self.step, self.fit = kind, key, value, step, fit
        self.excludes, self.every, self.left_out, self.match = excludes, every, False, False
        self.is_list = kind == 'a' or isinstance(value, list) and bool(value)
        self.version = None
        self.external, self.wrong, self.seen, self.own, self.cells = False, False, None, None, {}
        self.some = False  # a refused insert that counts: a read of some row
        self.begin = None  # what the key held before all transactions, where that matters
        self.number = None  # that it read, of a key that is incremented
        self.either = None  # that, where the read of it may be of a write of the same value

    @property
    def first(self):
        """Whether a partial read can have returned the initial value."""
        return not self.match if self.begin is None else not self.excludes(self.begin)

    @property
    def passed_over(self):
        """Whether repeatable read disregards it."""
        return self.left_out and self.first

    @property
    def told(self):
        """The value that a read returned as a whole; None of lists."""
        if self.kind != 'r' or isinstance(self.value, list):
            return self.either
        return self.value or self.begin

    def holds(self, state):
        """The version that a register holds in this state."""
        return state or self.begin

    def fits(self, state):
        """Whether an external read can have returned this state of the key."""
        if self.kind == 'x':
            return not self.excludes(state) if state else self.first
        return (self.seen or None) == (state or None)


class Transaction:
    """One transaction: its outcome, times and operations."""

    def __init__(self, line, ops, selections=()):
        self.selections = selections  # an aggregate each, or None for a selection of rows
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
        self.by_key = collections.defaultdict(list)  # operations but those of unknown result
        for op in ops:
            if op.kind not in '?-':
                self.by_key[op.key].append(op)

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
                op.seen, op.own = None if op.value == [] else op.value, own
                op.external = own is None or op.is_list
                if op.is_list:
                    op.seen, own = tuple(op.value or ()), own or ()
                    op.wrong = op.seen[len(op.seen) - len(own):] != own or len(op.seen) < len(own)
                    op.external = not op.wrong
                    op.seen = op.seen[:len(op.seen) - len(own)]
                elif own is not None:
                    op.wrong = not op.fits(own)
                self.wrong |= op.wrong or not op.fit
                if op.external:
                    self.reads.append(i)

    def uses(self, key):
        """Whether it reads or writes the key."""
        return key in self.by_key


def read_of_row(key, told, step, known, condition=None):
    """A read of some columns of a row; of none where only is known that there was one. It tells the row
    as a whole, or is a match."""
    cells = columns(told)
    fit = condition is None or condition.of_key(key)
    if known.tells_all(key, cells):
        item = value(told)
        return Op('r', key, item, step, fit and (not condition or condition.of_value(item)))
    if cells and condition:
        fit = fit and not condition.scalars and condition.of_cells(cells)

    def returned(item):
        if item is None or item == DEAD or condition and not condition.of_value(item):
            return False
        return not cells or is_row(item) and all(
            dict(item[1]).get(name) == cell for name, cell in cells.items())
    op = Op('x', key, None, step, fit, lambda item: not returned(item))
    op.match, op.cells = True, cells
    return op


def version_of(spec):
    """The database's own name of a version, behind the value that it is of."""
    demand(isinstance(spec, Object) and spec.keys() == {'version'} and not spec.twice,
           'a wrong version')
    return scalar(spec['version'])


def spelled_out(op):
    """The operation as those that it stands for: without the lock, which says nothing of what was
    read; a compare-and-set as reads and writes. A refused insert waits for settle_refused()."""
    kind, *rest = op
    if kind in ('r', 'select') and len(rest) == 3 and isinstance(rest[2], Object) and 'lock' in rest[2]:
        demand(rest[2].keys() <= {'lock', 'version'} and not rest[2].twice
               and rest[2]['lock'] in ('share', 'update'), 'a wrong lock')
        left = Object([(name, part) for name, part in rest[2].items() if name != 'lock'])
        return [[kind, *rest[:2], *([left] if left else [])]]
    if kind == 'refused':
        demand(len(rest) == 1, 'a wrong refused insert')
        return [op]
    if kind != 'cas':
        return [op]
    demand(len(rest) in (3, 4) and rest[2] is not None, 'a wrong compare-and-set')
    key, expected, new, *how = rest
    if not how or how[0] is True:
        return [['r', key, expected], ['w', key, new]]
    if how[0] is False:
        return [['r', key, Object([]) if expected is None else Object([('not', expected)])]]
    demand(isinstance(how[0], Object) and how[0].keys() == {'found'} and not how[0].twice
           and how[0]['found'] != expected, 'a wrong compare-and-set')
    return [['r', key, how[0]['found']]]


def settle_refused(rows, initial, opened, level):
    """Refused inserts as reads: of some row where they count at the level, else of unknown result."""
    lists = {key for key, held in initial.items() if isinstance(held, list)}
    lists |= {scalar(op[1]) for row in rows for op in row['ops']
              if op[0] == 'append' or op[0] == 'r' and op[2:] and op[2] and isinstance(op[2], list)}

    def settled(row, op):
        if op[0] != 'refused':
            return op
        own = LEVELS.get(row.get('level')) if level and level.base == 'mixed' else level
        counts = own and own.base in CURRENT and row.get('status') != 'aborted'
        return [('some' if counts and scalar(op[1]) not in lists | opened else 'r'), op[1]]
    return [Object(list({**row, 'ops': [settled(row, op) for op in row['ops']]}.items())) for row in rows]


def plain_op(op, step, known):
    """An operation other than a selection."""
    kind, key, *rest = op
    if kind in ('r', 'w') and len(rest) == 2 or kind == 'delete' and len(rest) == 1:
        demand(known.version == 2, 'a version in version 1')
        version = version_of(rest.pop())
        found = plain_op([kind, key, *rest], step, known)
        demand(found.kind in 'wrx' and found.value is not None or found.match,
               'a version of nothing')
        found.version = version
        return found
    key = scalar(key)
    if kind == 'some':
        found = Op('x', key, None, step, True, lambda item: item is None or item == DEAD)
        found.match = found.some = True
        return found
    if kind == 'delete':
        demand(not rest, 'a deletion has too much')
        return Op('w', key, DEAD, step)
    demand(len(rest) == (kind != 'r' or bool(rest)), 'an operation has too much or too little')
    if kind in ('w', 'append'):
        written = value(rest[0]) if kind == 'w' else scalar(rest[0])
        return Op('w' if kind == 'w' else 'a', key, written, step)
    demand(kind == 'r', f'unknown operation {kind!r}')
    if not rest:
        return Op('?', key, step=step)
    if isinstance(rest[0], Object):
        if rest[0].keys() != {'not'}:
            return read_of_row(key, rest[0], step, known)
        other = scalar(rest[0]['not'])
        return Op('x', key, step=step, excludes=lambda item: plain(item) == other)
    if isinstance(rest[0], list):
        return Op('r', key, [scalar(element) for element in rest[0]], step)
    return Op('r', key, None if rest[0] is None else scalar(rest[0]), step)


def begin_with(transactions, initial):
    """Takes reads for what they say of initial contents. A read of the initial value is one of null,
    or one of either where it is written, too; null was there after a deletion only. Of a list counts
    what is behind its first elements; where these are not in front, an element of nobody's is."""
    ops = [op for t in transactions for op in t.ops if op.key in initial]
    again = {op.key for op in ops if op.kind == 'w' and op.value == initial[op.key]}
    for op in ops:
        held = initial[op.key]
        if isinstance(held, list):
            shown = op.value or []
            if op.kind == 'r':
                fits = isinstance(shown, list) and shown[:len(held)] == held
                op.value = shown[len(held):] if fits else [('nobody', '')] + list(shown)
            op.is_list = True
            continue
        op.begin = held
        demand(op.kind != 'a' and not (op.kind == 'r' and isinstance(op.value, list) and op.value),
               'a key is a register and a list')
        if op.kind == 'r' and not op.value:
            op.kind, op.value, op.excludes = 'x', None, lambda item: item != DEAD
        elif op.kind == 'r' and op.value == held and op.key in again:
            op.kind, op.value, op.match, op.either = 'x', None, True, held
            op.excludes = lambda item, held=held: item != held
        elif op.kind == 'r' and op.value == held:
            op.value = None


def read_initial(header):
    """What keys held before all transactions: a value, or a list of elements."""
    initial = {}
    for key, held in header.get('initial', []):
        demand(scalar(key) not in initial and held != [] and header['isolde'] == 2,
               'wrong initial contents')
        initial[scalar(key)] = ([scalar(element) for element in held]
                                if isinstance(held, list) else value(held))
    return initial


def open_nothing(transactions, version, truncated):
    """A read that found nothing may have seen a deletion, where there are deletions: it tells only
    that it returned no value. A missing record may be a deletion of any key."""
    ops = [op for t in transactions for op in t.ops]
    deleted = {op.key for op in ops if op.value == DEAD}
    lists = {op.key for op in ops if op.is_list}
    demand(version == 2 or not deleted, 'a deletion in version 1')
    for op in ops:
        demand(version == 2 or not op.match and not (op.value and is_row(op.value)),
               'a row in version 1')
        if op.kind == 'x':
            op.every = op.every and version == 1
        elif op.kind == 'r' and not op.value and op.key not in lists and op.begin is None and (
                op.key in deleted or version == 2 and truncated):
            op.kind, op.value, op.excludes = 'x', None, lambda item: item != DEAD


def read_ops(row, known):
    """The operations of a transaction; a selection becomes reads, of its rows and then of the
    other keys that it could have returned, of which one that aborted tells nothing. And its
    selections."""
    found, selections = [], []
    aborted = row.get('status') == 'aborted'

    def left_out(spec, condition):
        return () if aborted else known.selected(spec, condition)

    for step, op in enumerate(row['ops']):
        if op[0] in KINDS:
            demand(known.version == 2, 'an aggregate in version 1')
            aggregate = Aggregate(op[0], Condition(op[1]), op[2:])
            first = len(found)
            for key in left_out(op[1], aggregate.condition):
                found.append(Op('x', key, None, step, True, aggregate.excludes(key)))
                found[-1].left_out = True
                for item in known.values[key]:
                    aggregate.part(key, item)
            aggregate.items = range(first, len(found))
            selections.append(aggregate)
            continue
        if op[0] != 'select':
            found.append(plain_op(op, step, known))
            continue
        selections.append(None)
        _, spec, rows = op
        condition, keys = Condition(spec), {scalar(row[0]) for row in rows}
        demand(known.version == 2 or 'columns' not in spec and isinstance(
            spec.get('keys', []), list), 'a test of columns or keys in version 1')
        # A key may stand there in two versions; one of them twice is the same as once.
        seen = set()
        for key, *told in rows:
            demand(len(told) < 3, 'a row has too much')
            version = version_of(told[1]) if len(told) == 2 else None
            key, told = scalar(key), told[0] if told else Object([])
            is_plain = not isinstance(told, Object)
            item = scalar(told) if is_plain else frozenset(columns(told).items())
            if (key, item, version) in seen:
                continue
            seen.add((key, item, version))
            found.append(Op('r', key, item, step, condition.of_key(key) and condition.of_value(item))
                         if is_plain else read_of_row(key, told, step, known, condition))
            found[-1].version = version
        for key in left_out(spec, condition):
            if key not in keys:
                found.append(Op('x', key, None, step, True, condition.of_value, condition.every))
                found[-1].left_out = True
    return found, selections


def repeats(transactions, initial):
    """Whether some value, or element, of a key occurs twice; deletions are none."""
    values = collections.Counter((key, item) for key, held in initial.items()
                                 for item in (held if isinstance(held, list) else [held]))
    values.update((op.key, op.value) for t in transactions for op in t.ops
                  if op.kind in 'wa' and op.value != DEAD)
    return any(count > 1 for count in values.values())


def tells(op):
    """Whether an operation wrote or returned something."""
    return op.kind in 'wa' and op.value != DEAD or op.match or op.kind == 'r' and bool(
        op.value or op.begin)


class Truster:
    """Takes versions for true: what a version is known of gets a value of this version alone."""

    def __init__(self, transactions, truncated):
        self.truncated = truncated
        self.writes = collections.defaultdict(list)    # key, version: transaction, write
        self.versions = collections.defaultdict(set)   # key, value: versions, perhaps None
        self.original = {}                             # operation: value as it is in the file
        for t in transactions:
            for op in t.ops:
                if op.kind == 'w':
                    self.collect(t, op)
        for t in transactions:
            self.resolve(t)

    def collect(self, t, write):
        """A write and what it is called."""
        value, version = write.value, write.version
        self.original[write] = value
        if version is None:
            self.versions[write.key, value].add(None)
            return
        known = self.writes[write.key, version]
        demand(not known or known[0][0] is t, 'two transactions wrote one version')
        known.append((t, write))
        self.versions[write.key, value].add(version)
        if value != DEAD:
            write.value = versioned(value, version)

    def resolve(self, t):
        """The reads of a transaction."""
        own = {}
        for op in t.ops:
            if op.kind == 'w':
                own[op.key] = op
            elif op.told is not None:
                self.resolve_read(t, op, own.get(op.key))
            elif op.match and op.version is not None:
                self.resolve_match(t, op, own.get(op.key))

    def may_be_own(self, t, op, own):
        """Whether a read may be of its transaction's own last write, as far as versions tell."""
        if own is None or op.version is None or op.version == own.version:
            return own is not None
        others = [writer for writer, _ in self.writes.get((op.key, op.version), ()) if writer is not t]
        return own.version is None and not others

    def resolve_read(self, t, op, own):
        """A read that told a value, or a whole row. What a key held at the start has no version that is
        told, so a read of it has one that nobody wrote, or none."""
        told, starts = op.told, op.told == op.begin
        versions = self.versions.get((op.key, told), set())
        if self.may_be_own(t, op, own) and self.original[own] == told:
            if own.version is not None:
                self.become(op, own.value)
        elif op.version is None:
            is_one = len(versions) == 1 and not starts
            demand(versions <= {None} or is_one or t.status == 'aborted',
                   'a read without a version, where the value has several')
            if is_one and None not in versions:
                self.become(op, versioned(told, *versions))
        elif (op.key, op.version) in self.writes:
            demand(op.version in versions, 'the version is of another value')
            self.become(op, versioned(told, op.version))
        elif versions and None not in versions and not self.truncated:
            demand(starts, 'nobody wrote the version')
            self.become(op, None)

    @staticmethod
    def become(op, value):
        """A read of this value and no other; None: of what the key held at the start."""
        op.kind, op.match, op.excludes, op.either, op.value = 'r', False, None, None, value

    def resolve_match(self, t, op, own):
        """A read of a row in part: that of the version as a whole."""
        if self.may_be_own(t, op, own) and not op.excludes(self.original[own]):
            return
        writes = self.writes.get((op.key, op.version), [])
        fitting = [write for _, write in writes if not op.excludes(self.original[write])]
        demand(fitting or not writes, 'the version is of another row')
        if fitting:
            self.become(op, fitting[-1].value)


class History:
    """Transactions, and what follows from them alone."""
    open = 0  # increments whose sums are not known

    def __init__(self, transactions, truncated, may_repeat=False, may_lack_deletions=False):
        self.txns, self.truncated, self.may_repeat = transactions, truncated, may_repeat
        self.may_lack_deletions = may_lack_deletions
        ops = [op for t in transactions for op in t.ops]
        self.keys = {op.key for op in ops}
        self.lists = {op.key for op in ops if op.is_list}
        demand(not any(op.kind in 'wx' or op.kind == 'r' and isinstance(op.value, tuple)
                       for op in ops if op.key in self.lists), 'a key is a register and a list')
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
        self.rows = {}  # key: name and value of a column: kept transactions that last wrote such a row
        self.unsure = {key: [i for i in ids if transactions[i].status != 'committed']
                       for key, ids in self.writers.items()}  # key: indeterminate ones

    @functools.cached_property
    def certain(self):
        """Transactions that certainly took effect."""
        return self.spread(self.surely_read)

    @functools.cached_property
    def possible(self):
        """Transactions that possibly took effect."""
        return self.spread(self.maybe_read)

    @functools.cached_property
    def possible_items(self):
        """The same at repeatable read, which disregards what selections left out."""
        return self.spread(lambda reader, op: [] if op.passed_over else self.maybe_read(reader, op))

    @functools.cached_property
    def users(self):
        """The kept transactions that use each key."""
        found = collections.defaultdict(list)
        for i in self.kept:
            for key in self.txns[i].by_key:
                found[key].append(i)
        return found

    def kept_writers(self, key, value):
        """Kept transactions for each of their writes of the value."""
        return [w for w in self.wrote.get((key, value), ()) if self.txns[w].status != 'aborted']

    def each_source(self, reader, op):
        """Transactions whose final writes an external read can have returned, one after the other."""
        if op.kind == 'x':
            for w in self.candidates(op):
                if w != reader and op.fits(self.txns[w].writes[op.key]):
                    yield w
        elif op.seen:
            for w in self.finals.get((op.key, op.seen[-1] if op.is_list else op.seen), ()):
                if w != reader:
                    yield w

    def candidates(self, op):
        """Kept transactions among which are all sources of a partial read. For a match these are those
        that last wrote a row that holds what it read in one of its columns."""
        if op.key not in self.rows:
            self.rows[op.key] = collections.defaultdict(list)
            for w in self.writers.get(op.key, ()):
                final = self.txns[w].writes[op.key]
                for cell in final[1] if is_row(final) else ():
                    self.rows[op.key][cell].append(w)
        found = [self.rows[op.key].get(cell, ()) for cell in op.cells.items() if cell[1] is not None]
        return min(found, key=len, default=self.writers.get(op.key, ()))

    def sources(self, reader, op):
        """The same as a list."""
        return list(self.each_source(reader, op))

    def is_doubtful(self, op):
        """Whether a missing record may have written what an external read returned."""
        return self.may_repeat and op.kind == 'r' and (
            bool(op.seen) or op.begin is not None and not op.is_list)

    def values(self, op):
        """Values or elements that an external read returned."""
        if op.kind == 'x' or not op.seen:
            return ()
        return op.seen if op.is_list else (op.seen,)

    def unsure_sources(self, reader, op):
        """Those of the sources of a partial read that are indeterminate."""
        return [w for w in self.unsure.get(op.key, ()) if w != reader
                and op.fits(self.txns[w].writes[op.key])]

    def surely_read(self, reader, op):
        """Indeterminate transactions that must have taken effect if the reader did."""
        if op.kind == 'x' and (op.first or self.truncated or not self.unsure_sources(reader, op)):
            return []
        if self.is_doubtful(op):
            return []
        groups = [set(self.sources(reader, op))]
        if op.is_list:
            groups += [set(self.kept_writers(op.key, e)) for e in op.seen]
        return [w for group in groups if len(group) == 1 for w in group]

    def maybe_read(self, reader, op):
        """Indeterminate transactions that may have taken effect if the reader did, and others."""
        if op.kind == 'x':
            return self.unsure_sources(reader, op)
        return [w for value in self.values(op) for w in self.kept_writers(op.key, value)]

    def spread(self, step):
        """Committed transactions and all that follow from their reads, step by step."""
        todo = [i for i, t in enumerate(self.txns) if t.status == 'committed']
        found = set(todo)
        while todo:
            i = todo.pop()
            for op in map(self.txns[i].ops.__getitem__, self.txns[i].reads):
                if self.unsure.get(op.key):
                    new = set(step(i, op)) - found
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
        return History(txns, self.truncated, self.may_repeat, self.may_lack_deletions)


def read_lines(path):
    """The header of a history in the native format, its transactions, and whether it is cut off."""
    with open(path, 'rb') as file:
        text = file.read().rstrip(b'\0')
    demand(not text.startswith(b'ISOLDEB1'), f'{path}: make it text by isolde convert --to native')
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
    return header, [row for row in rest if 'event' not in row], cut


def read_history(path, trust=False):
    """Reads a history in the native format, with its versions taken for true if it is to trust them."""
    header, rows, cut = read_lines(path)

    def made(sums=None, level=None):
        try:
            return history_of(header, rows, cut, trust, sums, level)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise Bad(f'{path}: {error}') from error
    history = made()
    history.told = made
    return history


def history_of(header, rows, cut, trust, sums=None, level=None):
    """The history that lines tell, with these sums of increments that tell none, and as the level
    reads refused inserts; without a level they say nothing."""
    written, visible = collections.defaultdict(set), collections.defaultdict(set)
    for row in rows:
        demand('session' in row and 'ops' in row and not row.twice & {'session', 'ops'},
               'no transaction')
    refused = any(op[0] == 'refused' for row in rows for op in row['ops'])
    demand(header['isolde'] == 2
           or not refused and all(spelled_out(op) == [op] for row in rows for op in row['ops']),
           'a lock, a compare-and-set or a refused insert in version 1')
    rows = [Object(list({**row, 'ops': [part for op in row['ops'] for part in spelled_out(op)]}.items()))
            for row in rows]
    initial = read_initial(header)
    increments = Increments(rows, initial)
    demand(header['isolde'] == 2 or not increments.counted, 'an increment in version 1')
    opened = set(increments.numbers)
    if sums is not None:
        increments.fill_in(sums)
    rows = [Object(list({**row, 'ops': increments.ops(number, row['ops'])}.items()))
            for number, row in enumerate(rows)]
    rows = settle_refused(rows, initial, opened, level)
    for row in rows:
        for op in row['ops']:
            if op[0] == 'w':
                key, item = scalar(op[1]), value(op[2])
                written[key].add(item)
                if row.get('status') != 'aborted':
                    visible[key].add(item)
            elif op[0] == 'select' or op[0] in KINDS:
                increments.refuse_selection(Condition(op[1]))
    for key, held in initial.items():
        if not isinstance(held, list):
            written[key].add(held)
            visible[key].add(held)
    known = Written(header['isolde'], cut, written, visible)
    transactions = [Transaction(row, *read_ops(row, known)) for row in rows]
    increments.note_numbers(transactions)
    increments.open_reads(transactions)
    begin_with(transactions, initial)
    open_nothing(transactions, header['isolde'], cut)
    may_repeat = cut and (bool(increments.counted) or repeats(transactions, initial))
    if trust:
        demand(not increments.open, 'versions do not tell which sums are not known')
        may_repeat = may_repeat and any(
            op.version is None and tells(op) for t in transactions for op in t.ops)
        Truster(transactions, cut)
    history = History(transactions, cut, may_repeat, cut and header['isolde'] == 2)
    history.open, history.initial = len(increments.open), initial
    history.added, history.only_added = increments.steps(), increments.only_added(rows)
    history.refused = refused
    return history
