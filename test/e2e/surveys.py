#!/usr/bin/env python3
"""isolde survey on real databases: which cell says what.

    surveys.py ISOLDE list     names, one a line
    surveys.py ISOLDE NAME     runs one; exit code 0: right, 1: not, 77: packages missing

The cells are those of PostgreSQL 15 and MariaDB 10.11; docs/survey.md compares them with Hermitage's
table. Each kept history must be decided by `isolde check` as its cell says. Times decide nothing: a
step counts as blocked when another session's end has released it.
"""
import json
import os
import subprocess
import sys
import tempfile

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK_REPORT = os.path.join(ROOT, 'tools', 'check_report.py')

WORDS = {'X': 'occurs', 'b': 'blocked', 'd': 'deadlock', 'a': 'aborted', '.': 'clean'}
COLUMNS = ['G0', 'G1a', 'G1b', 'G1c', 'OTV', 'OTV-write', 'IMP', 'PMP', 'PMP index',
           'P4', 'P4-later', 'G-single', 'G-single-write', 'G-single pred.', 'G-single pred. index',
           'G2-item', 'G2-read-only', 'G2', 'G2 index']
# The options that name the database, and a letter for each column.
TABLES = {
    'postgres': (['--server', 'postgres'], {
        'read-committed': 'b...b.XXXXXXXXXXXXX',
        'repeatable-read': 'a...aa...aa.a..XXXX',
        'serializable': 'a..aaa...aa.a..aaaa'}),
    'mariadb': (['--server', 'mariadb'], {
        'repeatable-read': 'b...bX...XX.X..XXXX',
        'read-uncommitted': 'bXXXX.XXXXXXXXXXXXX',
        'read-committed': 'b...b.XXXXXXXXXXXXX',
        'serializable': 'bbbdbbbbbddbbbbdddd'}),
}


class Failure(Exception):
    pass


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def survey(isolde, options, folder):
    done = run([isolde, 'survey', *options, '--json', '--no-progress', '--load', '100ms',
                '--step-wait', '250ms', '--keep', os.path.join(folder, 'kept'), '--html',
                os.path.join(folder, 'page.html')])
    if done.returncode == 4 and 'install the package' in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)
    if done.returncode != 0:
        raise Failure(f'exit code {done.returncode}: {done.stderr.strip()}')
    valid = subprocess.run([sys.executable, CHECK_REPORT, 'survey'], input=done.stdout,
                           capture_output=True, text=True, check=False)
    if valid.returncode != 0:
        raise Failure(valid.stdout + valid.stderr)
    if not os.path.getsize(os.path.join(folder, 'page.html')) > 10000:
        raise Failure('the page is empty')
    return json.loads(done.stdout)


def check_cell(isolde, where, cell, expected):
    """The cell is as expected, and its history says the same."""
    if cell['outcome'] != expected:
        return [f'{where}: {cell["outcome"]} ({cell["how"]}), not {expected}']
    words = cell['check'].split()
    checked = run([isolde, *words[1:]])
    wanted = 1 if expected == 'occurs' else 0
    if checked.returncode != wanted:
        return [f'{where}: {expected}, and isolde check says {checked.returncode}']
    return []


def show(isolde, name):
    options, table = TABLES[name]
    with tempfile.TemporaryDirectory() as folder:
        told = survey(isolde, options, folder)
        columns = [scenario['column'] for scenario in told['scenarios']]
        if columns != COLUMNS:
            raise Failure(f'the columns are {columns}')
        problems = []
        rows = {row['isolation']: row for row in told['settings']}
        if sorted(rows) != sorted(table):
            raise Failure(f'the settings are {sorted(rows)}')
        for setting, letters in table.items():
            row = rows[setting]
            print(setting, [cell['outcome'] for cell in row['cells']], row['promise']['text'],
                  row['strongest'])
            for column, cell, letter in zip(COLUMNS, row['cells'], letters, strict=True):
                problems += check_cell(isolde, f'{setting}, {column}', cell, WORDS[letter])
            if len(row['loads']) != 6 or any(load['committed'] == 0 for load in row['loads']):
                problems.append(f'{setting}: loads {row["loads"]}')
        if problems:
            raise Failure('\n'.join(problems))


def main(arguments):
    isolde, name = arguments[:2]
    if name == 'list':
        print('\n'.join(TABLES))
        return 0
    try:
        show(isolde, name)
    except Failure as failure:
        print('FAILED:', failure)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
