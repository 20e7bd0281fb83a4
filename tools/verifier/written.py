"""What a history writes to each key, and which keys a condition can select, by an index on keys, on
columns and on values. docs/formats/certificate.md tells which keys a selection leaves out."""
import bisect

from verifier.values import is_row, rank


class Index:
    """Places by what is there. Each thing is there once for each place."""

    def __init__(self, pairs):
        pairs, self.places = set(pairs), {}
        for item, place in pairs:
            self.places.setdefault(item, []).append(place)
        self.numbers = sorted((item[1], place) for item, place in pairs if item[0] == 'int')

    def count(self, test):
        """How many places `find` returns; None where a test does not say what to look for."""
        if test.some is not None:
            return sum(len(self.places.get(item, ())) for item in test.some)
        if test.ends:
            first, last = self.ends(test)
            return last - first
        return None

    def find(self, test):
        """Places of all things that can pass a test, and perhaps others."""
        if test.some is not None:
            return {place for item in test.some for place in self.places.get(item, ())}
        first, last = self.ends(test)
        return {place for _, place in self.numbers[first:last]}

    def ends(self, test):
        """Where the integers begin and end that can pass a test."""
        low, high = test.ends
        first = bisect.bisect_left(self.numbers, (low,))
        return first, max(first, bisect.bisect_left(self.numbers, (high + 1,)))


class Written:
    """Values, rows among them, that some transaction writes to each key, whatever its outcome, and that
    it held at the start. `visible`: those of transactions that did not abort, and those held at the
    start, which are all that a selection can have seen."""

    def __init__(self, version, cut, values, visible):
        self.version, self.cut, self.values, self.visible = version, cut, values, visible
        self.keys = sorted(values, key=rank)
        self.columns = {key: self.all_columns(items) for key, items in values.items()}
        self.indexes, self.answers = {}, {}

    @staticmethod
    def all_columns(items):
        """The columns of the rows of a key; None where some value is none."""
        if all(map(is_row, items)):
            return {name for item in items for name, _ in item[1]}
        return None

    def tells_all(self, key, cells):
        """Whether a read that names these columns tells the row as a whole."""
        needed = self.columns.get(key, set())
        return not self.cut and needed is not None and needed <= cells.keys()

    def index(self, what):
        """The index on keys ('keys'), on scalars ('scalars') or on a column; made when it is needed first.
        A place is the number of a key."""
        if what not in self.indexes:
            if what == 'keys':
                pairs = ((key, place) for place, key in enumerate(self.keys))
            elif what == 'scalars':
                pairs = ((item, place) for place, key in enumerate(self.keys)
                         for item in self.visible.get(key, ()) if not is_row(item))
            else:
                pairs = ((cell, place) for place, key in enumerate(self.keys)
                         for item in self.visible.get(key, ()) if is_row(item)
                         for name, cell in item[1] if name == what[1])
            self.indexes[what] = Index(pairs)
        return self.indexes[what]

    def places(self, condition):
        """Numbers of keys, in order, among which are all that a condition can select."""
        tests = [('keys', condition.keys)] + [('scalars', test) for test in condition.scalars]
        tests += [(('column', name), test) for name, test in condition.columns.items()]
        choices = [(self.index(what).count(test), n) for n, (what, test) in enumerate(tests)
                   if test.some is not None or test.ends]
        if not choices:
            return range(len(self.keys))
        what, test = tests[min(choices)[1]]
        return sorted(self.index(what).find(test))

    def selected(self, spec, condition):
        """The keys that meet a condition, and have a value that does, in order. Equal
        conditions are looked up once."""
        name = repr(spec)
        if name not in self.answers:
            keys = [self.keys[place] for place in self.places(condition)]
            self.answers[name] = [key for key in keys if condition.of_key(key) and any(
                map(condition.of_value, self.visible.get(key, ())))]
        return self.answers[name]
