"""Increments, by docs/formats/native.md and docs/LEVELS.md. One whose sum is known, or follows from what
its own transaction did, is a read and a write. Of another one the read says nothing, and the write
leaves a version that nothing else is equal to, whose number is one of those that the key can hold."""
from verifier.levels import demand
from verifier.values import Object, Open, is_int, scalar

LEAST, MOST = -2**61, 2**61 - 1


def in_range(number):
    """A number that a key which is counted can hold."""
    demand(is_int(number) and LEAST <= number <= MOST, 'no integer of 62 bits where one is counted')
    return number


class Part:
    """An increment, as its transaction goes on."""

    def __init__(self, key, by, total):
        self.key, self.by, self.sum = key, in_range(by), total
        if total is not None:
            self.settle(total)

    def settle(self, total):
        """Tells its sum."""
        in_range(total - self.by)
        self.sum = in_range(total)


class Increments:
    """Those of a history, in which rows are transactions as their lines tell them."""

    def __init__(self, rows, initial):
        self.parts = []    # of each row, by the place of its operation
        self.open = []     # those without a sum, and whether their transactions were aborted
        self.numbers = {}  # key: the least and the greatest number that such a sum can be
        self.counted = {scalar(op[1]) for row in rows for op in row['ops'] if op[0] == 'inc'}
        self.implied = self.counted - initial.keys()
        for key in self.implied:
            initial[key] = ('int', 0)
        for key in self.counted:
            demand(initial[key][0] == 'int', 'a key that is counted begins with no number')
            in_range(initial[key][1])
        for row in rows:
            self.parts.append(self.follow(row['ops']) if self.counted else {})
            self.open += [(part, row.get('status') == 'aborted')
                          for part in self.parts[-1].values() if part.sum is None]
        if self.open:
            self.bound(rows, initial)

    def follow(self, ops):
        """The increments of a transaction, with the sums that follow."""
        parts, own = {}, {}  # own: key: what it last wrote, or increments that this rests on

        def settle(key, number):
            total = number
            for part in reversed(own[key]):
                part.settle(total)
                total -= part.by
            own[key] = number

        def read(key, told):
            if key in self.implied and told in (None, []):
                told = 0
            if key in self.counted and told is not None and told != []:
                in_range(told)
                if isinstance(own.get(key), list):
                    settle(key, told)

        for place, op in enumerate(ops):
            if op[0] in ('r', 'w') and scalar(op[1]) in self.counted and op[2:]:
                if op[0] == 'w':
                    own[scalar(op[1])] = in_range(op[2])
                elif not isinstance(op[2], Object):
                    read(scalar(op[1]), op[2])
                else:
                    demand(op[2].keys() == {'not'}, 'a row where one is counted')
            elif op[0] == 'select':
                for row in op[2]:
                    if row[1:]:
                        read(scalar(row[0]), row[1])
            elif op[0] in ('delete', 'append'):
                demand(scalar(op[1]) not in self.counted, 'a key that is counted is no number')
            elif op[0] == 'inc':
                demand(len(op) in (3, 4), 'a wrong increment')
                key = scalar(op[1])
                part = parts[place] = Part(key, op[2], in_range(op[3]) if op[3:] else None)
                before = own.get(key)
                if part.sum is not None:
                    if isinstance(before, list):
                        settle(key, part.sum - part.by)
                    own[key] = part.sum
                elif is_int(before):
                    part.settle(before + part.by)
                    own[key] = part.sum
                else:
                    own[key] = (before or []) + [part]
        return parts

    def bound(self, rows, initial):
        """Finds out between which numbers the sums lie that are not known."""
        base = {part.key: [initial[part.key][1]] for part, _ in self.open}
        for row, parts in zip(rows, self.parts):
            for op in row['ops']:
                if op[0] == 'w' and scalar(op[1]) in base:
                    base[scalar(op[1])].append(op[2])
            for part in parts.values():
                if part.sum is not None and part.key in base:
                    base[part.key].append(part.sum)
        for key, numbers in base.items():
            steps = [part.by for part, aborted in self.open if part.key == key and not aborted]
            self.numbers[key] = (max(LEAST, min(numbers) + sum(by for by in steps if by < 0)),
                                 min(MOST, max(numbers) + sum(by for by in steps if by > 0)))

    def fill_in(self, sums):
        """Takes these sums for those that are not known."""
        demand(len(sums) == len(self.open), 'another number of sums than of increments without')
        for (part, _), total in zip(self.open, sums):
            least, most = self.numbers[part.key]
            demand(least <= total <= most, 'a sum that the key cannot hold')
            part.settle(total)
        self.open, self.numbers = [], {}

    def ops(self, number, ops):
        """The operations of a row, increments as reads and writes."""
        found = []
        for place, op in enumerate(ops):
            part = self.parts[number].get(place)
            if part is None:
                begins = op[0] == 'r' and op[2:] and op[2] in (None, [])
                found.append([*op[:2], 0, *op[3:]] if begins and scalar(op[1]) in self.implied else op)
            elif part.sum is not None:
                found += [['r', op[1], part.sum - part.by], ['w', op[1], part.sum]]
            else:
                nothing = Object([('not', Open('nothing'))])
                found += [['r', op[1], nothing], ['w', op[1], Open(f'{number} {place}')]]
        return found

    def steps(self):
        """The keys that each transaction adds to, and what."""
        return [[(part.key, part.by) for part in parts.values()] for parts in self.parts]

    def only_added(self, rows):
        """Keys that are incremented, and written in no other way by who did not abort."""
        keys = set(self.counted)
        for number, row in enumerate(rows):
            places, at = set(), 0
            for place, part in sorted(self.parts[number].items()):
                places.add(place + at + 1)  # of the write: each increment is two operations
                at += 1
            if row.get('status') != 'aborted':
                keys -= {scalar(op[1]) for place, op in enumerate(row['ops'])
                         if op[0] == 'w' and place not in places}
        return keys

    def note_numbers(self, transactions):
        """What was read of numbers, before it is opened."""
        for op in (op for t in transactions for op in t.ops):
            if op.kind == 'r' and op.key in self.counted and op.value and op.value[0] == 'int':
                op.number = op.value[1]

    def open_reads(self, transactions):
        """A read of a number may be of an increment that left it."""
        for op in (op for t in transactions for op in t.ops):
            if op.key not in self.numbers or op.kind != 'r' or not op.value:
                continue
            least, most = self.numbers[op.key]
            may_be_open = least <= op.value[1] <= most

            def excludes(item, number=op.value, may_be_open=may_be_open):
                return item != number and not (may_be_open and item[0] == 'open')
            op.kind, op.either, op.match, op.excludes = 'x', op.value, True, excludes
            op.value = None

    def refuse_selection(self, condition):
        """No selection covers a key whose numbers are open."""
        demand(not any(map(condition.of_key, self.numbers)),
               'a selection of a key whose numbers are open')
