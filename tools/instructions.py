#!/usr/bin/env python3
"""A guard against slow changes: counts the instructions of three small checks.

    instructions.py ISOLDE [--update]

Counts are those of valgrind's callgrind with one thread, so they are the same in each run of one
binary. Fails where a recipe needs over 5 % more than bench/instructions.csv says. A change that has
a reason to cost more updates the file, and gives the reason in its commit message. Counts of other
compilers cannot be compared; then nothing is checked, and a line says so.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, 'bench', 'instructions.csv')
ALLOWED = 1.05
# name, options of gen, options of check, exit code
RECIPES = [
    ('blindw-rw ser, sser, si', ['--workload', 'blindw-rw', '--isolation', 'strict-serializable',
                                 '--sessions', '24', '--ops', '8', '--txns', '5000', '--keys',
                                 '1000'], ['--level', 'ser,sser,si'], 0),
    ('general without times ssser', ['--workload', 'general', '--isolation', 'serializable',
                                     '--sessions', '8', '--txns', '2000', '--no-times'],
     ['--level', 'ssser'], 0),
    ('list-append all levels', ['--workload', 'list-append', '--isolation', 'snapshot-isolation',
                                '--sessions', '8', '--txns', '2000'], [], 0),
]


def compiler():
    return subprocess.run(['g++', '-dumpfullversion'], capture_output=True, text=True,
                          check=True).stdout.strip()


def count(isolde, recipe, folder):
    _, generate, check, code = recipe
    history = os.path.join(folder, 'history.jsonl')
    subprocess.run([isolde, 'gen', *generate, '--seed', '1', '--out', history], check=True)
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', isolde,
                           'check', '--threads', '1', '--no-progress', *check, history],
                          capture_output=True, text=True, check=False)
    os.unlink(history)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != code or not found:
        sys.exit(f'{recipe[0]}: exit code {done.returncode}\n{done.stderr}')
    return int(found.group(1))


def main(argv):
    update = '--update' in argv
    argv = [arg for arg in argv if arg != '--update']
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        counts = {recipe[0]: count(argv[0], recipe, folder) for recipe in RECIPES}
    if update:
        with open(FILE, 'w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file)
            writer.writerow(['recipe', 'instructions', 'compiler'])
            writer.writerows([name, number, compiler()] for name, number in counts.items())
        return 0
    with open(FILE, encoding='utf-8') as file:
        known = {row['recipe']: row for row in csv.DictReader(file)}
    failed = False
    for name, number in counts.items():
        if known[name]['compiler'] != compiler():
            print(f'{name}: counted with g++ {known[name]["compiler"]}, this is {compiler()}: '
                  'not compared')
            continue
        ratio = number / int(known[name]['instructions'])
        print(f'{name}: {number} instructions, {ratio:.3f} of what is known')
        failed = failed or ratio > ALLOWED
    if failed:
        print('more than 5 % above bench/instructions.csv; if there is a reason, run '
              'tools/instructions.py ISOLDE --update and give it in the commit message')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
