"""Small random histories in the native format, of every kind of operation that it has.

A history is made by running transactions against states of a small database, each of which sees an
older state now and then, so that at most levels some histories are right and some are wrong.
"""
import json

STATED = ['serializable', 'snapshot-isolation', 'prefix-consistency', 'read-atomic',
          'read-committed', 'transactional-causal', 'monotonic-atomic-view', 'repeatable-read',
          'strong-session-snapshot-isolation', 'strong-session-read-atomic']


TESTS = [1, 2, '1', True, None, {'min': 2}, {'max': 1}, {'min': 1, 'max': 2}, {'in': [1, '1']},
         {'not': 1}, {'not': None}, {'not in': [2, 'x']}, {'in': [], 'not': 3}, {'min': 1, 'not in': [2]}]
KEYS = [[1, 2], {'in': [1]}, {'in': ['x', 1, 'nobody']}, {'not': 'x'}, {'min': 2}, {'not in': ['y', 2]},
        {'not': None}]


def passes(test, item):
    """Whether a column or a key passes a test."""
    def same(a, b):
        return type(a) is type(b) and a == b
    if isinstance(test, list):
        test = {'min': test[0], 'max': test[1]}
    if not isinstance(test, dict):
        return same(test, item)
    number = isinstance(item, int) and not isinstance(item, bool)
    return item is not None and all([
        'min' not in test or number and item >= test['min'],
        'max' not in test or number and item <= test['max'],
        'in' not in test or any(same(item, each) for each in test['in']),
        'not' not in test or not same(item, test['not']),
        not any(same(item, each) for each in test.get('not in', []))])


