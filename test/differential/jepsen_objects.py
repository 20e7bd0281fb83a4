"""Jepsen's registers, sets, counters and banks: each operation on an object is a transaction."""
from edn import Set
from model import ABORTED, COMMITTED, UNKNOWN, Malformed, Number, Txn, string, token

WORKLOADS = {':write': 'register', ':cas': 'register', ':add': 'set', ':transfer': 'bank'}
ADDED = '"added"'
NEVER = float('inf')


def source(call):
    return call.completion if call.kind == 'ok' else call.first


def has_operations(value):
    return isinstance(value, list) and not isinstance(value, Set) and value != [] and \
        isinstance(value[0], list) and not isinstance(value[0], Set)


def workload(calls):
    """What the log is of; None: transactions."""
    found = None
    for call in calls:
        entry = source(call)
        function, value = entry.get('f'), entry.get('value')
        if function in (None, ':txn') or (function != ':add' and has_operations(value)):
            return None
        if function == ':read':
            continue
        if function not in WORKLOADS:
            raise Malformed(f'workload {function}')
        if found not in (None, WORKLOADS[function]):
            raise Malformed('two workloads')
        found = WORKLOADS[function]
    if found == 'set' and any(
            call.kind == 'ok' and call.first.get('f') == ':read' and
            is_number(call.completion.get('value')) for call in calls):
        return 'counter'
    if found is not None:
        return found
    for call in calls:
        value = call.completion.get('value') if call.kind == 'ok' else None
        if value is not None:
            if isinstance(value, list) and not isinstance(value, Set):
                raise Malformed('a vector, and nothing that writes')
            return ('set' if isinstance(value, Set) else
                    'bank' if isinstance(value, dict) else 'register')
    return 'register'


def is_number(value):
    return isinstance(value, (int, Number)) and not isinstance(value, bool)


