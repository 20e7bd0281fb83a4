#!/usr/bin/env python3
"""Changes one condition of the engine or the verifier at a time and sees whether a test fails.

    mutate.py [--files GLOB] [--sample N] [--seed N] [--jobs N] [--work DIR]

Each mutant is one file with one change: a comparison or a logical operator turned, a condition
negated, a boolean result flipped, an addend of one left out. It is built, without optimisation and
with invariants on, and the tests of its folder run, then those of the whole engine over few random
cases with a fixed seed, until one fails. A mutant that none notices is a survivor: its place and its
change are printed, and it deserves a test, or a reason in docs/TESTING.md. One that does not compile
or that differs in nothing but an assertion is left out.

Copies the tree to DIR (build/mutate), once for each job, and works there. Before the first mutant
all is built, once, which takes some ten minutes; a mutant takes some 20 s. Exit code 1 when there are survivors.
"""
import argparse
import concurrent.futures
import dataclasses
import filecmp
import fnmatch
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ('certify', 'check', 'graph', 'infer', 'level', 'linear', 'order', 'prune', 'refute', 'search',
           'session', 'solver', 'source', 'weak')
# Whose unit tests are programs of other names.
UNIT = {'certify': ['certify/test_certify', 'certify/test_certify_sessions',
                    'certify/test_certify_linear'],
        'session': ['session/test_sessions']}
# Program, cases of its random tests, and which of its tests; the whole engine, cheapest first.
ENGINE = [
    ('corpus/test_regressions', '5%', '*'),
    ('prop/test_prop', '3%', '*'),
    ('prop/test_prop_verifier', '3%', '*'),
    ('prop/test_prop_selection', '3%', '*'),
    ('prop/test_prop_aggregate', '3%', '*'),
    ('prop/test_prop_linear', '3%', '*'),
]
UNIT_CASES = '10%'
PATIENCE = 5  # a program that takes so many times as long as without a mutant, and 10 s, hangs


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`old` at `column` of `line`, both from 0, becomes `new`."""
    path: str
    line: int
    column: int
    old: str
    new: str

    def __str__(self):
        return f'{self.path}:{self.line + 1}:{self.column + 1}: {self.old.strip()} -> {self.new.strip()}'


OPERATORS = [(' < ', ' <= '), (' <= ', ' < '), (' > ', ' >= '), (' >= ', ' > '), (' == ', ' != '),
             (' != ', ' == '), (' && ', ' || '), (' || ', ' && '), (' + 1', ''), (' - 1', '')]
RESULTS = [('return true;', 'return false;'), ('return false;', 'return true;')]
LEFT_OUT = re.compile(r'^\s*(//|#|template|static_assert|using|ISOLDE_|\*)|operator[<>=!]|<=>')


def strip(line):
    """The line with strings, characters and the comment at its end blanked."""
    blank = lambda match: ' ' * len(match.group())
    line = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'', blank, line)
    return re.sub(r'//.*', blank, line)


def mutants_of(path, text):
    """All changes of one file."""
    inside_assertion = 0
    for number, raw in enumerate(text.split('\n')):
        line = strip(raw)
        if inside_assertion or re.match(r'\s*ISOLDE_(ASSERT|CHECK|INVARIANT)\(', line):
            inside_assertion += line.count('(') - line.count(')')
            continue
        if LEFT_OUT.search(line):
            continue
        for old, new in OPERATORS + RESULTS:
            start = line.find(old)
            while start >= 0:
                yield Mutant(path, number, start, old, new)
                start = line.find(old, start + 1)
        for match in re.finditer(r'\b(if|while) \(', line):
            end = closing(line, match.end() - 1)
            if end is not None and ';' not in line[match.end():end]:
                condition = raw[match.end():end]
                yield Mutant(path, number, match.end(), condition, f'!({condition})')


def closing(line, start):
    """Where the parenthesis closes, in this line."""
    depth = 0
    for at in range(start, len(line)):
        depth += {'(': 1, ')': -1}.get(line[at], 0)
        if depth == 0:
            return at
    return None


def mirror(source, target):
    """Copies what differs, with the time of now, so that what an interrupted run left is built again."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        for name in set(os.listdir(target)) - set(os.listdir(source)):
            extra = os.path.join(target, name)
            shutil.rmtree(extra) if os.path.isdir(extra) else os.remove(extra)
        for name in os.listdir(source):
            mirror(os.path.join(source, name), os.path.join(target, name))
    elif not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