class Maker:
    """Makes the lines of one history."""

    def __init__(self, random, rows=None):
        self.random = random
        self.rows = random.random() < 0.4 if rows is None else rows
        self.states = [{}]
        self.count = 0
        self.registers = random.sample(['x', 'y', 'z', 1, 2, 3], random.randint(1, 3))
        self.lists = random.sample(['l', 'm'], random.choice([0, 0, 1, 1, 2]))
        self.values = random.choice([0, 0, 0, 1, 2, 3])
        self.columns = random.sample('abc', random.choice([1, 1, 2, 2, 3]))
        self.rows_only, self.alone = random.choice([1, 1, 0.8]), random.choice([0, 0.4])
        self.told_columns = random.choice([0.3, 0.6, 0.9, 1])
        self.selections = not self.lists and random.random() < (0.7 if self.rows else 0.4)
        self.aggregates = self.selections and random.random() < 0.5
        self.exclusions = random.random() < 0.15
        self.deletions = random.choice([0, 0, 0.3])
        self.staleness = random.choice([0, 0.2, 0.5, 0.8])
        self.mistakes = random.choice([0, 0, 0.05, 0.2])
        self.uncertain = random.choice([0, 0, 0.2, 0.5])
        self.statements = random.random() < 0.25  # more of what they were is told
        for key in self.registers + self.lists if random.random() < 0.3 else []:
            if random.random() < 0.7:
                self.states[0][key] = self.elements() if key in self.lists else self.value()
        self.initial = [[key, held] for key, held in self.states[0].items()]

    def elements(self):
        """What a list begins with."""
        self.count += 2
        return [self.count - 1, self.count][:self.random.randint(1, 2)]

    def value(self):
        """A value to write, new or one of a few."""
        self.count += 1
        if self.rows and self.random.random() < self.rows_only:
            return self.row()
        return self.random.randint(1, self.values) if self.values else self.count

    def row(self):
        """A row with columns."""
        row = {name: self.random.choice([1, 1, 2, None, '1', True]) for name in self.columns
               if self.random.random() < 0.9}
        if not self.values:
            row['n'] = self.count
        return row

    def told(self, row, may_be_alone):
        """What a read tells of a row."""
        random = self.random
        if random.random() < self.alone * may_be_alone:
            return []
        if random.random() < self.mistakes / 2:
            row = self.row()
        part = {name: row[name] for name in row if random.random() < self.told_columns}
        if random.random() < 0.1:
            part[random.choice('ab')] = row.get('a')
        if random.random() < 0.3:
            part = row | dict.fromkeys(set(self.columns) - row.keys())
        return [part]

    def condition(self):
        """What a selection selects."""
        random = self.random
        if not self.rows or random.random() < 0.2:
            return random.choice([{}, {'keys': [1, 2]}, {'values': [2, 9]}, {'equal': 1},
                                  {'keys': [2, 3], 'values': [1, 4]}])
        spec = {'columns': {name: random.choice(TESTS) for name in self.columns
                            if random.random() < 0.5}}
        if random.random() < 0.4:
            spec['keys'] = random.choice(KEYS)
        return spec

    def state(self):
        """The last state of the database, or an older one."""
        if self.random.random() >= self.staleness:
            return self.states[-1]
        return self.random.choice(self.states[-4:])

    def read(self, state, own):
        """A read or selection that returns what is in a state and in the own writes."""
        random = self.random
        if random.random() < 0.3:
            state = self.state()
        seen = dict(state)
        for key, value in own.items():
            seen[key] = seen.get(key, []) + value if key in self.lists else value
        seen = {key: value for key, value in seen.items() if value is not None}
        if self.selections and random.random() < 0.5:
            spec = self.condition()
            rows = [[key] + (self.told(value, True) if isinstance(value, dict) else [value])
                    for key, value in seen.items()
                    if key in self.registers and self.matches(spec, key, value)]
            random.shuffle(rows)
            if self.aggregates and random.random() < 0.6:
                return self.aggregate(spec, [seen[row[0]] for row in rows])
            return ['select', spec, rows[random.random() < self.mistakes:]]
        key = random.choice(self.registers + self.lists)
        value = seen.get(key)
        if random.random() < 0.05:
            return ['r', key]
        if random.random() < self.mistakes:
            value = [random.randint(1, 5)] if key in self.lists else self.value()
        elif random.random() < self.mistakes and isinstance(value, list):
            value = random.sample(value, random.randint(0, len(value)))
        elif self.exclusions and key in self.registers and random.random() < 0.5:
            return ['r', key, {'not': value + 1 if isinstance(value, int) else 1}]
        if isinstance(value, dict):
            return ['r', key, self.told(value, False)[0]]
        empty = value is None and random.random() < 0.1  # [] means the same as null
        return ['r', key, [] if empty else value]

    def aggregate(self, spec, values):
        """A number in place of rows; now and then a wrong one."""
        kinds = ['count', 'count', 'exists'] + ['sum', 'min', 'max'] * (not self.rows)
        kind, off = self.random.choice(kinds), self.random.random() < self.mistakes
        if kind == 'exists':
            return [kind, spec, bool(values) != off]
        if kind == 'count':
            return [kind, spec, len(values) + off]
        found = {'sum': sum, 'min': min, 'max': max}[kind](values) if values else None
        return [kind, spec, (found or 0) + 1 if off else found]

    def matches(self, spec, key, value):
        """Whether a row is selected."""
        if not passes(spec.get('keys', {}), key):
            return False
        if isinstance(value, dict):
            return not spec.keys() & {'values', 'equal'} and all(
                passes(test, value.get(name)) for name, test in spec.get('columns', {}).items())
        return (not spec.get('columns') and passes(spec.get('values', {}), value)
                and passes(spec.get('equal', value), value))

    def as_statements(self, op, seen):
        """The operation as more of its statement, or other operations for it: locks of reads, compare-and-sets,
        refused inserts."""
        random = self.random
        kind, key, *rest = op
        ops = [op]
        told = rest and not (rest[0] == {} or isinstance(rest[0], dict) and 'not' in rest[0])
        if kind in ('r', 'select') and rest and random.random() < 0.5:
            ops = [op + [{'lock': random.choice(['share', 'update'])}]]
        elif kind == 'w' and not isinstance(rest[0], dict) and random.random() < 0.5:
            expected = seen.get(key)
            if not isinstance(expected, dict):
                ops = [['cas', key, expected, rest[0], *random.choice([[], [True]])]]
        if kind == 'r' and told and key in self.registers and random.random() < 0.3:
            found = rest[0]
            if not isinstance(found, dict) and random.random() < 0.5:
                ops.append(['cas', key, self.count + 7, 1, {'found': found}])
            elif not isinstance(found, dict):
                ops.append(['cas', key, None if found else self.count + 7, 1, False])
        if random.random() < 0.3:
            ops.insert(random.randint(0, 1), ['refused', random.choice(self.registers)])
        return ops

    def transaction(self):
        """The operations of one transaction; what it writes goes into a new state."""
        random, own, ops = self.random, {}, []
        state = self.state()
        for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
            if random.random() < 0.55:
                op = self.read(state, own)
                ops += self.as_statements(op, {}) if self.statements else [op]
                continue
            key, value = random.choice(self.registers + self.lists), self.value()
            if key in self.registers and random.random() < self.deletions:
                ops.append(['delete', key])
                own[key] = None
                continue
            if isinstance(value, dict) and isinstance(state.get(key), dict) and random.random() < 0.6:
                value = state[key] | dict(random.sample(sorted(value.items()), min(len(value), 1)))
            if key in self.lists and isinstance(value, dict):
                value = self.count
            op = ['append' if key in self.lists else 'w', key, value]
            ops += self.as_statements(op, state | own) if self.statements else [op]
            own[key] = own.get(key, []) + [value] if key in self.lists else value
        return ops, own

    def lines(self):
        """The whole history."""
        random = self.random
        timed, by_database = random.random() < 0.6, random.random() < 0.4
        mixed = random.random() < 0.4
        version = 2 if (self.deletions or self.rows or self.initial or self.aggregates
                        or self.statements) else 1
        header = {'isolde': version, 'kind': 'history'}
        if self.initial:
            header['initial'] = self.initial
        if random.random() < 0.05:
            header['truncated'] = True
        yield header
        ends, now = {}, 0
        for _ in range(random.randint(1, 7)):
            ops, own = self.transaction()
            line = {'session': random.choice('abc'), 'ops': ops}
            now += random.randint(0, 4)
            line['status'] = 'committed'
            if random.random() < 0.08:
                line['status'] = 'aborted'
            elif random.random() < self.uncertain:
                line['status'] = 'indeterminate'
            if timed and random.random() < 0.95:
                line['start'] = max(now - random.randint(0, 6), 0)
                if random.random() < 0.7:
                    line['start'] = max(line['start'], ends.get(line['session'], 0))
                line['end'] = max(now, line['start']) + random.randint(0, 2)
                ends[line['session']] = line['end']
            if by_database:
                self.count += 1
                line['db_commit'] = 10 * self.count
                line['db_start'] = 10 * self.count - random.choice([1, 5, 9, 15, 25])
            if mixed:
                line['level'] = random.choice(STATED)
            if line['status'] == 'committed' or random.random() < 0.6:
                state = dict(self.states[-1])
                for key, value in own.items():
                    state[key] = state.get(key, []) + value if key in self.lists else value
                self.states.append(state)
            yield line


