#!/usr/bin/env python3
"""House rules as a program: layers, sizes, banned words, tests and paths that must exist.

    tidy.py [ROOT]    prints one line for each problem; exit code 1 when there is any

The rules stand in the tables below. Exceptions that may only shrink (the ratchet) and files that
are tested through others are listed, with the reason, in tidy_exceptions.txt.
"""
import glob
import os
import re
import subprocess
import sys

FUNCTION_LINES = 70
FILE_LINES = {'.cpp': 800, '.cu': 800, '.hpp': 300, '.h': 300}
COLUMNS = 96

# Pattern, where it is banned (path prefix), where it is allowed, what to do instead.
BANNED = [
    (r'\busing namespace\b', '', (), 'name what you use'),
    (r'\bnew [A-Za-z_(]', 'src/', (), 'use std::make_unique or a container'),
    (r'(?<!= )(?<!")\bdelete\b(?! *;)', 'src/', (), 'use an owner'),
    (r'\b(?:std::)?(?:f|v|vf)?printf\(|std::cout|std::cerr|\bputs\(', 'src/',
     ('src/cli/', 'src/base/assert.cpp'), 'the library never prints'),
    (r'(?<![\w.>])(?:std::abort|(?:std::)?_?exit)\(', 'src/',
     ('src/base/assert.cpp', 'src/cli/interrupt.cpp'),
     'return an Error, or use ISOLDE_CHECK for bugs'),
    (r'\bthrow\b', 'src/', ('src/cli/allocation.cpp', 'src/base/memory_guard.cpp'), 'return an Error'),
    (r'std::views\b|std::ranges::views\b', '', (), 'clang 14 refuses it; write a loop'),
    (r'std::format\b|std::expected\b|std::source_location\b', '', (),
     'not in both compilers'),
    (r'\brand\(|\bsrand\(|std::random_device', '', ('test/support/seed.cpp',),
     'use base/rng.hpp with a seed'),
    (r'catch \(\.\.\.\)', 'src/', ('src/cli/main.cpp',), 'catch what you expect'),
    (r'\bshared_ptr\b', 'src/', (), 'one owner: unique_ptr or a value'),
    (r'\bassert\(', 'src/', (), 'use ISOLDE_ASSERT or ISOLDE_CHECK'),
    (r'FIX' + r'ME', '', (), 'fix it'),
    (r'TO' + r'DO(?!.*#\d)', '', (), 'name the issue: #n'),
]
CODE = ('.cpp', '.cu', '.hpp', '.h')
TEXT = CODE + ('.py', '.md', '.txt', '.cmake', '.t', '.json', '.sh', '.js', '.css', '.html')
# The row of what is one file and one row, which only the table names that CMake makes (isolde_table).
ROW = re.compile(r'^const (?:Format|Workloads|Form|explain::Form|DatabaseRemedies|DatabaseInfo)& (\w+)_(\w+)\(\) \{$')
ROWS_ELSEWHERE = ('text_form',)  # the form that needs no option
BAD_NAMES = re.compile(r'(\.bak|\.backup|\.orig|\.rej|~|2\.cpp)$')
HOME = re.compile(r'(?<![\w.$/])/(?:root|home|work|Users)/')
SOURCE_PATH = re.compile(r'`((?:src|docs|test|tools|demo|include|bench|cmake)/[\w./-]*\w(?:/|\.\*)?)`')
DOC_PATH = re.compile(r'\b(docs/[\w/-]+\.(?:md|json))\b')
MARKDOWN_LINK = re.compile(r'\]\(([^)#: ]+)(?:#[^)]*)?\)')
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
FUNCTION_END = re.compile(r'[)\w>] *(?:const|noexcept|override|final|mutable|->[^{]*|&|\s)*\{$')
NOT_A_FUNCTION = re.compile(
    r'^\s*(?:\}?\s*else|do|if|for|while|switch|case|namespace|struct|class|enum|union|extern)\b')


