#!/usr/bin/env python3
"""A guard against slow changes: counts the instructions of small runs, one for each stage.

    instructions.py ISOLDE [--update]

Counts are those of valgrind's callgrind with one thread, so they are the same in each run of one
binary. Fails where a recipe needs over 2 % more than bench/instructions.csv says. A change that has
a reason to cost more updates the file, and gives the reason in its commit message; the column
`before` stays, and says what the recipe took when it was added. Counts of other compilers cannot be
compared; then nothing is checked, and a line says so.
"""
import concurrent.futures
import csv
import dataclasses
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, 'bench', 'instructions.csv')
ALLOWED = 1.02
CHECK = 'check --threads 1 --no-progress'


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Commands of isolde: `gen` (options) and `prepare` make the files, `counted` is counted."""
    name: str
    gen: str
    counted: str
    code: int = 0
    prepare: str = ''


RECIPES = [
    Recipe('load JSON Lines', '--workload general --sessions 16 --txns 10000', 'stats h.jsonl'),
    Recipe('load native-binary', '--workload general --sessions 16 --txns 40000 '
           '--to native-binary', 'stats h.jsonl'),
    Recipe('sweep: blindw-rw ser, sser, si',
           '--workload blindw-rw --isolation strict-serializable --sessions 24 --ops 8 '
           '--txns 5000 --keys 1000', f'{CHECK} --level ser,sser,si h.jsonl'),
    Recipe('rounds: blindw-rw',
           '--workload blindw-rw --isolation strict-serializable --sessions 24 --ops 8 '
           '--txns 5000 --keys 1000 --to native-binary', 'watch --threads 1 --no-progress h.jsonl'),
    Recipe('saturation: general without times ssser',
           '--workload general --isolation serializable --sessions 8 --txns 2000 --no-times',
           f'{CHECK} --level ssser h.jsonl'),
    Recipe('search: general without times si',
           '--workload general --isolation snapshot-isolation --staleness any --sessions 16 '
           '--txns 1000 --keys 100 --no-times', f'{CHECK} --level si h.jsonl'),
    Recipe('repeated values: general without times ser, rc',
           '--workload general --isolation serializable --sessions 8 --txns 300 --keys 100 '
           '--values 16 --no-times', f'{CHECK} --level ser,rc h.jsonl'),
    Recipe('parallel snapshots: long forks psi',
           '--workload general --isolation snapshot-isolation --fault long-fork '
           '--fault-rate 0.2 --sessions 8 --txns 1000 --keys 100 --no-times',
           f'{CHECK} --level psi h.jsonl'),
    Recipe('weak: read committed tcc, ra, mav',
           '--workload general --isolation read-committed --sessions 8 --txns 3000 --keys 100',
           f'{CHECK} --level tcc,ra,mav h.jsonl', 1),
    Recipe('linearizable: values that repeat',
           '--workload general --ops 1 --isolation strict-serializable --sessions 8 '
           '--txns 5000 --keys 20 --values 4', f'{CHECK} --level linearizable h.jsonl'),
    Recipe('violation: lost updates ser, si, told',
           '--workload general --isolation snapshot-isolation --fault lost-update '
           '--fault-rate 0.1 --sessions 8 --txns 3000 --keys 100',
           f'{CHECK} --level ser,si h.jsonl', 1),
    Recipe('list-append all levels',
           '--workload list-append --isolation snapshot-isolation --sessions 8 --txns 2000',
           f'{CHECK} h.jsonl'),
    Recipe('verify: list-append si',
           '--workload list-append --isolation snapshot-isolation --sessions 8 --txns 2000',
           'verify proof.jsonl h.jsonl', 0, f'{CHECK} --level si --certificate proof.jsonl h.jsonl'),
]


def compiler():
    return subprocess.run(['g++', '-dumpfullversion'], capture_output=True, text=True,
                          check=True).stdout.strip()


def count(isolde, recipe):
    with tempfile.TemporaryDirectory() as folder:
        def run(command, *before):
            return subprocess.run([*before, isolde, *command.split()], cwd=folder,
                                  capture_output=True, text=True, check=False)
        made = run(f'gen {recipe.gen} --seed 1 --out h.jsonl')
        if made.returncode != 0:
            sys.exit(f'{recipe.name}: {made.stderr}')
        if recipe.prepare:
            run(recipe.prepare)
        done = run(recipe.counted, 'valgrind', '--tool=callgrind',
                   '--callgrind-out-file=/dev/null')
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != recipe.code or not found:
        sys.exit(f'{recipe.name}: exit code {done.returncode}\n{done.stderr}')
    return int(found.group(1))


def read_known():
    if not os.path.exists(FILE):
        return {}
    with open(FILE, encoding='utf-8') as file:
        return {row['recipe']: row for row in csv.DictReader(file)}


def write_known(known, counts):
    with open(FILE, 'w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(['recipe', 'before', 'instructions', 'compiler'])
        for name, number in counts.items():
            before = known[name]['before'] if name in known else number
            writer.writerow([name, before, number, compiler()])


def compare(known, counts):
    failed = False
    for name, number in counts.items():
        if known[name]['compiler'] != compiler():
            print(f'{name}: counted with g++ {known[name]["compiler"]}, this is {compiler()}: '
                  'not compared')
            continue
        ratio = number / int(known[name]['instructions'])
        since = number / int(known[name]['before'])
        print(f'{name}: {number} instructions, {ratio:.3f} of what is known, {since:.3f} of '
              'what it was at first')
        failed = failed or ratio > ALLOWED
    if failed:
        print('more than 2 % above bench/instructions.csv; if there is a reason, run '
              'tools/instructions.py ISOLDE --update and give it in the commit message')
    return failed


def main(argv):
    update = '--update' in argv
    argv = [arg for arg in argv if arg != '--update']
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    isolde = os.path.abspath(argv[0])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip((recipe.name for recipe in RECIPES),
                          pool.map(lambda recipe: count(isolde, recipe), RECIPES)))
    if update:
        write_known(read_known(), counts)
        return 0
    return 1 if compare(read_known(), counts) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
