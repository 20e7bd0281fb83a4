#!/usr/bin/env python3
"""What is one file and one row of the program is described in the page that CONTRIBUTING.md names.

    rows_test.py ISOLDE

It asks the program for its workloads with their parameters, formats, forms of output, databases with
their isolations and parameters, and looks for each of them in that page, as code.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# In the words of its table "One file and one row": the pages of a row, and how many rows there are at least.
PAGES = {
    'workload': (['docs/workloads.md'], 30),
    'reader': (['docs/formats/foreign.md'], 10),
    'form of output': (['docs/outputs.md'], 8),
    'driver': (['docs/databases.md', 'docs/adapters.md'], 1),
}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


class Program:
    def __init__(self, path):
        self.path = path

    def says(self, *words):
        return subprocess.run([self.path, *words], capture_output=True, text=True, check=True).stdout

    def names(self, *words):
        return re.findall(r'^([a-z][\w-]*) ', self.says(*words), re.M)

    def workloads(self):
        for name in self.names('workloads'):
            options = re.findall(r'^  (--[a-z-]+)', self.says('workloads', name), re.M)
            yield name, [name], options

    def formats(self):
        text = re.search(r'^  --format .*One of (.*)$', self.says('convert', '--help'), re.M)
        for name in text.group(1).split(', '):
            if not os.path.exists(os.path.join(ROOT, 'docs', 'formats', name + '.md')):
                yield name, [name], []

    def forms(self):
        """By the tables: the program's help does not tell them from other options."""
        folders = (read('src/explain/CMakeLists.txt'), read('src/report/CMakeLists.txt'))
        names = [name for text in folders for name in re.search(r'^set\(forms\n([^)]*)\)', text, re.M)
                 .group(1).split()]
        for name in names:
            if name != 'text':  # what is printed where no form is asked for
                yield name, [], ['--' + name]

    def databases(self):
        for name in self.names('databases'):
            text = self.says('databases', name)
            isolations = re.findall(r'^    ([a-z-]+) +promises', text, re.M)
            parameters = re.findall(r'[?&]([a-z_]+)=', text)
            yield name, isolations, [name + ':'] + parameters


def described(pages, words, options):
    """Words that no page has as code, and options that none has in code."""
    code = '\n'.join(re.findall(r'^```.*?^```|`[^`\n]+`', '\n'.join(map(read, pages)), re.M | re.S))
    return ([word for word in words if f'`{word}`' not in code] +
            [option for option in options
             if not re.search(rf'(?<![\w-]){re.escape(option)}(?![a-z-])', code)])


def main(argv):
    program, wrong = Program(argv[1]), []
    for kind, rows in (('workload', program.workloads()), ('reader', program.formats()),
                       ('form of output', program.forms()), ('driver', program.databases())):
        pages, least = PAGES[kind]
        count = 0
        for name, words, options in rows:
            count += 1
            for word in described(pages, words, options):
                wrong.append(f'{kind} {name}: {word} is not described in {" or ".join(pages)}')
        assert count >= least, f'{count} of {kind}'
        row = re.search(rf'^\| {kind} \|.*$', read('CONTRIBUTING.md'), re.M)
        assert row and pages[0] in row.group(), f'CONTRIBUTING.md names another page of {kind}'
    print('\n'.join(wrong) or 'all are described')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
