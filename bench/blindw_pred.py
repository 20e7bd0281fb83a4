#!/usr/bin/env python3
"""BlindW-Pred as Vbox ran it, without transactions that abort, in seconds.

    blindw_pred.py TRANSACTIONS ROWS SESSIONS > HISTORY

Half of the transactions select rows eight times, half update as often, by a range of one of two
columns that holds two rows on average. Each takes effect at one moment, 10 us behind the one
before; it starts and ends up to SESSIONS * 5 us around that. `isolde gen --workload blindw-pred`
makes the same kind on its simulated store, where most of 24 sessions' transactions abort: those of
10,000 commits are 66,000, and take minutes to make.
"""
import bisect
import random
import sys

SPACING = 1000
WIDTH = 2 * SPACING
STEP = 10_000  # ns
OPS = 8


class Table:
    def __init__(self, rows):
        self.rows = rows
        self.held = [[row * SPACING for row in range(rows)],
                     [row * 7919 % rows * SPACING for row in range(rows)]]
        self.stamps = list(range(1, rows + 1))
        self.next_stamp = rows
        self.sorted = [sorted(zip(column, range(rows))) for column in self.held]

    def json(self, row):
        first, second = (column[row] for column in self.held)
        return f'{{"stamp":{self.stamps[row]},"v1":{first},"v2":{second}}}'

    def find(self, column, least):
        index = self.sorted[column]
        begin = bisect.bisect_left(index, (least, -1))
        end = bisect.bisect_left(index, (least + WIDTH, -1))
        return sorted(row for _, row in index[begin:end])

    def add(self, column, row, by):
        index = self.sorted[column]
        del index[bisect.bisect_left(index, (self.held[column][row], row))]
        self.held[column][row] += by
        bisect.insort(index, (self.held[column][row], row))
        self.next_stamp += 1
        self.stamps[row] = self.next_stamp


def operations(table, rng):
    def draw():
        return min(rng.randrange(table.rows) * SPACING + rng.randrange(SPACING),
                   table.rows * SPACING - WIDTH)

    updates = rng.random() < 0.5
    for _ in range(OPS):
        column = rng.randrange(2)
        least = draw()
        found = table.find(column, least)
        rows = ','.join(f'[{row},{table.json(row)}]' for row in found)
        yield (f'["select",{{"keys":[0,1099511627775],"columns":{{"v{column + 1}":'
               f'{{"min":{least},"max":{least + WIDTH - 1}}}}}}},[{rows}]]')
        by = draw() - least
        for row in found if updates else ():
            table.add(column, row, by)
            yield f'["w",{row},{table.json(row)}]'


def main():
    txns, rows, sessions = map(int, sys.argv[1:])
    rng = random.Random(7)
    table = Table(rows)
    names = ','.join(f'"{session}"' for session in range(sessions))
    print(f'{{"isolde":2,"kind":"history","sessions":["initial",{names}]}}')
    initial = ','.join(f'["r",{row},null],["w",{row},{table.json(row)}]' for row in range(rows))
    print(f'{{"session":"initial","start":0,"end":1000000000,"ops":[{initial}]}}')
    free = [1_050_000_000] * sessions
    span = sessions * STEP // 2
    for txn in range(txns):
        moment = 1_100_000_000 + txn * STEP
        idle = [session for session in range(sessions) if free[session] < moment - 1]
        session = rng.choice(idle or [min(range(sessions), key=free.__getitem__)])
        start = max(free[session] + 1, moment - rng.randrange(1, span))
        end = moment + rng.randrange(1, span)
        if start >= moment:
            continue  # nobody was idle
        free[session] = end
        ops = ','.join(operations(table, rng))
        print(f'{{"session":"{session}","start":{start},"end":{end},"ops":[{ops}]}}')


main()
