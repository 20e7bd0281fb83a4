#!/usr/bin/env python3
"""Goal: `bench/polygraph.py` reduces satisfiability to serializability and snapshot isolation.
Method: small random formulas, about half of them satisfiable, by trying all assignments, against
the verdicts of the program; and each proof must verify.

    polygraph_test.py ISOLDE
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import cases

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'bench'))
import polygraph  # noqa: E402

LEVELS = ('serializable', 'snapshot-isolation')


def is_satisfiable(clauses):
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    for values in itertools.product((False, True), repeat=len(variables)):
        value = dict(zip(variables, values))
        if all(any(value[abs(lit)] == (lit > 0) for lit in clause) for clause in clauses):
            return True
    return False


def random_clauses(rng):
    """Clauses of one to three literals of a few variables, some of them twice or both ways."""
    variables = rng.randint(1, 5)
    return [[rng.choice((1, -1)) * rng.randint(1, variables) for _ in range(rng.choice((1, 2, 3, 3)))]
            for _ in range(round(variables * rng.uniform(1.0, 4.5)))]


def main():
    isolde = sys.argv[1]
    seed = cases.run_seed()
    rng = random.Random(seed)
    formulas = [random_clauses(rng) for _ in range(cases.case_count(30))]
    formulas += [polygraph.pigeons(2), polygraph.pigeons(2)[1:], polygraph.dimacs(['1 2 0 -1 0'])]
    expected = ['holds' if is_satisfiable(clauses) else 'violated' for clauses in formulas]
    assert expected[-3:] == ['violated', 'holds', 'holds']
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f'{i}.jsonl') for i in range(len(formulas))]
        for i, clauses in enumerate(formulas):
            lines = polygraph.history(clauses, seed + i)
            pathlib.Path(files[i]).write_text('\n'.join(lines) + '\n', encoding='ascii')
        proof = os.path.join(folder, 'proof.jsonl')
        run = subprocess.run([isolde, 'check', '--json', '--no-progress', '--level',
                              ','.join(LEVELS), '--certificate', proof, *files],
                             capture_output=True, text=True, check=False)
        reports = [json.loads(line) for line in run.stdout.splitlines()]
        assert len(reports) == len(files), run.stderr
        for i, report in enumerate(reports):
            for level in LEVELS:
                found = report['levels'][level]
                assert found['verdict'] == expected[i], (level, formulas[i], found)
                subprocess.run([isolde, 'verify', found['certificate'], files[i]],
                               check=True, stdout=subprocess.DEVNULL)
    print(f'{expected.count("holds")} satisfiable, {expected.count("violated")} not')


if __name__ == '__main__':
    main()
