"""The histories of Jepsen and Elle, in EDN."""
import itertools

from calls import pair
from edn import Word, forms
from jepsen_objects import Objects, Sums, has_operations, source, transactions
from making import events, sized
from model import COMMITTED, UNKNOWN, History, Malformed, Txn, decode, only, token

KINDS = ('invoke', 'ok', 'fail', 'info')


def operation(op, functions):
    if not isinstance(op, list) or len(op) < 2 or op[0] not in functions:
        raise Malformed(f'operation {op}')
    function, key = functions[op[0]], token(op[1])
    if function == 'r':
        result = op[2] if len(op) > 2 else None
        if isinstance(result, list):
            result = tuple(token(element) for element in result) or None
        elif result is not None:
            result = token(result)
        return ('r', key, result)
    if len(op) < 3:
        raise Malformed(f'operation {op}')
    return (function, key, token(op[2]))


def operations(entry, functions):
    value = entry.get('value')
    if not isinstance(value, list):
        raise Malformed(f'a value that is no row of operations: {value}')
    return [operation(op, functions) for op in value]


def transaction(call, functions):
    if call.outcome == COMMITTED:
        return Txn(COMMITTED, operations(call.completion, functions))
    ops = operations(call.first, functions)
    return Txn(call.outcome, [('r?', op[1]) if op[0] == 'r' else op for op in ops])


def moments(entries):
    """For each entry its time, later than that of the one before; or its position."""
    found = []
    for position, entry in enumerate(entries):
        time = position if entry.get('time') is None else entry['time']
        found.append(max(found[-1] + 1, time) if found else time)
    return found


LONG = {Word(':read'): 'r', Word(':write'): 'w'}


def is_multi_register(calls):
    """Whether the first transaction's first operation has one of the long names."""
    for call in calls:
        entry = source(call)
        if entry.get('f') == ':read' and not has_operations(entry.get('value')):
            continue
        return has_operations(entry.get('value')) and entry['value'][0][:1] != [] and \
            entry['value'][0][0] in LONG
    return False


def begin(calls, txns):
    """Where registers do not begin with nil: reads of it, or transactions in front that write it."""
    nil, begun, ended = set(), {}, {}
    for call, txn in zip(calls, txns):
        for op in txn.ops:
            if op[0] == 'r' and op[2] is None:
                nil.add(op[1])
            if op[0] == 'w':
                begun.setdefault(op[1:], call.first['moment'])
                if call.kind == 'ok':
                    ended[op[1]] = min(ended.get(op[1], call.completion['moment']),
                                       call.completion['moment'])
    initial = {}
    for call, txn in zip(calls, txns):
        for op in txn.ops if call.kind == 'ok' else ():
            if op[0] != 'r' or op[1] in nil or isinstance(op[2], tuple) or op[1] in initial:
                continue
            end, start = call.completion['moment'], call.first['moment']
            if begun.get(op[1:], end) >= end and ended.get(op[1], start) >= start:
                initial[op[1]] = op[2]
    written = [op for op in initial.items() if op in begun]
    for txn in txns:
        txn.ops = [('r', op[1], None) if op[0] == 'r' and initial.get(op[1]) == op[2] and
                   op[1:] not in begun else op for op in txn.ops]
    first = min((call.first['moment'] for call in calls), default=0) - 2 * len(written)
    return [Txn(COMMITTED, [('w', *op)], first + 2 * number, first + 2 * number + 1)
            for number, op in enumerate(written)]


def check_kinds(history):
    """A key is a register or a list."""
    lists, registers = set(), set()
    for txn in history.txns():
        for op in txn.ops:
            if op[0] == 'append' or isinstance(op[-1], tuple):
                lists.add(op[1])
            elif op[0] == 'w' or (op[0] == 'r' and op[2] is not None):
                registers.add(op[1])
    if lists & registers:
        raise Malformed(f'keys that are registers and lists: {sorted(lists & registers)[:3]}')


def history_of(entries, functions, objects=False):
    """`entries` are all of the log, as dictionaries with type, f, value, process, time, index.
    `objects`: those that are of registers, sets, counters or banks are read, too."""
    clients = [entry for entry in entries if entry.get('process') is None
               or isinstance(entry['process'], int)]
    for entry, time in zip(clients, moments(clients)):
        entry['moment'] = time
    calls = pair((entry.get('process'), entry['type'], entry) for entry in clients)
    timed = all(call.invocation for call in calls)
    history = History({}, timed and all(entry.get('time') is None for entry in clients))
    found = transactions(calls, timed) if objects else None
    if found is None:
        txns = [transaction(call, functions) for call in calls]
        found = txns, begin(calls, txns) if objects and timed and is_multi_register(calls) else [], {}
    txns, front, history.initial = found
    if front:
        history.session('initial').extend(front)
    for call, txn in zip(calls, txns):
        if timed:
            txn.start = call.invocation['moment']
            txn.end = None if txn.outcome == UNKNOWN else call.completion['moment']
        index = call.first.get('index')
        txn.label = None if index is None else str(index)
        history.session(call.session).append(txn)
    check_kinds(history)
    return history


