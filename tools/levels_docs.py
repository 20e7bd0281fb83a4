#!/usr/bin/env python3
"""Writes docs/LEVELS.md from docs/LEVELS.intro.md and what `isolde levels` prints, or checks
that it is up to date.

    levels_docs.py ISOLDE            rewrite docs/LEVELS.md
    levels_docs.py --check ISOLDE    exit with 1 when it differs

Lines of the introduction that consist of one of these words are replaced: @HIERARCHY, a picture
of the levels with session order; @TABLE, all levels with their next weaker ones; @EVIDENCE, what
the levels are tested and measured by; @ENTRIES, one section for each level.
"""
import csv
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'LEVELS.md')
INTRO = os.path.join(ROOT, 'docs', 'LEVELS.intro.md')
PROP = os.path.join(ROOT, 'test', 'prop', 'engine_prop.cpp')
# Lines that begin a paragraph of their own.
PARAGRAPHS = ('Sources: ', 'Real time binds', 'Session order binds', 'Violates ')
FIGURES = os.path.join(ROOT, 'bench', 'levels.csv')
RANDOM = os.path.join(ROOT, 'test', 'support', 'random_history.cpp')


def output(isolde, *arguments):
    done = subprocess.run([isolde, 'levels', *arguments], capture_output=True, text=True,
                          check=True)
    return done.stdout


def all_names(isolde):
    """Names in the order of the table: pairs of name and short name."""
    rows = [line.split() for line in output(isolde).splitlines() if line.startswith('  ')]
    return [(row[0], row[1]) for row in rows]


class Entry:
    """One level's text: the title, and sections as pairs of heading and lines."""

    def __init__(self, text):
        lines = text.rstrip('\n').split('\n')
        self.title = lines[0]
        self.sections = [('', [])]
        for line in lines[1:]:
            if line and not line.startswith(' '):
                self.sections.append((line, []))
            elif line:
                self.sections[-1][1].append(line)

    def section(self, heading):
        return next(lines for name, lines in self.sections if name == heading)

    def next_weaker(self):
        text = ' '.join(line.strip() for line in self.section('Weaker and stronger levels'))
        names = re.search(r'Next weaker: (.*?) (?:All|Weaker)', text).group(1)
        return [] if names == 'none' else names.split(', ')

    def cost(self):
        return ' '.join(line.strip() for line in self.section('Cost of deciding'))

    def markdown(self):
        parts = []
        for heading, lines in self.sections:
            history = [line[4:] for line in lines if line.startswith('    ')
                       and heading.startswith('Example')]
            prose = [line.strip() for line in lines if not (line.startswith('    ') and history)]
            prose = ['\n' + line if line.startswith(PARAGRAPHS) else line for line in prose]
            if history:
                parts.append(f'**{heading}.**')
                parts.append('```\n' + '\n'.join(history) + '\n```')
                parts.append('\n'.join(prose))
                continue
            bold = f'**{heading}.** ' if heading else ''
            if heading == 'Weaker and stronger levels':
                items = re.split(r' (?=(?:All|Next) |Weaker too)', ' '.join(prose))
                parts.append(f'**{heading}.**')
                parts.append('\n'.join('- ' + item for item in items))
                continue
            parts.append(bold + '\n'.join(prose))
        return '\n\n'.join(parts)


def weaker_sets(entries):
    """All levels that each level implies, from the next ones."""
    below = {}

    def visit(name):
        if name not in below:
            below[name] = set()
            for weaker in entries[name].next_weaker():
                below[name] |= {weaker} | visit(weaker)
        return below[name]

    for name in entries:
        visit(name)
    return below


def session_levels(entries):
    """The levels at which session order binds and real time does not: their names say so, or
    there is no form without it."""
    sessions = [n for n in entries if n.startswith('strong-session-')]
    alone = ['prefix-consistent-snapshot-isolation', 'sequential', 'transactional-causal', 'causal',
             'writes-follow-reads', 'monotonic-writes', 'monotonic-reads', 'read-your-writes', 'mixed']
    return [n for n in entries if n in sessions or n in alone]


def hierarchy(entries):
    below = weaker_sets(entries)
    shown = session_levels(entries)
    lines = ['```mermaid', 'graph TD']
    for name in shown:
        weaker = [other for other in shown if other in below[name]]
        nearest = [o for o in weaker if not any(o in below[other] for other in weaker)]
        lines += [f'  {name} --> {other}' for other in nearest]
    return '\n'.join(lines + ['```'])


def table(entries, short):
    lines = ['| Level | Short | Next weaker levels |', '|---|---|---|']
    for name, entry in entries.items():
        lines.append(f'| [`{name}`](#{name}) | `{short[name]}` '
                     f'| {", ".join(entry.next_weaker()) or "none"} |')
    return '\n'.join(lines)


def case_counts():
    """Random histories with the oracle's verdicts: for all levels together, for each alone."""
    with open(PROP, encoding='utf-8') as file:
        counts = re.findall(r'case_count\(([\d\']+)\)', file.read())
    return [int(count.replace("'", '')) for count in counts[:2]]


def evidence(entries):
    together, alone = case_counts()
    with open(RANDOM, encoding='utf-8') as file:
        with_database_times = 'database_times' in file.read()
    with open(FIGURES, encoding='utf-8') as file:
        seconds = {row['level']: row['check_s'] + ' s' for row in csv.DictReader(file)}
    lines = ['| Level | Random histories held against the oracle | Cost of deciding | 100k x 8 |',
             '|---|---|---|---|']
    for name, entry in entries.items():
        timed = name in ('commit-ordered-strong-snapshot-isolation', 'ansi-snapshot-isolation',
                         'prefix-consistent-snapshot-isolation')
        cases = f'{together + alone:,}' if not timed or with_database_times else 'none'
        lines.append(f'| `{name}` | {cases} | {entry.cost()} | {seconds.get(name, "-")} |')
    return '\n'.join(lines)


def page(isolde):
    names = all_names(isolde)
    entries = {name: Entry(output(isolde, name)) for name, _ in names}
    short = dict(names)
    made = {
        '@HIERARCHY': lambda: hierarchy(entries),
        '@TABLE': lambda: table(entries, short),
        '@EVIDENCE': lambda: evidence(entries),
        '@ENTRIES': lambda: '\n\n'.join(f'### {name}\n\n{entry.markdown()}'
                                        for name, entry in entries.items()),
    }
    with open(INTRO, encoding='utf-8') as file:
        lines = [made[line]() if line in made else line for line in file.read().split('\n')]
    return '\n'.join(lines)


def main(argv):
    check = '--check' in argv
    argv = [arg for arg in argv if arg != '--check']
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    text = page(argv[0])
    if not check:
        with open(PAGE, 'w', encoding='utf-8') as file:
            file.write(text)
        return 0
    with open(PAGE, encoding='utf-8') as file:
        if file.read() == text:
            return 0
    print('docs/LEVELS.md differs from `isolde levels`; run tools/levels_docs.py ISOLDE')
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
