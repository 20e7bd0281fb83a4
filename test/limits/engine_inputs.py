"""Makes small histories that are hard to decide: values that repeat, and a bank."""
import json
import random

HEADER = '{"isolde":1,"kind":"history"}\n'


def write(path, rows):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(HEADER)
        for row in rows:
            file.write(json.dumps(row) + '\n')


def repeated(keys, values, ops=2, times=False, stale=0.0, sessions=16, seed=1):
    """Transactions on one store, each at one moment. Values are of a small range, so that each read
    may have come from many writers: readers times writers. A `stale` share of the transactions
    reads values by chance, which makes most of the levels impossible."""
    def make(path, txns):
        rng = random.Random(seed)
        store = {}
        rows = []
        for number in range(txns):
            is_stale = rng.random() < stale
            row = []
            for _ in range(ops):
                key = rng.randrange(keys)
                if rng.random() < 0.5:
                    value = rng.randrange(values) if is_stale else store.get(key)
                    row.append(['r', key, value])
                else:
                    store[key] = rng.randrange(values)
                    row.append(['w', key, store[key]])
            line = {'session': f's{rng.randrange(sessions)}', 'ops': row}
            if times:
                line.update(start=number * 10, end=number * 10 + 25)
            rows.append(line)
        write(path, rows)
    return make


def one_value(keys, lag, ops=3, sessions=8, seed=1):
    """One value of one key, which two transactions wrote and all others read. What else they read
    is one of the last `lag` versions of its key, so that most levels are impossible."""
    def make(path, txns):
        rng = random.Random(seed)
        versions = {}
        rows = [{'session': f'w{number}', 'ops': [['w', 'x', 1]]} for number in range(2)]
        for number in range(txns):
            row = []
            for key in sorted({rng.randrange(keys) for _ in range(ops)}):
                known = versions.setdefault(key, [])
                if rng.random() < 0.5:
                    row.append(['r', key, rng.choice(known[-lag:]) if known else None])
                else:
                    known.append(number)
                    row.append(['w', key, number])
            rows.append({'session': f's{number % sessions}', 'ops': row + [['r', 'x', 1]]})
        write(path, rows)
    return make


def bank(accounts=10, sessions=8, times=True, seed=1):
    """Transfers and audits on a store that gives read committed. Sums are small, so that balances
    repeat."""
    start = 10

    def steps(rng):
        if rng.random() < 0.2:
            return [('r', account) for account in range(accounts)]
        source, target = rng.sample(range(accounts), 2)
        return [('r', source), ('r', target), ('move', source, target, rng.randint(1, 5))]

    def step(txn, store, what):
        if what[0] == 'r':
            txn['seen'][what[1]] = store[what[1]]
            txn['ops'].append(['r', what[1], store[what[1]]])
            return
        _, source, target, amount = what
        for account, change in ((source, -amount), (target, amount)):
            txn['buffer'][account] = txn['seen'][account] + change
            txn['ops'].append(['w', account, txn['buffer'][account]])

    def make(path, txns):
        rng = random.Random(seed)
        store = dict.fromkeys(range(accounts), start)
        rows = [(0, 1, 'first', [['w', account, start] for account in range(accounts)])]
        running = {}
        clock = 1
        while len(rows) <= txns:
            session = rng.randrange(sessions)
            clock += 1
            if session not in running:
                running[session] = {'start': clock, 'ops': [], 'seen': {}, 'buffer': {},
                                    'todo': steps(rng)}
            elif running[session]['todo']:
                step(running[session], store, running[session]['todo'].pop(0))
            else:
                txn = running.pop(session)
                store.update(txn['buffer'])
                rows.append((txn['start'], clock, f's{session}', txn['ops']))
        write(path, ({'session': session, 'ops': ops} |
                     ({'start': begin, 'end': end} if times else {})
                     for begin, end, session, ops in rows))
    return make


def exclusions(keys, values):
    """Reads of which only is known what they did not return, each something else."""
    def make(path, txns):
        rng = random.Random(1)
        rows = []
        for number in range(txns):
            key = rng.randrange(keys)
            op = (['w', key, rng.randrange(values)] if number % 2 == 0
                  else ['r', key, {'not': number}])
            rows.append({'session': f's{number % 8}', 'ops': [op]})
        write(path, rows)
    return make


def aborted(path, txns):
    """One value, written by many transactions that aborted, and read by as many."""
    write(path, ({'session': f's{number % 8}', 'ops': [['w', 1, 1]], 'status': 'aborted'}
                 if number % 2 == 0 else
                 {'session': f's{number % 8}', 'ops': [['r', 1, 1]]} for number in range(txns)))


def excluded_and_read(path, reads):
    """One transaction whose reads exclude a value each, and then tell one."""
    ops = [['r', 'x', {'not': number + 2}] for number in range(reads)]
    ops += [['r', 'x', 1] for _ in range(reads)]
    write(path, [{'session': 'w', 'ops': [['w', 'x', 1]]}, {'session': 's', 'ops': ops}])


def own_elements(path, reads):
    """One transaction that reads the list again and again to which it appended."""
    write(path, [{'session': 's', 'ops': [['append', 'l', 1]] + [['r', 'l', [1]]] * reads},
                 {'session': 't', 'ops': [['r', 'l', [1]]]}])


def wide_selections(path, count):
    """Selections that fit many keys and as many values, and no row."""
    keys = 100_000
    writers = ({'session': 'w', 'ops': [['w', key, key] for key in range(first, first + 1000)]}
               for first in range(0, keys, 1000))
    readers = ({'session': f's{number % 8}', 'ops': [
        ['select', {'keys': [0, keys // 2 - 1 - number % 20000],
                    'values': [keys // 2, 1_000_000 + number]}, []]]} for number in range(count))
    write(path, [*writers, *readers])


def circle(path, txns):
    """Each transaction misses what the one before wrote. Somebody else wrote what it saw."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(HEADER)
        for i in range(txns):
            file.write(f'{{"session":"w{i}","ops":[["w","k{i}","i"]]}}\n')
        for i in range(txns):
            after = (i + 1) % txns
            file.write(f'{{"session":"s{i}","ops":[["r","k{i}","i"],["r","k{after}","i"],'
                       f'["w","k{after}",{i}]]}}\n')