def entry_of(form):
    if not isinstance(form, dict) or not isinstance(form.get(':type'), Word):
        raise Malformed(f'entry {form}')
    entry = {name: form.get(':' + name) for name in ('type', 'f', 'value', 'process', 'time',
                                                           'index')}
    entry['type'] = entry['type'][1:]
    if entry['type'] not in KINDS:
        raise Malformed(f'type {entry["type"]}')
    return entry


def read(files):
    found = list(forms(decode(only(files))))
    if len(found) == 1 and isinstance(found[0], list):
        found, = found
    return history_of([entry_of(form) for form in found],
                      {Word(':r'): 'r', Word(':w'): 'w', Word(':append'): 'append', **LONG}, True)


class Store:
    """What clients ask and are told, as the maps of a log."""

    def __init__(self, rng, long=False):
        self.rng, self.lists, self.last = rng, not long and rng.random() < 0.5, 0
        self.long, self.initial = long, rng.choice((None, 0)) if long else None
        self.state, self.keys = {}, list(range(10))
        self.names = rng.choice((int, 'x{}'.format))
        self.timed = rng.random() < 0.6
        self.invoked = rng.random() < 0.8  # otherwise completions only
        self.indexed = rng.random() < 0.5

    def call(self):
        ops = []
        for _ in range(self.rng.randint(1, 5)):
            at = self.rng.randrange(len(self.keys))
            if self.rng.random() < 0.5:
                ops.append(['r', self.names(self.keys[at]), None])
                continue
            key, self.last = self.names(self.keys[at]), self.last + 1
            value = self.rng.randrange(5) if self.long else self.last
            ops.append(['append' if self.lists else 'w', key, value])
            if self.lists and len(self.state.get(key, ())) > 12:
                self.keys[at] = max(self.keys) + 1
        return ops

    def told(self, kind, ops):
        """What a completion says of the call."""
        if kind == 'info' or (kind == 'fail' and self.rng.random() < 0.5):
            return ops
        found = []
        for function, key, value in ops:
            if function == 'append':
                self.state[key] = self.state.get(key, []) + [value]
            elif function == 'w':
                self.state[key] = value
            elif self.rng.random() < 0.95:
                value = self.state.get(
                    key, [] if self.lists and self.rng.random() < 0.5 else self.initial)
            found.append([function, key, value])
        return found

    def entries(self):
        """The log without end, as dictionaries; commentary lines have no client's process."""
        time, index = 0, 0
        for process, kind, ops in events(self.rng, self.call):
            index += 1
            if self.rng.random() < 0.02:
                yield {'type': 'info', 'f': 'start', 'value': None, 'process': 'nemesis',
                       **({'time': time} if self.timed else {})}
            if kind == 'invoke' and not self.invoked:
                continue
            time += self.rng.choice((0, 1, 5, 1000, -20))
            entry = {'type': kind, 'f': 'txn', 'process': process,
                     'value': ops if kind == 'invoke' else self.told(kind, ops)}
            if self.timed:
                entry['time'] = time
            if self.indexed:
                entry['index'] = index
            yield entry


KEYWORDS = ('type', 'f')
LONG_NAMES = {'r': 'read', 'w': 'write'}


def lengthened(entry):
    """With the names of multi-register."""
    if entry['value'] is None:
        return entry
    return {**entry, 'value': [[LONG_NAMES[op[0]], *op[1:]] for op in entry['value']]}


def edn(value):
    if isinstance(value, dict):
        return '{' + ', '.join(f':{name} {keyword(name, one)}' for name, one in value.items()) + '}'
    if isinstance(value, list):
        return '[' + ' '.join(edn(one) for one in value) + ']'
    if value is None:
        return 'nil'
    return f'"{value}"' if isinstance(value, str) else str(value)


def keyword(name, value):
    if name == 'value' and isinstance(value, list):
        return '[' + ' '.join(f'[:{op[0]} {edn(op[1])} {edn(op[2])}]' for op in value) + ']'
    return f':{value}' if isinstance(value, str) else edn(value)


def make(rng, size):
    if rng.random() < 0.2 and size < 1 << 20:
        held = Sums(rng)
        lines = sized((line + '\n' for line in itertools.chain(
            held.front(), (held.entry(*event) for event in events(rng, held.call)))), size)
        return [('made.edn', ''.join(lines).encode())]
    if rng.random() < 0.4 and size < 1 << 20:
        objects = Objects(rng)
        lines = sized((objects.entry(*event) + '\n' for event in events(rng, objects.call)), size)
        return [('made.edn', ''.join(lines).encode())]
    long = rng.random() < 0.3
    store = Store(rng, long)
    entries = (lengthened(entry) for entry in store.entries()) if long else store.entries()
    lines = sized((edn(entry) + rng.choice(('\n', '\n', ' ; so\n', ' #_ {:a [1 2]}\n'))
                   for entry in entries), size)
    text = ''.join(lines)
    return [('made.edn', (f'[{text}]' if rng.random() < 0.3 else text).encode())]