class Tidy:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.files = self.list_files()
        self.ratchet, self.untested = self.read_exceptions()

    def list_files(self):
        try:
            done = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'],
                                  cwd=self.root, capture_output=True, text=True, check=True)
            names = done.stdout.splitlines()
        except (OSError, subprocess.CalledProcessError):
            names = [os.path.relpath(os.path.join(folder, name), self.root)
                     for folder, _, found in os.walk(self.root) for name in found
                     if '/.git' not in folder and '/build' not in folder]
        return sorted(n for n in set(names) if os.path.isfile(os.path.join(self.root, n)))

    def read_exceptions(self):
        ratchet, untested = {}, set()
        path = os.path.join(self.root, 'tools', 'tidy_exceptions.txt')
        if not os.path.exists(path):
            return ratchet, untested
        with open(path, encoding='utf-8') as file:
            for line in file:
                words = line.split('#')[0].split()
                if len(words) == 3 and words[0] in ('function', 'file'):
                    ratchet[(words[0], words[1])] = int(words[2])
                elif len(words) == 2 and words[0] == 'untested':
                    untested.add(words[1])
        return ratchet, untested

    def problem(self, path, line, message):
        self.problems.append(f'{path}:{line}: {message}' if line else f'{path}: {message}')

    def read(self, path):
        try:
            with open(os.path.join(self.root, path), encoding='utf-8') as file:
                return file.read().split('\n')
        except UnicodeDecodeError:
            self.problem(path, 0, 'is not UTF-8')
            return []

    def limit(self, kind, path, actual, normal):
        allowed = self.ratchet.get((kind, path), normal)
        if actual > allowed:
            self.problem(path, 0, f'longest {kind} has {actual} lines, at most {allowed}')
        elif allowed > normal and actual < allowed:
            self.problem(path, 0, f'{kind} shrank to {actual} lines; lower it in '
                                  'tools/tidy_exceptions.txt')

    def check_text(self, path, lines):
        for number, line in enumerate(lines, 1):
            if line != line.rstrip() and not path.endswith('.t'):
                self.problem(path, number, 'blanks at the end of the line')
            if '\r' in line or ('\t' in line and not path.endswith(('.t', '.md'))):
                self.problem(path, number, 'tab or carriage return')
            if HOME.search(line) and path != 'tools/tidy.py':
                self.problem(path, number, 'absolute path of one machine')

    def check_code(self, path, lines):
        bare = [LITERAL.sub('""', line).split('//')[0] for line in lines]
        for number, line in enumerate(lines, 1):
            if not line.isascii():
                self.problem(path, number, 'not ASCII')
            data = path.startswith('test/') and '"' in line
            if len(line) > COLUMNS and not line.startswith('#include') and not data:
                self.problem(path, number, f'{len(line)} columns, at most {COLUMNS}')
            for pattern, where, allowed, instead in BANNED:
                text = line if pattern.startswith(('FIX', 'TO')) else bare[number - 1]
                if (path.startswith(where) and not path.startswith(tuple(allowed or ['-']))
                        and re.search(pattern, text)):
                    found = re.search(pattern, text).group(0)
                    self.problem(path, number, f'"{found.strip()}" is banned: {instead}')
        self.check_dead_code(path, lines)
        self.limit('file', path, len(lines) - 1, FILE_LINES[os.path.splitext(path)[1]])
        self.limit('function', path, longest_function(bare), FUNCTION_LINES)
        if path.endswith('.hpp') and '#pragma once' not in lines:
            self.problem(path, 0, 'has no #pragma once')

    def check_dead_code(self, path, lines):
        run = 0
        for number, line in enumerate(lines, 1):
            run = run + 1 if re.match(r'\s*// ?[^/ ].*[;{]$', line) and ' = ' in line + ' ' else 0
            if run == 2:
                self.problem(path, number, 'looks like commented-out code')

    def read_layers(self):
        """Folder of src/ -> folders that its CMakeLists.txt depends on: whose headers it may include,
        besides its own and include/isolde."""
        layers = {}
        for path in self.files:
            folder = re.fullmatch(r'src/(\w+)/CMakeLists[.]txt', path)
            if not folder:
                continue
            library = re.search(rf'isolde_library\({folder.group(1)}\b[^)]*\)',
                                '\n'.join(self.read(path)))
            depends = library and re.search(r'DEPENDS((?:\s+[a-z_]+)+)', library.group(0))
            layers[folder.group(1)] = depends.group(1).split() if depends else []
        return layers

    def check_layers(self, path, lines):
        parts = path.split('/')
        if len(parts) < 3 or parts[0] != 'src':
            return
        if parts[1] not in self.layers:
            self.problem(path, 0, f'src/{parts[1]} has no CMakeLists.txt')
            return
        for number, line in enumerate(lines, 1):
            match = re.match(r'#include "([^"/]+)/', line)
            if not match or match.group(1) in ('isolde', parts[1]):
                continue
            if match.group(1) not in self.layers[parts[1]]:
                self.problem(path, number, f'{parts[1]} may not include {match.group(1)}: its '
                             'CMakeLists.txt does not depend on it')

    def check_layer_table(self, path, lines):
        """The table of folders in the page says of each what CMake does."""
        rows = {}
        for number, line in enumerate(lines, 1):
            row = re.match(r'\| `src/(\w+)/` \|.*\| ([^|]*) \|$', line)
            if not row:
                continue
            folder, names = row.groups()
            late = [each for each in self.layers.get(folder, []) if each not in rows]
            if names != 'anything' and late:
                self.problem(path, number, f'{folder} comes before what it depends on: '
                             + ', '.join(late))
            rows[folder] = number
            named = [] if names == 'nothing' else names.split(', ')
            if names != 'anything' and sorted(named) != sorted(self.layers.get(folder, [])):
                self.problem(path, number, f'CMake says that {folder} depends on '
                             + ', '.join(self.layers.get(folder, [])))
        for folder in sorted(set(self.layers) - set(rows)):
            self.problem(path, 0, f'src/{folder} is not in the table of folders')

    def check_tested(self, sources):
        included = set()
        for path, lines in sources.items():
            if path.startswith('test/'):
                included.update(re.findall(r'#include "([^"]+)"', '\n'.join(lines)))
        tested_stems = {os.path.basename(p)[:-9] for p in sources if p.endswith('_test.cpp')}
        for path, lines in sources.items():
            if not path.startswith('src/') or not path.endswith('.cpp'):
                continue
            stem = os.path.basename(path)[:-4]
            own = path[:-len('.cpp')] + '.hpp'
            if own in sources:
                header = own[len('src/'):]
            else:  # it shares a header, which stands first
                first = re.search(r'#include "([^"]+)"', '\n'.join(lines))
                header = first and first.group(1)
            tested = stem in tested_stems or header in included
            if not tested and path not in self.untested:
                self.problem(path, 0, 'no test includes its header; see tidy_exceptions.txt')
            if tested and path in self.untested:
                self.problem(path, 0, 'is tested now; remove it from tidy_exceptions.txt')

    def check_rows(self, sources):
        words = {path: set(re.findall(r'\w+', '\n'.join(lines)))
                 for path, lines in sources.items() if path.startswith('src/')}
        for path in sorted(words):
            for line in sources[path]:
                row = ROW.match(line)
                if not row:
                    continue
                table = os.path.join(os.path.dirname(path), 'CMakeLists.txt')
                if row.group(1) not in re.findall(r'\w+', '\n'.join(self.read(table))):
                    self.problem(path, 0, f'{table} has no line for {row.group(1)}')
                name = '_'.join(row.groups())
                for other in sorted(words):
                    if other != path and name in words[other] and name not in ROWS_ELSEWHERE:
                        self.problem(other, 0, f'names {name}(): find it in the table')

    def check_paths(self, path, lines):
        for number, line in enumerate(lines, 1):
            links = MARKDOWN_LINK.findall(line) if path.endswith('.md') else []
            wanted = set(DOC_PATH.findall(line)) | set(SOURCE_PATH.findall(line))
            for name in sorted(wanted - set(links)):
                if not glob.glob(os.path.join(self.root, name)):
                    self.problem(path, number, f'{name} does not exist')
            for name in links:
                if not os.path.exists(os.path.join(self.root, os.path.dirname(path), name)):
                    self.problem(path, number, f'link to {name} leads nowhere')

    def golden_runs(self):
        """Command -> what golden tests show that it prints; None where they differ."""
        runs = {}
        for path in self.files:
            command = None
            for line in self.read(path) if re.match(r'test/cli/[^/]*[.]t$', path) else []:
                if line.startswith('$'):
                    command, shown = line, []
                elif line.startswith('|'):
                    shown.append(line[2:])
                elif line.startswith('=') and command:
                    runs[command] = shown if runs.get(command, shown) == shown else None
                    command = None
        return runs

    def check_commands(self, pages):
        """Commands in documents (`$ isolde ...`) are run by some golden test, and what they print is
        what the test shows, if it runs the same line; `...` stands for what is left out."""
        runs = self.golden_runs()
        short = {line.split('>')[0].split('|')[0].strip() for line in runs}
        for path, lines in pages.items():
            lines = [line.replace('demo/', '$DEMO/') for line in lines]
            for number, line in enumerate(lines, 1):
                if not line.startswith('$ isolde'):
                    continue
                if line.split('>')[0].split('|')[0].strip() not in short:
                    self.problem(path, number, 'no golden test in test/cli/ runs this command')
                elif runs.get(line):
                    self.check_shown(path, number, lines[number:], runs[line])

    def check_shown(self, path, number, lines, printed):
        """What a document shows below a command in this line."""
        ends = (at for at, line in enumerate(lines) if line.startswith(('$ ', '```')))
        shown = '\n'.join(lines[:next(ends, len(lines))])
        text, begin = '\n'.join(printed), 0
        for part in re.split(r'(?:^|\n| )[.]{3}(?:\n|$)', shown):
            begin = text.find(part, begin)
            if begin < 0:
                first = part.split('\n', maxsplit=1)[0]
                self.problem(path, number, f'no golden test prints what follows, from "{first}" on')
                return
            begin += len(part)

    def run(self):
        self.layers = self.read_layers()
        sources = {}
        pages = {}
        for path in self.files:
            if BAD_NAMES.search(path):
                self.problem(path, 0, 'leftover file')
            named = os.path.basename(path)
            if not path.endswith(TEXT) and named not in ('dev', 'run', 'CMakeLists.txt'):
                continue
            if '/corpus/' in path or '/data/' in path:
                continue
            lines = self.read(path)
            self.check_text(path, lines)
            if path.endswith(CODE):
                sources[path] = lines
                self.check_code(path, lines)
                self.check_layers(path, lines)
            if path.endswith('.md'):
                pages[path] = lines
            if path.endswith(CODE + ('.md',)):
                self.check_paths(path, lines)
        self.check_tested(sources)
        self.check_rows(sources)
        self.check_commands(pages)
        page = 'docs/ARCHITECTURE.md'
        if page in pages:
            self.check_layer_table(page, pages[page])
        for path in sorted(self.untested - set(sources)):
            self.problem('tools/tidy_exceptions.txt', 0, f'{path} does not exist')
        return self.problems


def longest_function(bare):
    """Lines from the opening to the closing brace of the longest function."""
    longest = 0
    open_at = []
    for number, line in enumerate(bare):
        function = FUNCTION_END.search(line.rstrip()) and not NOT_A_FUNCTION.match(line)
        for position, char in enumerate(line):
            if char == '{':
                last = position == len(line.rstrip()) - 1
                open_at.append(number if function and last and ')' in line else None)
            elif char == '}' and open_at:
                begin = open_at.pop()
                if begin is not None:
                    longest = max(longest, number - begin + 1)
    return longest


def main(argv):
    root = argv[0] if argv else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems = Tidy(root).run()
    print('\n'.join(problems) if problems else 'tidy')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