class Tree:
    """A copy of the tree in which one mutant at a time is built and tested."""

    def __init__(self, place):
        self.place = place
        self.seconds = {}  # by program, without a mutant
        self.build = os.path.join(place, 'build')
        for part in ('src', 'include', 'test', 'cmake', 'examples', 'bench', 'demo', 'docs', 'recipes', 'tools'):
            mirror(os.path.join(ROOT, part), os.path.join(place, part))
        for part in ('CMakeLists.txt', 'CMakePresets.json'):
            mirror(os.path.join(ROOT, part), os.path.join(place, part))
        subprocess.run(['cmake', '-S', place, '-B', self.build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
                        '-DCMAKE_CXX_FLAGS_DEBUG=-O1', '-DISOLDE_TESTS=ON'],
                       check=True, stdout=subprocess.DEVNULL)

    def make(self, programs, jobs=1):
        """Whether they build."""
        targets = [os.path.basename(program) for program in programs]
        done = subprocess.run(['ninja', '-C', self.build, '-j', str(jobs), *targets], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.log = done.stdout
        return done.returncode == 0

    def passes(self, program, cases, tests):
        """Whether the program finds nothing wrong."""
        begin = time.monotonic()
        environment = dict(os.environ, ISOLDE_CASES=cases, ISOLDE_SEED='1', GTEST_FAIL_FAST='1')
        try:
            done = subprocess.run([os.path.join(self.build, 'test', program), f'--gtest_filter={tests}'],
                                  check=False, env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL,
                                  timeout=10 + PATIENCE * self.seconds.get(program, 60))
            self.seconds.setdefault(program, time.monotonic() - begin)
            return done.returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def judge(self, mutant):
        """The program that notices the mutant, '' when none does, None when it does not build."""
        path = os.path.join(self.place, mutant.path)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        lines = text.split('\n')
        line = lines[mutant.line]
        assert line.startswith(mutant.old, mutant.column), mutant
        lines[mutant.line] = (line[:mutant.column] + mutant.new
                              + line[mutant.column + len(mutant.old):])
        write(path, '\n'.join(lines))
        try:
            units = programs_of(mutant.path)
            for program, cases, tests in [(unit, UNIT_CASES, '*') for unit in units] + ENGINE:
                if not self.make([program]):
                    return None
                if not self.passes(program, cases, tests):
                    return program
            return ''
        finally:
            write(path, text)


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def programs_of(path):
    """The unit tests of the file's folder."""
    folder = path.split('/')[1]
    programs = UNIT.get(folder, [f'{folder}/test_{folder}'])
    return ['unit/' + program for program in programs]


def choose(options):
    """The mutants to try."""
    found = []
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(ROOT, 'src', folder))):
            path = f'src/{folder}/{name}'
            if name.endswith(('.cpp', '.hpp')) and fnmatch.fnmatch(path, options.files):
                with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                    found += mutants_of(path, file.read())
    if options.sample and options.sample < len(found):
        found = sorted(random.Random(options.seed).sample(found, options.sample),
                       key=lambda each: (each.path, each.line, each.column))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--files', default='*', help='such as src/solver/*')
    parser.add_argument('--sample', type=int, default=0, help='how many mutants, at random; 0: all')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--work', default=os.path.join(ROOT, 'build', 'mutate'))
    options = parser.parse_args()
    mutants = choose(options)
    print(f'{len(mutants)} mutants', flush=True)
    trees = queue.Queue()

    def prepare(job):
        place = os.path.join(options.work, str(job))
        os.makedirs(place, exist_ok=True)
        tree = Tree(place)
        units = {program for mutant in mutants for program in programs_of(mutant.path)}
        programs = [(unit, UNIT_CASES, '*') for unit in sorted(units)] + ENGINE
        if not tree.make([program for program, *_ in programs], os.cpu_count()):
            sys.exit(tree.log[-2000:])
        for program, cases, tests in programs:
            if not tree.passes(program, cases, tests):
                sys.exit(f'{program} fails without a mutant')
            print(f'{program}: {tree.seconds[program]:.1f} s', flush=True)
        trees.put(tree)

    def run(mutant):
        tree = trees.get()
        try:
            return mutant, tree.judge(mutant)
        finally:
            trees.put(tree)

    # One after the other: what the first compiles, the others take from ccache.
    for job in range(options.jobs):
        prepare(job)
    begin = time.monotonic()
    survivors, noticed, broken = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, by in pool.map(run, mutants):
            noticed += bool(by)
            broken += by is None
            if by == '':
                survivors.append(mutant)
            print(f'{"does not build" if by is None else by or "SURVIVES"}: {mutant}', flush=True)
    print(f'{noticed} noticed, {len(survivors)} survive, {broken} do not build, '
          f'{time.monotonic() - begin:.0f} s')
    for mutant in survivors:
        print(mutant)
    return 1 if survivors else 0


if __name__ == '__main__':
    sys.exit(main())
