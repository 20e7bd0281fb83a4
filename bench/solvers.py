#!/usr/bin/env python3
"""The search of this project beside CaDiCaL and Z3, on the same constraints and with the same time.

    solvers.py CONSTRAINTS [--isolde BINARY] [--only TEXT] [--limit 60] [--csv FILE]

CONSTRAINTS is the program made of constraints.cpp (cmake -DISOLDE_BENCH_SOLVERS=ON), whose head says
what the constraints are. Seconds are those of solving alone, after saturation; reading and
building are not in them. "rounds" are conflicts (ours) and lemmas (CaDiCaL). Solvers that give
different answers are an error; "unknown" is one that ran out of time, or past twice of it.
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import hard

SOLVERS = ('ours', 'cadical', 'z3')


def blind(txns, sessions, keys, ops):
    return hard.written(lambda: hard.blind_writes(txns, sessions, keys, ops, 0.2, 0.99, 1))


def instances():
    """Name, maker and levels."""
    for variables, ratio in ((100, 3), (100, 4.26), (150, 4.26), (200, 3), (200, 4.26), (150, 6)):
        name = f'sat {variables} variables ratio {ratio}'
        yield name, hard.formula(variables, ratio), (hard.SER,)
    for holes in (6, 7, 8):
        yield f'sat pigeons {holes}', hard.pigeons(holes), (hard.SER,)
    for txns in (100, 300, 1000):
        yield (f'blind {txns}, 300 keys, 20 sessions', blind(txns, 20, 300, 4),
               (hard.SER, hard.SESSION_SER))
    yield 'blind 3000, 1000 keys, 100 sessions', blind(3000, 100, 1000, 8), (hard.SESSION_SER,)
    yield ('generalwh', hard.generated(
        '--workload', 'general', '--sessions', 25, '--txns', 10_000, '--ops', 8, '--keys', 10_000,
        '--reads', 0.3, '--isolation', hard.SI, '--no-times'), (hard.SESSION_SI,))


def solve(program, solver, level, history, limit):
    """Verdict, seconds, pairs and rounds; Z3 does not look at its limit everywhere."""
    try:
        run = subprocess.run([program, solver, level, history, str(limit)], capture_output=True,
                             text=True, timeout=2 * limit + 60, check=False)
    except subprocess.TimeoutExpired:
        return 'unknown', '', '', ''
    if run.returncode != 0:
        sys.exit(f'{solver} at {level}: {run.stderr}')
    return tuple(run.stdout.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('constraints')
    parser.add_argument('--isolde', default=str(hard.ROOT / 'build/release/isolde'))
    parser.add_argument('--only', default='', help='instances whose name contains this')
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--csv', help='also write the rows to this file')
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        history = pathlib.Path(folder) / 'history.jsonl'
        for name, make, levels in instances():
            if args.only not in name:
                continue
            make(args.isolde, history)
            for level in levels:
                row = {'instance': name, 'level': level, 'pairs': ''}
                answers = set()
                for solver in SOLVERS:
                    found = solve(args.constraints, solver, level, history, args.limit)
                    verdict, seconds, pairs, rounds = found
                    answers |= {verdict} - {'unknown'}
                    row['pairs'] = pairs or row['pairs']
                    row[solver] = verdict if verdict == 'unknown' else f'{verdict}, {seconds} s'
                    if solver != 'z3':
                        row[f'rounds of {solver}'] = rounds
                if len(answers) > 1:
                    sys.exit(f'{name}, {level}: the solvers do not agree: {row}')
                if not rows:
                    print('| ' + ' | '.join(row) + ' |')
                    print('|' + '---|' * len(row))
                rows.append(row)
                print('| ' + ' | '.join(row.values()) + ' |', flush=True)
    if args.csv and rows:
        with open(args.csv, 'w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == '__main__':
    main()
