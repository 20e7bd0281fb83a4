"""Values of the native format, which may be rows with columns, and what conditions select of them, by
docs/formats/native.md."""
import json

from verifier.levels import Bad, demand


class Number(str):
    """A number that is no integer of 64 bits, by its text."""

    def __repr__(self):
        return f'Number({super().__repr__()})'


class Open(str):
    """In place of the number that an increment left, where that is not known."""


class Object(dict):
    """A JSON object that knows which of its members stood more than once."""
    twice = frozenset()

    def __init__(self, pairs):
        super().__init__(pairs)
        if len(self) < len(pairs):
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


KINDS = {bool: 'bool', Number: 'Number', int: 'int', str: 'str', Open: 'open'}


def scalar(value):
    """A key or value, such that equal ones are equal in Python."""
    if type(value) not in KINDS:
        raise Bad(f'{json.dumps(value)} is no key or value')
    return KINDS[type(value)], value


def rank(key):
    """Integers come first, then strings by their bytes, then the others by their text."""
    kind, value = key
    if kind == 'int':
        return 0, value, b''
    text = value if kind != 'bool' else str(value).lower()
    return 1 + (kind != 'str'), 0, text.encode('utf-8', 'surrogatepass')


DEAD = 'dead', ''  # what a key holds after a deletion; no value is equal to it


def columns(spec):
    """The columns that a row names, also those that hold null."""
    demand(not spec.twice, 'a column stands twice')
    demand('not' not in spec, 'a column is called "not"')
    return {name: None if cell is None else scalar(cell) for name, cell in spec.items()}


def value(item):
    """A value as it is written: a scalar, or a row without the columns that hold null."""
    if not isinstance(item, Object):
        return scalar(item)
    return 'row', frozenset(cell for cell in columns(item).items() if cell[1] is not None)


def plain(item):
    """A value without the version that it may be known to be of."""
    return item[:2]


def versioned(item, version):
    """A value of one version: equal to those of the same version only."""
    return *item[:2], version


def is_row(item):
    """Whether a value is a row with columns."""
    return item[0] == 'row'


class Test:
    """A test of a column, a key or a value. `some`: the only ones that can pass; `ends`: integers, the
    only ones that can pass lie between; None: nothing is known."""

    def __init__(self, passes, some=None, ends=None):
        self.passes, self.some, self.ends = passes, some, ends


def between(low, high):
    """A test: an integer from low to high."""
    demand(all(is_int(end) and -2**61 <= end < 2**61 for end in (low, high)), 'a wrong bound')
    return Test(lambda item: item is not None and item[0] == 'int' and low <= item[1] <= high,
                ends=(low, high))


def equal_to(only):
    """A test: this scalar."""
    only = scalar(only)
    return Test(lambda item: item == only, some={only})


def test_of(spec):
    """A test of a column or a key. Null passes no test but that of null."""
    if spec is None:
        return Test(lambda item: item is None)
    if not isinstance(spec, Object):
        return equal_to(spec)
    demand(spec and not spec.twice and not spec.keys() - {'min', 'max', 'in', 'not', 'not in'},
           'an unknown test')
    parts, some, ends = [], None, None
    if spec.keys() & {'min', 'max'}:
        parts.append(between(spec.get('min', -2**61), spec.get('max', 2**61 - 1)))
        ends = parts[0].ends
    if 'in' in spec:
        some = {scalar(item) for item in spec['in']}
        parts.append(Test(lambda item: item in some))
    none = {scalar(item) for item in spec.get('not in', ())}
    none |= {scalar(spec['not'])} if spec.get('not') is not None else set()
    return Test(lambda item: item is not None and item not in none and all(
        part.passes(item) for part in parts), some, ends)


class Condition:
    """What a selection selects."""

    def __init__(self, spec):
        demand(isinstance(spec, Object) and not spec.twice
               and not spec.keys() - {'keys', 'values', 'equal', 'columns'}, 'unknown condition')
        keys, tests = spec.get('keys', Object([('not', None)])), spec.get('columns', Object([]))
        demand(isinstance(tests, Object) and not tests.twice and 'not' not in tests,
               'wrong columns in a condition')
        self.keys = between(*keys) if isinstance(keys, list) else test_of(keys)
        self.columns = {name: test_of(test) for name, test in tests.items()}
        self.scalars = [between(*spec['values'])] if 'values' in spec else []
        self.scalars += [equal_to(spec['equal'])] if 'equal' in spec else []
        self.every = not self.scalars and not self.columns

    def of_key(self, key):
        """Whether a key meets the test of keys."""
        return self.keys.passes(key)

    def of_cells(self, cells):
        """Whether the columns that are named here meet the tests of them."""
        return all(test.passes(cells[name]) for name, test in self.columns.items() if name in cells)

    def of_row(self, item):
        """Whether a row meets the tests of columns."""
        cells = dict(item[1])
        return all(test.passes(cells.get(name)) for name, test in self.columns.items())

    def of_value(self, item):
        """Whether a value, null and a deletion aside, meets all but the condition on keys."""
        item = plain(item)
        if is_row(item):
            return not self.scalars and self.of_row(item)
        return item != DEAD and not self.columns and all(
            test.passes(item) for test in self.scalars)
