"""Forged certificates: valid ones with one thing changed, and proofs made of nothing."""
import copy
import json

EDGES = ['so', 'rt', 'wr', 'ww', 'rw', 'mv', 'av', 'cv', 'co', 'sc', 'cs']
FINDINGS = ['internal', 'aborted-read', 'intermediate-read', 'future-read', 'unwritten-read',
            'duplicate-element', 'unselected-row', 'incompatible-order', 'non-repeatable-read',
            'impossible-number', 'impossible-total']


def text_of(lines):
    """A certificate as it is written to a file."""
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n' for line in lines)


class Facts:
    """What a history has that a forger can name."""

    def __init__(self, history, levels):
        self.levels = levels
        lines = [line for line in history.splitlines()[1:] if line.strip()]
        if lines and not history.endswith('\n'):
            lines.pop()
        self.txns = [txn for txn in map(json.loads, lines) if 'ops' in txn]
        self.keys = []
        self.reads = []
        self.written = {}
        for i, txn in enumerate(self.txns):
            for op in txn['ops']:
                keys = [op[1]] if op[0] != 'select' else [row[0] for row in op[2]]
                self.keys += [key for key in keys if key not in self.keys]
                if op[0] in ('w', 'append') or op[0] == 'cas' and op[4:] in ([], [True]):
                    self.written.setdefault(json.dumps(op[1]), []).append(i)
            self.reads += [(i, n) for n, op in enumerate(txn['ops']) if op[0] not in ('w', 'delete')]
        self.keys = self.keys or ['x']

    def txn(self, random):
        """Some transaction, now and then one that does not exist."""
        return random.randrange(len(self.txns) + (random.random() < 0.02))

    def read(self, random):
        """Some transaction and operation."""
        if self.reads and random.random() < 0.9:
            return random.choice(self.reads)
        return self.txn(random), random.randrange(4)

    def writer(self, random, key):
        """A transaction that wrote the key, mostly."""
        writers = self.written.get(json.dumps(key))
        return random.choice(writers) if writers and random.random() < 0.8 else self.txn(random)


def some_edge(random, facts, kind=None, a=None, b=None):
    """An edge that may or may not be there."""
    kind = kind or random.choice(EDGES)
    edge = {'from': facts.txn(random) if a is None else a,
            'to': facts.txn(random) if b is None else b, 'kind': kind}
    if kind in ('wr', 'ww', 'rw', 'mv', 'av', 'cv') or random.random() < 0.02 or (
            kind == 'rt' and random.random() < 0.3):
        edge['key'] = random.choice(facts.keys)
    if kind in ('mv', 'av', 'cv') or kind == 'rw' and random.random() < 0.6:
        edge['via'] = (facts.txn(random) if kind != 'rw' else
                       facts.writer(random, edge['key']))
    return edge


def some_cycle(random, facts):
    """A cycle of edges that may or may not be there."""
    if random.random() < 0.15:
        edge = some_edge(random, facts, random.choice(['mv', 'av', 'cv']))
        edge['to'] = edge['from']
        return [edge]
    stops = [facts.txn(random) for _ in range(random.choice([2, 2, 2, 3]))]
    return [some_edge(random, facts, None, a, b)
            for a, b in zip(stops, stops[1:] + stops[:1])]