def make(random, rows=None):
    """The text of a random history, with rows that have columns or without."""
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n'
                   for line in Maker(random, rows).lines())


def refuse(random):
    """The text of a random history with refused inserts, also of lists and of keys that are counted."""
    text = count(random) if random.random() < 0.3 else make(random)
    header, *lines = [json.loads(line) for line in text.splitlines()]
    keys = [op[1] for line in lines for op in line['ops'] if not isinstance(op[1], dict)] or ['x']
    for line in lines:
        if random.random() < 0.5:
            line['ops'].insert(random.randint(0, len(line['ops'])), ['refused', random.choice(keys)])
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n' for line in [header | {'isolde': 2}] + lines)


def mix(random):
    """The text of a random history whose transactions all state a level, in some often repeatable read."""
    makers = [make, make, refuse, count]
    header, *lines = [json.loads(line) for line in random.choice(makers)(random).splitlines()]
    share = random.choice([0, 0.2, 0.5])
    for line in lines:
        line['level'] = 'repeatable-read' if random.random() < share else random.choice(STATED)
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n' for line in [header] + lines)


def count(random):
    """The lines of a history in which transactions add to numbers, and mostly do not learn the sums."""
    keys = random.sample(['x', 'y', 3], random.randint(1, 2))
    states = [{key: 0 for key in keys}]
    stale, known, odd = random.choice([0, 0.3]), random.choice([0.1, 0.5]), random.choice([0, 0.1])
    initial = [[key, 5] for key in keys if random.random() < 0.3]
    states[0].update((key, held) for key, held in initial)
    lines = [{'isolde': 2, 'kind': 'history', 'initial': initial}]
    for t in range(random.randint(2, 7)):
        line = {'session': random.choice('abc'), 'start': 10 * t, 'ops': [],
                'status': random.choice(['committed'] * 6 + ['aborted', 'indeterminate'])}
        line['end'] = line['start'] + random.randint(1, 25)
        seen, written = dict(random.choice(states) if random.random() < stale else states[-1]), {}
        for _ in range(random.randint(1, 3)):
            key, what = random.choice(keys), random.random()
            if what < 0.5:
                by = random.choice([1, 1, 2, -1, 10])
                seen[key] += by
                written[key] = seen[key]
                told = [seen[key]] if random.random() < known else []
                line['ops'].append(['inc', key, by] + told)
            elif what < 0.9:
                number = seen[key] + (random.random() < odd)
                line['ops'].append(['r', key, number if number or random.random() < 0.5 else None])
            else:
                seen[key] = written[key] = random.randint(0, 9)
                line['ops'].append(['w', key, seen[key]])
        if line['status'] != 'aborted':
            states.append(states[-1] | written)
        lines.append(line)
    return ''.join(json.dumps(line) + '\n' for line in lines)
