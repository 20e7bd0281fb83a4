#!/usr/bin/env python3
"""What recording costs: the same run with and without it, in turn.

    recording.py ISOLDE [--pairs 5] [--duration 10s] [run arguments]

By default on a private PostgreSQL at serializable with mini-transactions. Prints the commits a
second of each run and the median of the pairs' ratios; needs an otherwise idle machine.
"""
import argparse
import re
import statistics
import subprocess
import tempfile


def rate(isolde, arguments, recording, folder, number):
    command = [isolde, 'run', '--no-progress', *arguments]
    # The check that follows a recorded run is not part of the comparison.
    command += (['--out', f'{folder}/{number}.jsonl', '--level', 'rc'] if recording
                else ['--no-record'])
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r'\((\d+)/s\)', done.stdout).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('isolde')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--duration', default='10s')
    options, rest = parser.parse_known_args()
    arguments = rest or ['--server', 'postgres', '--isolation', 'serializable', '--workload',
                         'mini', '--keys', '1000', '--sessions', '4']
    arguments += ['--duration', options.duration]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.pairs):
            order = [True, False] if number % 2 == 0 else [False, True]
            rates = {recording: rate(options.isolde, arguments, recording, folder, number)
                     for recording in order}
            ratios.append(rates[True] / rates[False])
            print(f'pair {number}: {rates[True]}/s recorded, {rates[False]}/s not, '
                  f'ratio {ratios[-1]:.3f}', flush=True)
    print(f'median ratio {statistics.median(ratios):.3f}')


if __name__ == '__main__':
    main()