def from_nothing(random, facts, header):
    """A proof that nobody made, for some level."""
    head = {name: value for name, value in header.items()
            if name not in ('mentions', 'session_of', 'follows_from')}
    head['level'] = random.choice(facts.levels)
    what = random.choice(['finding', 'cycle', 'cycle', 'orders', 'order', 'order', 'until', 'key'])
    head['verdict'] = 'holds' if what in ('order', 'key') else 'violated'
    if what == 'order':
        head['mentions'] = 1 + (random.random() < 0.3)
        order = list(range(len(facts.txns))) * head['mentions']
        random.shuffle(order)
        if random.random() < 0.4:
            order.sort()
        gone = [i for i, txn in enumerate(facts.txns)
                if txn.get('status') == 'aborted' or txn.get('status') == 'indeterminate'
                and random.random() < 0.5]
        return what, [head, {'order': [i for i in order if i not in gone]}]
    if what == 'key':
        head['level'] = 'linearizable'
        lines = []
        for key in facts.keys:
            users = [i for i, txn in enumerate(facts.txns)
                     if txn.get('status') != 'aborted' and any(op[1] == key for op in txn['ops'])]
            random.shuffle(users)
            lines.append({'key': key, 'order': sorted(users) if random.random() < 0.7 else users})
        return what, [head] + lines
    if what == 'until':
        head['level'] = random.choice(['linearizable', 'linearizable', 'serializable'])
        return what, [head, {'key': random.choice(facts.keys), 'until': facts.txn(random)}]
    if what == 'finding':
        i, op = facts.read(random)
        line = {'finding': random.choice(FINDINGS), 'transaction': i, 'op': op,
                'element': random.choice([0, 0, 0, 1, 2])}
        if random.random() < 0.7:
            line['other'], line['other_op'] = facts.read(random)
        return line['finding'], [head, line]
    if random.random() < 0.5:
        head['session_of'] = facts.txn(random)
    cycle = some_cycle(random, facts)
    if what == 'cycle':
        return cycle[0]['kind'], [head, {'clause': [], 'cycle': cycle}]
    pair = random.sample(range(len(facts.txns)), 2) if len(facts.txns) > 1 else [0, 0]
    steps = [{'clause': [pair], 'cycle': some_cycle(random, facts)},
             {'clause': [pair[::-1]], 'cycle': cycle}, {'clause': [], 'from': [0, 1]}]
    return cycle[0]['kind'], [head] + steps


def change_header(random, facts, head):
    """Changes the header."""
    what = random.choice(['level', 'level', 'level', 'follows_from', 'verdict', 'clock_error_ns',
                          'mentions', 'session_of', 'transactions'])
    if what in ('level', 'follows_from'):
        head[what] = random.choice(facts.levels)
        if what == 'level' and random.random() < 0.2:
            head.pop('follows_from', None)
    elif what == 'verdict':
        head[what] = {'holds': 'violated', 'violated': 'holds'}[head[what]]
    elif what == 'mentions' and what in head:
        head[what] = 3 - head[what]
    elif what == 'session_of':
        head[what] = facts.txn(random)
    elif what == 'transactions':
        head[what] += random.random() < 0.3
    elif what == 'clock_error_ns':
        head[what] = random.choice([0, 1, 3, 86_400_000_000_000, 86_400_000_000_001])
    return 'header.' + what


def change_list(random, facts, numbers):
    """Changes a list of transactions."""
    what = random.choice(['swap', 'swap', 'swap', 'drop', 'repeat', 'replace', 'move'])
    if what == 'swap' and len(numbers) > 1:
        i, j = random.sample(range(len(numbers)), 2)
        numbers[i], numbers[j] = numbers[j], numbers[i]
    elif what == 'drop' and numbers:
        del numbers[random.randrange(len(numbers))]
    elif what == 'move' and numbers:
        numbers.insert(random.randrange(len(numbers)),
                       numbers.pop(random.randrange(len(numbers))))
    elif what == 'replace' and numbers:
        numbers[random.randrange(len(numbers))] = facts.txn(random)
    else:
        numbers.insert(random.randint(0, len(numbers)), facts.txn(random))
    return what


def change_edge(random, facts, edge):
    """Changes one edge of a cycle."""
    what = random.choice(['kind', 'kind', 'swap', 'key', 'via', 'via', 'from', 'to'])
    kind = edge['kind']
    if what == 'kind':
        edge['kind'] = random.choice(EDGES)
        if random.random() < 0.7:
            some = some_edge(random, facts, edge['kind'])
            for name in ('key', 'via'):
                if name not in some:
                    edge.pop(name, None)
                elif name not in edge:
                    edge[name] = some[name]
    elif what == 'swap':
        edge['from'], edge['to'] = edge['to'], edge['from']
    elif what == 'key':
        edge['key'] = random.choice(facts.keys)
    elif what == 'via' and 'via' in edge and random.random() < 0.5:
        del edge['via']
    elif what == 'via':
        edge['via'] = facts.txn(random)
    else:
        edge[what] = facts.txn(random)
    return kind


