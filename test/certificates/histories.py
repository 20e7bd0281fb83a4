"""Small random histories in the native format, of every kind of operation that it has.

A history is made by running transactions against states of a small database, each of which sees an
older state now and then, so that at most levels some histories are right and some are wrong.
"""
import json

STATED = ['serializable', 'snapshot-isolation', 'prefix-consistency', 'read-atomic',
          'read-committed', 'transactional-causal', 'monotonic-atomic-view', 'repeatable-read',
          'strong-session-snapshot-isolation', 'strong-session-read-atomic']


class Maker:
    """Makes the lines of one history."""

    def __init__(self, random):
        self.random = random
        self.states = [{}]
        self.count = 0
        self.registers = random.sample(['x', 'y', 'z', 1, 2, 3], random.randint(1, 3))
        self.lists = random.sample(['l', 'm'], random.choice([0, 0, 1, 1, 2]))
        self.values = random.choice([0, 0, 0, 1, 2, 3])
        self.selections = not self.lists and random.random() < 0.4
        self.exclusions = random.random() < 0.15
        self.deletions = random.choice([0, 0, 0.3])
        self.staleness = random.choice([0, 0.2, 0.5, 0.8])
        self.mistakes = random.choice([0, 0, 0.05, 0.2])
        self.uncertain = random.choice([0, 0, 0.2, 0.5])

    def value(self):
        """A value to write, new or one of a few."""
        self.count += 1
        return self.random.randint(1, self.values) if self.values else self.count

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
            spec = random.choice([{}, {'keys': [1, 2]}, {'values': [2, 9]}, {'equal': 1},
                                  {'keys': [2, 3], 'values': [1, 4]}])
            rows = [[key, value] for key, value in seen.items()
                    if key in self.registers and self.matches(spec, key, value)]
            random.shuffle(rows)
            return ['select', spec, rows[random.random() < self.mistakes:]]
        key = random.choice(self.registers + self.lists)
        value = seen.get(key)
        if random.random() < 0.05:
            return ['r', key]
        if random.random() < self.mistakes:
            value = [random.randint(1, 5)] if key in self.lists else random.randint(1, 9)
        elif random.random() < self.mistakes and isinstance(value, list):
            value = random.sample(value, random.randint(0, len(value)))
        elif self.exclusions and key in self.registers and random.random() < 0.5:
            return ['r', key, {'not': value + 1 if value else 1}]
        empty = value is None and random.random() < 0.1  # [] means the same as null
        return ['r', key, [] if empty else value]

    def matches(self, spec, key, value):
        """Whether a row is selected."""
        def inside(name, item):
            low, high = spec.get(name, (None, None))
            return low is None or isinstance(item, int) and low <= item <= high
        return (inside('keys', key) and inside('values', value)
                and spec.get('equal', value) == value)

    def transaction(self):
        """The operations of one transaction; what it writes goes into a new state."""
        random, own, ops = self.random, {}, []
        state = self.state()
        for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
            if random.random() < 0.55:
                ops.append(self.read(state, own))
                continue
            key, value = random.choice(self.registers + self.lists), self.value()
            if key in self.registers and random.random() < self.deletions:
                ops.append(['delete', key])
                own[key] = None
                continue
            ops.append(['append' if key in self.lists else 'w', key, value])
            own[key] = own.get(key, []) + [value] if key in self.lists else value
        return ops, own

    def lines(self):
        """The whole history."""
        random = self.random
        timed, by_database = random.random() < 0.6, random.random() < 0.4
        mixed = random.random() < 0.4
        header = {'isolde': 2 if self.deletions else 1, 'kind': 'history'}
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


def make(random):
    """The text of a random history."""
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n'
                   for line in Maker(random).lines())
