#!/usr/bin/env python3
"""Histories that are serializable exactly when a formula is satisfiable.

    polygraph.py random VARIABLES RATIO SEED    random 3-SAT with RATIO clauses a variable
    polygraph.py pigeons HOLES                  one pigeon more than holes: unsatisfiable
    polygraph.py dimacs FILE

writes the history to standard output. After Papadimitriou (The Serializability of Concurrent
Database Updates, JACM 26(4), 1979), who reduces satisfiability to acyclicity of polygraphs.

A polygraph has arcs, and choices (A, B, C): an arc from A to B, and either one from C to A or one
from B to C. As a history, each transaction in a session of its own:

- arc P to Q: P writes a key that nobody else writes, and Q reads it;
- choice (A, B, C): A writes a key, B reads what A wrote, and C writes the key too, blindly.

For each variable v there is a choice (A, B, C): "C to A" says that v is false, "B to C" that it is
true. For each occurrence of a literal in a clause there is another one, (A', B', C'), with the
same meaning for the literal. Arcs tie them together:

- literal v:      A to B' and C' to C. With v false, "B' to C'" closes C, A, B', C', C.
- literal not v:  C to B' and C' to B. With v true,  "B' to C'" closes B, C, B', C', B.
- clause: from the A' of each occurrence to the C' of the next, and from the last to the first.
  When all say "C' to A'", that is a cycle.

So an acyclic choice makes a literal of each clause true. Conversely let an assignment satisfy the
formula, and choose for variables and occurrences alike. A' is entered from its own C' only, and
only when its literal is false; and what enters such a C' is the clause's arc alone. So what leaves
an A' came along the clause, and that circle is broken at a true literal. The rest concerns one
variable at a time: if v is true, C' and A' of "not v", A' of "v", A, B, B' and C' of "v", C, B'
of "not v" is an order; if it is false, C' and A' of "v", A' of "not v", C, B' and C' of "not v", A,
B, B' of "v" is one.

In no cycle above do two rw edges ("B to C") follow each other, so that snapshot isolation, too,
holds exactly when the formula is satisfiable.
"""
import itertools
import json
import random
import sys


def random_formula(variables, ratio, seed):
    """Clauses of three different variables; literals are +v and -v, v from 1."""
    rng = random.Random(seed)
    return [[v * rng.choice((1, -1)) for v in rng.sample(range(1, variables + 1), 3)]
            for _ in range(round(variables * ratio))]


def pigeons(holes):
    """Each of holes + 1 pigeons is in a hole, and no two are in the same."""
    def is_in(pigeon, hole):
        return pigeon * holes + hole + 1
    clauses = [[is_in(p, h) for h in range(holes)] for p in range(holes + 1)]
    for hole in range(holes):
        for p, q in itertools.combinations(range(holes + 1), 2):
            clauses.append([-is_in(p, hole), -is_in(q, hole)])
    return clauses


def dimacs(lines):
    words = ' '.join(line for line in lines if line[:1] not in ('c', 'p', '%')).split()
    clauses, clause = [], []
    for number in map(int, words):
        if number:
            clause.append(number)
        else:
            clauses.append(clause)
            clause = []
    return clauses


class Polygraph:
    def __init__(self):
        self.reads = []  # by transaction: keys and values
        self.writes = []
        self.key_count = 0

    def transaction(self):
        self.reads.append([])
        self.writes.append([])
        return len(self.reads) - 1

    def arc(self, source, target):
        key, self.key_count = self.key_count, self.key_count + 1
        self.writes[source].append(['w', key, 1])
        self.reads[target].append(['r', key, 1])
        return key

    def choice(self):
        a, b, c = self.transaction(), self.transaction(), self.transaction()
        self.writes[c].append(['w', self.arc(a, b), 2])
        return a, b, c

    def lines(self, shuffle_seed):
        """The history; transactions in an order that tells nothing."""
        yield '{"isolde":1,"kind":"history","workload":"polygraph"}'
        order = list(range(len(self.reads)))
        random.Random(shuffle_seed).shuffle(order)
        for session, txn in enumerate(order):
            ops = self.reads[txn] + self.writes[txn]
            yield json.dumps({'session': session, 'ops': ops}, separators=(',', ':'))


def history(clauses, seed=0):
    """Lines of the history that is serializable exactly when the clauses are satisfiable."""
    graph = Polygraph()
    variables = {}
    for clause in clauses:
        occurrences = []
        for literal in clause:
            if abs(literal) not in variables:
                variables[abs(literal)] = graph.choice()
            a, b, c = variables[abs(literal)]
            own_a, own_b, own_c = graph.choice()
            graph.arc(a if literal > 0 else c, own_b)
            graph.arc(own_c, c if literal > 0 else b)
            occurrences.append((own_a, own_c))
        for (leave, _), (_, enter) in zip(occurrences, occurrences[1:] + occurrences[:1]):
            graph.arc(leave, enter)
    return graph.lines(seed)


def main():
    kind, *rest = sys.argv[1:] or ['']
    if kind == 'random':
        clauses = random_formula(int(rest[0]), float(rest[1]), int(rest[2]))
    elif kind == 'pigeons':
        clauses = pigeons(int(rest[0]))
    elif kind == 'dimacs':
        with open(rest[0], encoding='ascii') as file:
            clauses = dimacs(file)
    else:
        sys.exit(__doc__)
    for line in history(clauses):
        print(line)


if __name__ == '__main__':
    main()
