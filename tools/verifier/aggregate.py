"""Aggregates over conditions: what versions contribute, and which results are possible, by
docs/formats/certificate.md."""
from verifier.levels import demand
from verifier.values import DEAD, is_int, is_row

KINDS = ('count', 'exists', 'sum', 'min', 'max')
LEAST, MOST = -2**61, 2**61 - 1


class Aggregate:
    """A count, or another result, of all rows that meet a condition; `items`: places of the reads
    that it consists of."""

    def __init__(self, kind, condition, rest):
        self.kind, self.condition = kind, condition
        self.column, self.result, self.items = None, rest[-1] if rest else None, ()
        looks = kind in ('sum', 'min', 'max')
        demand(len(rest) == 1 or looks and len(rest) == 2 and isinstance(rest[0], str),
               'a wrong aggregate')
        if len(rest) == 2:
            self.column = rest[0]
        if kind == 'exists':
            demand(isinstance(self.result, bool), 'whether rows exist is no truth value')
        else:
            demand(is_int(self.result) or looks and self.result is None, 'a result is no number')
            demand(kind != 'count' or self.result >= 0, 'a count below 0')

    def is_of_nothing(self):
        """Whether nothing counted."""
        return self.result is None or self.kind in ('count', 'exists') and not self.result

    def part(self, key, item):
        """What a version of a row contributes; None: nothing."""
        if not item or item == DEAD or not (
                self.condition.of_key(key) and self.condition.of_value(item)):
            return None
        if self.kind in ('count', 'exists'):
            return 1
        if self.column is not None:
            item = dict(item[1]).get(self.column) if is_row(item) else None
        if item is not None:
            demand(item[0] == 'int' and LEAST <= item[1] <= MOST,
                   'sums, minima and maxima are of integers')
        return None if item is None else item[1]

    def excludes(self, key):
        """The test of what an item cannot have read, whatever the others read."""
        def test(item):
            part = self.part(key, item)
            if part is None:
                return False
            return (self.is_of_nothing() or self.kind == 'min' and part < self.result
                    or self.kind == 'max' and part > self.result)
        return test

    def may_be_right(self, items):
        """Whether the result is not ruled out, for the versions that each item may have read."""
        least = most = low = high = 0
        exact = broken = False
        for key, versions in items:
            parts = [self.part(key, item) for item in versions]
            some = [part for part in parts if part is not None]
            if not versions:
                return False
            if not some:
                continue
            all_count = len(some) == len(parts)
            least, most = least + all_count, most + 1
            low += min(some) if all_count else min(some + [0])
            high += max(some) if all_count else max(some + [0])
            exact = exact or self.result in some
            if self.result is not None and all_count:
                broken = broken or self.kind == 'min' and max(some) < self.result or (
                    self.kind == 'max' and min(some) > self.result)
        if self.kind == 'exists':
            return most > 0 if self.result else least == 0
        if self.result is None:
            return least == 0
        if self.kind == 'count':
            return least <= self.result <= most
        if self.kind == 'sum':
            return most > 0 and low <= self.result <= high
        return exact and not broken