def change_claim(random, facts, claims):
    """Changes the claims of a step."""
    if not claims or random.random() < 0.2:
        i, op = facts.read(random)
        claims.append({'transaction': i, 'op': op, 'writer': facts.txn(random),
                       'is': random.random() < 0.5})
        return
    claim = random.choice(claims)
    what = random.choice(['is', 'writer', 'transaction', 'op', 'drop', 'no writer'])
    if what == 'is':
        claim['is'] = not claim['is']
    elif what == 'drop':
        claims.remove(claim)
    elif what == 'no writer':
        claim.pop('writer', None)
    else:
        claim[what] = facts.txn(random)


def change_step(random, facts, lines):
    """Changes one step of a refutation."""
    n = random.randrange(1, len(lines))
    line = lines[n]
    what = random.choice(['edge', 'edge', 'edge', 'clause', 'drop edge', 'drop step', 'claims',
                          'from', 'move'])
    if what == 'edge' and line.get('cycle'):
        return change_edge(random, facts, random.choice(line['cycle']))
    if what == 'drop edge' and line.get('cycle'):
        del line['cycle'][random.randrange(len(line['cycle']))]
    elif what == 'from' and 'from' in line:
        steps = line['from']
        if steps and random.random() < 0.6:
            del steps[random.randrange(len(steps))]
        else:
            steps.append(random.randrange(len(lines)))
    elif what == 'claims':
        change_claim(random, facts, line.setdefault('claims', []))
    elif what == 'drop step':
        del lines[n]
    elif what == 'move':
        lines.insert(random.randrange(1, len(lines)), lines.pop(n))
    elif line['clause'] and random.random() < 0.7:
        pair = random.choice(line['clause'])
        if random.random() < 0.5:
            pair.reverse()
        else:
            line['clause'].remove(pair)
    else:
        line['clause'].append([facts.txn(random), facts.txn(random)])
    return what.replace(' ', '-')


def change(random, facts, lines):
    """A certificate with one thing changed, and what that was."""
    lines = copy.deepcopy(lines)
    if len(lines) < 2 or random.random() < 0.25:
        return change_header(random, facts, lines[0]), lines
    return change_all_but_header(random, facts, lines)


def change_all_but_header(random, facts, lines):
    """The same, where the header stays."""
    lines = copy.deepcopy(lines)
    if len(lines) < 2:
        return 'nothing', lines
    line = random.choice(lines[1:])
    if 'sums' in line:
        sums = line['sums']
        what = random.choice(['change', 'change', 'drop', 'repeat'])
        if what == 'change':
            sums[random.randrange(len(sums))] += random.choice([-1, 1, 9])
        elif what == 'drop':
            sums.pop()
        else:
            sums.append(sums[0])
        return 'sums.' + what, lines
    if 'order' in line:
        if 'key' in line and random.random() < 0.1:
            line['key'] = random.choice(facts.keys)
            return 'key', lines
        where = 'sessions_of' if 'sessions_of' in line and random.random() < 0.3 else 'order'
        return where + '.' + change_list(random, facts, line[where]), lines
    if line.get('sources'):
        entry = random.choice(line['sources'])
        what = random.choice(['writer', 'no writer', 'drop', 'op', 'transaction'])
        if what == 'drop':
            line['sources'].remove(entry)
        elif what == 'no writer':
            entry.pop('writer', None)
        else:
            entry[what] = facts.txn(random)
        return 'sources.' + what.replace(' ', '-'), lines
    if 'until' in line:
        what = random.choice(['until', 'key'])
        line[what] = facts.txn(random) if what == 'until' else random.choice(facts.keys)
        return 'until', lines
    if 'finding' in line:
        kind = line['finding']
        what = random.choice(['finding', 'transaction', 'op', 'element', 'other', 'other_op'])
        if what == 'finding':
            line[what] = random.choice(FINDINGS)
        elif what in ('other', 'other_op') and what in line and random.random() < 0.2:
            del line[what]
        elif what in ('element', 'op', 'other_op'):
            line[what] = random.randrange(5)
        else:
            line[what] = facts.txn(random)
        return kind, lines
    if 'clause' not in line:
        return 'nothing', lines
    return change_step(random, facts, lines), lines
