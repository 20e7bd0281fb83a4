#!/usr/bin/env python3
"""Commit and abort rates of mini-transactions against general ones (MTC, figure 11).

    abort_rates.py ISOLDE [--duration 10s] [--server postgres]

One table: workload, isolation, operations a transaction, commits a second, share of aborts, and
the seconds that generation and checking took.
"""
import argparse
import json
import subprocess
import tempfile

WORKLOADS = {
    'mini': ['--workload', 'mini', '--keys', '100', '--distribution', 'zipfian'],
    'general, 8 operations': ['--workload', 'general', '--keys', '100', '--ops', '8',
                              '--distribution', 'zipfian'],
    'general, 16 operations': ['--workload', 'general', '--keys', '100', '--ops', '16',
                               '--distribution', 'zipfian'],
    'rmw, 8 operations': ['--workload', 'rmw', '--keys', '100', '--ops', '8', '--reads', '0',
                          '--distribution', 'zipfian'],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('isolde')
    parser.add_argument('--duration', default='10s')
    parser.add_argument('--server', default='postgres')
    parser.add_argument('--isolations', default='repeatable-read,serializable')
    parser.add_argument('--sessions', default='10')
    options = parser.parse_args()
    print('| Workload | Isolation | Commits/s | Aborted | Generate | Check |')
    print('|---|---|---|---|---|---|')
    for isolation in options.isolations.split(','):
        for name, arguments in WORKLOADS.items():
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [options.isolde, 'run', '--no-progress', '--json', '--server',
                     options.server, '--isolation', isolation, *arguments, '--sessions',
                     options.sessions, '--duration', options.duration, '--out',
                     f'{folder}/h.jsonl'], capture_output=True, text=True, check=False)
            report = json.loads(done.stdout)
            run = report['run']
            attempts = run['committed'] + run['aborted'] + run['unknown']
            print(f"| {name} | {isolation} | {run['committed'] / report['seconds']['generate']:.0f}"
                  f" | {100 * run['aborted'] / attempts:.1f} % | "
                  f"{report['seconds']['generate']:.1f} s | "
                  f"{report['seconds']['load'] + report['seconds']['check']:.2f} s |", flush=True)


if __name__ == '__main__':
    main()
