#!/usr/bin/env python3
"""Recipes, as whoever reads of a finding repeats it.

    recipes.py ISOLDE list     names, one a line
    recipes.py ISOLDE NAME     runs one; exit code 0: right, 1: not, 77: packages missing

A recipe that a database's makers may remedy passes with either outcome, which is printed: what
has to be right is that the run comes to its end, that something met in it, and that every proof
verifies. A control must show what it says.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import proofs

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, 'recipes')


class Failure(Exception):
    pass


def names():
    return sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith('.toml'))


def expected(name):
    """The recipe's level and the verdict that it says."""
    with open(os.path.join(FOLDER, name + '.toml'), encoding='utf-8') as file:
        text = file.read()
    verdict, level = re.search(r'^(violated|holds) = "([^"]+)"', text, re.M).groups()
    return level, verdict


def run(isolde, name, folder):
    history = os.path.join(folder, 'history.jsonl')
    command = [isolde, 'run', '--recipe', name, '--out', history, '--json', '--no-progress',
               '--certificate', os.path.join(folder, 'proof')]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print('$', 'isolde', *command[1:])
    if done.returncode == 4 and 'install the package' in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)
    if done.returncode not in (0, 1, 2):
        raise Failure(f'exit code {done.returncode}: {done.stderr.strip()}')
    report = json.loads(done.stdout)
    if refusal := proofs.refused(isolde, report, history):
        raise Failure(refusal)
    return report


def show(isolde, name):
    level, verdict = expected(name)
    with tempfile.TemporaryDirectory() as folder:
        report = run(isolde, name, folder)
    generated = report['run']
    seen = report['levels'][level]['verdict']
    print(f'{generated["version"]}: {generated["committed"]} committed, {generated["aborted"]} '
          f'aborted; {level}: {seen}, the recipe says {verdict}')
    if generated['stopped']:
        raise Failure(f'stopped early: {generated["stopped"]}')
    met = (generated['aborted'] > 0 or generated['faults'] > 0
           or report['evidence']['meetings'] > 0)
    if generated['committed'] == 0 or not met:
        raise Failure('nothing met in this run')
    control_is_wrong = name.endswith('-control') and seen != verdict
    if seen not in ('holds', 'violated') or control_is_wrong:
        raise Failure(f'{level} is {seen}')


def main(arguments):
    isolde, name = arguments[:2]
    if name == 'list':
        print('\n'.join(names()))
        return 0
    try:
        show(isolde, name)
    except Failure as failure:
        print('FAILED:', failure)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