def small(value):
    """An integer of 62 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not -2**61 <= value < 2**61:
        raise Malformed(f'{value!r} is no integer of 62 bits')
    return value


def register_ops(call, keyed):
    """Key, what was read and what was written; both as texts, None: nil."""
    function, entry = call.first['f'], call.first
    if function == ':read':
        entry = source(call)
    value = entry.get('value')
    if value is None and function == ':read' and call.kind != 'ok':
        return None if keyed else ('"x"', None, None)
    if isinstance(value, dict):  # a tuple, printed as a record
        if list(value) != [':key', ':value']:
            raise Malformed(f'tuple {value}')
        value = list(value.values())
    key, pair = '"x"', value
    if keyed:
        if not isinstance(value, list) or len(value) != 2 or value[0] is None:
            raise Malformed(f'no key: {value}')
        key, pair = token(value[0]), value[1]
    if function != ':cas':
        pair = [pair, pair]
    if not isinstance(pair, list) or len(pair) != 2:
        raise Malformed(f'value {pair}')
    read, written = (None if one is None else token(one) for one in pair)
    if function != ':read' and written is None:
        raise Malformed('nil is written')
    return key, read, written


def is_keyed(calls):
    """Whether values say their keys; the first that is not nil tells."""
    for call in calls:
        entry = source(call) if call.first['f'] == ':read' else call.first
        value = entry.get('value')
        if value is None:
            if call.first['f'] == ':read' and call.kind == 'ok':
                return False
            continue
        if isinstance(value, dict):
            return True
        return isinstance(value, list) and (call.first['f'] != ':cas' or isinstance(value[1], list))
    return False


def changes(calls, found):
    """For each key the values that somebody writes or would have written, each with the moment at
    which the first began that may have; and when the first of the key had certainly ended."""
    begun, ended = {}, {}
    for call, ops in zip(calls, found):
        function = call.first['f']
        if ops is None or function == ':read':
            continue
        key, _, value = ops
        failed = function == ':cas' and call.kind == 'fail'
        begun.setdefault(key, {}).setdefault(value, NEVER)
        begun[key][value] = min(begun[key][value], NEVER if failed else call.first['moment'])
        if call.kind == 'ok':
            ended[key] = min(ended.get(key, NEVER), call.completion['moment'])
    return begun, ended


def initial_values(calls, found):
    """Of keys that do not begin with nil: (value, does a transaction write it)."""
    begun, ended = changes(calls, found)
    reads = [(call, *ops[:2]) for call, ops in zip(calls, found)
             if ops is not None and call.first['f'] != ':write']
    shows_nil = {key for call, key, value in reads if value is None and call.kind == 'ok'}
    finds_nil = {key for call, key, value in reads if value is None and call.first['f'] == ':cas'}
    initial = {}

    def take(key, value):
        initial.setdefault(key, (value, value in begun.get(key, ()) or key in finds_nil))

    for call, key, value in reads:
        if call.kind == 'ok' and key not in shows_nil and \
                call.first['moment'] < ended.get(key, NEVER) and \
                call.completion['moment'] < begun.get(key, {}).get(value, NEVER):
            take(key, value)
    for call, key, value in reads:
        if call.outcome == UNKNOWN and call.first['f'] == ':cas' and \
                key not in shows_nil | finds_nil and \
                begun.get(key, {}).get(value, NEVER) == NEVER:
            take(key, value)
    return initial


def registers(calls, timed):
    """The transactions of the calls, and those in front."""
    keyed = is_keyed(calls)
    for call in calls:
        check_end(call)
    found = [register_ops(call, keyed) for call in calls]
    for call, ops in zip(calls, found):
        if call.first['f'] != ':read' and call.kind == 'ok':
            told = call.completion.get('value')
            if told is not None and told != call.first.get('value'):
                raise Malformed('another value at the end')
    initial = initial_values(calls, found) if timed else {}
    unwritten = {(key, value) for key, (value, written) in initial.items() if not written}

    def txn(call, ops):
        if ops is None:
            return Txn(call.outcome, [])
        (key, read, written), function = ops, call.first['f']
        known = call.outcome != ABORTED if function == ':cas' else call.outcome == COMMITTED
        read = None if (key, read) in unwritten else read
        reads = [] if function == ':write' else [('r', key, read) if known else ('r?', key)]
        return Txn(call.outcome, reads + ([] if function == ':read' else [('w', key, written)]))

    first = min((call.first['moment'] for call in calls), default=0)
    front = [(key, value) for key, (value, written) in initial.items() if written]
    begin = first - 2 * len(front)
    return ([txn(call, ops) for call, ops in zip(calls, found)],
            [Txn(COMMITTED, [('w', key, value)], begin + 2 * number, begin + 2 * number + 1)
             for number, (key, value) in enumerate(front)])


def check_end(call):
    if call.kind == 'ok' and call.completion['f'] != call.first['f']:
        raise Malformed('the end of another operation')


def sets(calls):
    elements = []
    for call in calls:
        check_end(call)
        if call.first['f'] == ':add':
            value = call.first.get('value')
            element = token(value)
            if element not in elements:
                elements.append(element)

    def txn(call):
        if call.first['f'] == ':add':
            return Txn(call.outcome, [('w', token(call.first['value']), ADDED)])
        if call.kind != 'ok':
            return Txn(call.outcome, [])
        value = call.completion.get('value')
        if not isinstance(value, list):
            raise Malformed(f'no elements: {value}')
        shown = [token(element) for element in value]
        if len(set(shown)) != len(shown):
            raise Malformed('an element twice')
        return Txn(COMMITTED, [('r', element, ADDED) for element in shown] +
                   [('r', element, None) for element in elements if element not in shown])
    return [txn(call) for call in calls]


def added(kind, entry):
    """What an :add or a :transfer adds to which keys."""
    value = entry.get('value')
    if kind == 'counter':
        return [('inc', '"x"', small(value))]
    if not isinstance(value, dict) or any(value.get(name) is None for name in (':from', ':to')):
        raise Malformed(f'no transfer: {value}')
    source_key, target, amount = (token(value[':from']), token(value[':to']),
                                  small(value.get(':amount')))
    if source_key == target or amount == -2**61:
        raise Malformed(f'a transfer of nothing, or too much: {value}')
    return [('inc', source_key, -amount), ('inc', target, amount)]


def balances(kind, entry):
    value = entry.get('value')
    if kind == 'counter':
        return [('r', '"x"', str(small(value)))]
    if not isinstance(value, dict) or None in value or len(value) != len(value.keys_read) or \
            any(isinstance(key, (list, dict)) for key in value.keys_read):
        raise Malformed(f'no balances: {value}')
    return [('r', token(key), str(small(balance))) for key, balance in value.items()]


def sums(kind, calls, timed):
    """The transactions, and what the keys begin with."""
    changed, begin = {}, {}
    for call in calls:
        check_end(call)
        if call.first['f'] == ':read':
            continue
        told = added(kind, call.first)
        if call.kind == 'ok' and call.completion.get('value') is not None and \
                added(kind, call.completion) != told:
            raise Malformed('another value at the end')
        for _, key, _ in told:
            changed[key] = min(call.first['moment'], changed.get(key, call.first['moment']))
    open_keys = set()
    for call in calls:
        if call.first['f'] != ':read' or call.kind != 'ok':
            continue
        for _, key, value in balances(kind, call.completion):
            end = call.completion['moment']
            if timed and end < changed.get(key, end + 1):
                begin.setdefault(key, value)
            open_keys.add(key)
    if kind == 'bank' and not open_keys <= set(begin):
        raise Malformed(f'nobody knows what {open_keys - set(begin)} begin with')
    for key in (*changed, *open_keys):
        begin.setdefault(key, '0')

    def txn(call):
        if call.first['f'] == ':read':
            return Txn(call.outcome, balances(kind, call.completion) if call.kind == 'ok' else [])
        return Txn(call.outcome, added(kind, call.first))
    return [txn(call) for call in calls], begin


def transactions(calls, timed):
    """Those of the calls, those in front, and what keys begin with; None where operations are
    transactions."""
    kind = workload(calls)
    if kind == 'register':
        return *registers(calls, timed), {}
    if kind == 'set':
        return sets(calls), [], {}
    if kind in ('counter', 'bank'):
        txns, begin = sums(kind, calls, timed)
        return txns, [], begin
    return None


class Objects:
    """What clients ask of a register, or one for each key, or a set, and what they are told."""

    def __init__(self, rng):
        self.rng = rng
        self.is_set = rng.random() < 0.4
        self.keyed = rng.random() < 0.5
        self.initial = rng.choice((None, None, 0))
        self.state, self.count = {}, 0

    def call(self):
        if self.is_set:
            self.count += 1
            if self.rng.random() < 0.3:
                return 'read', None, None
            return 'add', None, self.count if self.rng.random() < 0.9 else f'e{self.count // 2}'
        key = self.rng.randrange(3) if self.keyed else None
        function = self.rng.choice(('read', 'write', 'cas'))
        value = {'read': None, 'write': self.rng.randrange(5),
                 'cas': [self.rng.choice((None, 0, 1, 2)), self.rng.randrange(5)]}[function]
        return function, key, value

    def told(self, kind, call):
        """What an entry says of the call, as EDN."""
        function, key, value = call
        if function == 'add':
            if kind != 'fail':
                self.state[value] = True
        elif function == 'read' and self.is_set:
            if kind == 'ok':
                shown = ' '.join(map(edn_scalar, self.rng.sample(list(self.state), len(self.state))))
                return self.rng.choice(('#{%s}', '[%s]', '(%s)')) % shown
        elif kind == 'ok':
            if function == 'read':
                value = self.state.get(key, self.initial)
            else:
                self.state[key] = value if function == 'write' else value[1]
        text = ('[' + ' '.join(map(edn_scalar, value)) + ']' if isinstance(value, list)
                else edn_scalar(value))
        return text if key is None else f'[{key} {text}]'

    def entry(self, process, kind, call):
        return (f'{{:process {process}, :type :{kind}, :f :{call[0]}, '
                f':value {self.told(kind, call)}}}')


class Sums:
    """What clients ask of a counter, or of a bank, and what they are told."""

    def __init__(self, rng):
        self.rng = rng
        self.is_bank = rng.random() < 0.6
        self.state = {account: rng.randrange(20) for account in range(4)} if self.is_bank else {}
        self.initial = dict(self.state)
        self.count = rng.choice((0, 0, 7))

    def front(self):
        """What the accounts begin with, as a rule."""
        if self.is_bank and self.rng.random() < 0.9:
            yield '{:type :invoke :f :read :process -1}'
            yield f'{{:type :ok :f :read :process -1 :value {self.shown(self.initial)}}}'

    def shown(self, accounts):
        return '{' + ', '.join(f'{name} {held}' for name, held in accounts.items()) + '}'

    def call(self):
        if self.rng.random() < 0.5:
            return 'read', None
        if not self.is_bank:
            return 'add', self.rng.randint(-3, 6)
        start, end = self.rng.sample(range(4 if self.rng.random() < 0.9 else 5), 2)
        return 'transfer', (start, end, self.rng.randint(1, 5))

    def told(self, kind, call):
        function, value = call
        if function == 'read':
            if kind != 'ok':
                return 'nil'
            if not self.is_bank:
                return str(self.count)
            names = self.rng.sample(sorted(self.state), len(self.state) - (self.rng.random() < 0.1))
            return self.shown({name: self.state[name] for name in names})
        if function == 'add':
            self.count += value if kind == 'ok' else 0
            return str(value)
        start, end, amount = value
        if kind == 'ok':
            self.state[start] = self.state.get(start, 0) - amount
            self.state[end] = self.state.get(end, 0) + amount
        return f'{{:from {start}, :to {end}, :amount {amount}}}'

    def entry(self, process, kind, call):
        return (f'{{:process {process}, :type :{kind}, :f :{call[0]}, '
                f':value {self.told(kind, call)}}}')


def edn_scalar(value):
    return 'nil' if value is None else string(value) if isinstance(value, str) else str(value)
