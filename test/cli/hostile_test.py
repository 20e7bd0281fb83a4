#!/usr/bin/env python3
"""No name of the input commands the terminal or forges a line of ours.

    hostile_test.py ISOLDE DATA

The histories of test/cli/data, with all that has a name renamed twice: to what an attacker would
choose and to what nobody minds. Sessions, transactions, keys, values, elements, servers, the database
and its isolation, notes, paths and members of folders; escape sequences, line breaks, marks of
direction, what is invisible, what is no UTF-8, and a line that reads like a verdict. In all that is
meant for people there must be no such character, and the lines that look like verdicts must be those
of the tame twin. What is meant for programs must give the names back.
"""
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

VERDICT = '\n  serializable   holds\nserializable holds, by an order of 3 transactions\nproved: serializable'

# What a name may hold. Surrogates in the range U+DC80 to U+DCFF are bytes that are not UTF-8.
NAMES = {
    'colours': '\x1b[31mred\x1b[0m',
    'clears the screen': '\x1b[2J\x1b[H',
    'clipboard (OSC 52)': '\x1b]52;c;ZWNobyBoaQ==\x07',
    'title (OSC 0)': '\x1b]0;owned\x1b\\',
    'C1 controls': '\x9b31m\x9d52;c;x\x9c\x85',
    'verdict': VERDICT,
    'carriage return': 'x\rserializable  holds',
    'both': 'x\r\n  serializable  holds\r\n',
    'other line breaks': 'x\v\f\x85\u2028  serializable  holds\u2029  snapshot-isolation  holds',
    'only blanks': '  serializable      holds',
    'other blanks': '\u00a0\u2003serializable\u3000\u2800holds',
    'tab, bell, backspace, delete': 'a\tb\x07c\b\b\bd\x7f',
    'zero': 'a\0b',
    'right to left': 'a\u202egnp.exe\u202c\u200f\u061c',
    'isolates': '\u2066a\u2067b\u2068c\u2069',
    'zero width': 'a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u034fh',
    'fillers and selectors': 'a\u115fb\u1160c\u3164d\uffa0e\ufe0ff\u180eg',
    'tags': 'a\U000e0041\U000e007f',
    'private and none': '\ue000\U0010fffd\ufdd0\uffff\U0001ffff',
    'backslashes': '\\x1b[31m\\\\u202e\\',
    'quotes': '"\'`$(id)`;--/*!*/ \';DROP TABLE x;--',
    'entities': '&#x202e;&#10;&lt;b&amp;&#27;',
    'markup': '</script><b>]]>::error::x',
    'long': 'serializable  holds ' * 300,
    'beyond ASCII': 'é€😀 e\u0301',
}
# In paths only, for texts must be UTF-8.
BYTES = {
    'no UTF-8': 'a\udcff\udcc3(\udce2\udc82',
    'overlong': '\udcc0\udc9b[31m\udce0\udc80\udc8a',
    'surrogate': '\udced\udca0\udc80',
    'lone C1': '\udc9b31m',
}
# One that has it all, short enough to be shown whole.
ALL = '\x1b]52;c;x\x07\n  serializable   holds\r\t\b\0\x7f\x9b\u202e\u2066\u200b\u2028\ufeff\u00a0\U000e0041&#x202e;\\x1b"'

UNSEEN = re.compile('[\0-\x09\x0b-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u180b-\u180f'
                    '\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff'
                    '\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U0010ffff]')
LEVELS = r'[a-z]+(?:-[a-z]+)*'
VERDICTS = '(?:holds|violated|unknown|not-applicable)'
# Tables (two blanks or more), claims, and sentences of our own at the beginning of a line.
LOOKS_LIKE_VERDICT = re.compile(
    rf'^\s*{LEVELS}\s\s+(?:{VERDICTS}\b.*)|^\s*{LEVELS} (?:holds|is violated),.*|^\s*(?:not )?proved:.*'
    r'|^\s*(?:Strongest that holds|Weakest violated|Why not .*|Reproduced.*|Nothing more can.*):.*')


class Failure(Exception):
    pass


class Case:
    """Runs the program and keeps what it printed for people."""

    def __init__(self, isolde, folder, what):
        self.isolde, self.folder, self.what = isolde, folder, what
        self.verdicts = []

    def run(self, *arguments, codes=(0, 1, 2)):
        done = subprocess.run([self.isolde, *map(os.fsencode, arguments)], cwd=self.folder,
                              capture_output=True, check=False, timeout=60)
        command = f'{self.what}: isolde {" ".join(map(ascii, arguments))}'
        if done.returncode not in codes:
            raise Failure(f'{command}: exit code {done.returncode}: {done.stderr}')
        self.look(done.stderr, f'{command}: stderr')
        odd = [line for line in done.stderr.splitlines() if not line.startswith((b'isolde: ', b'['))]
        if odd or done.stderr.count(b'isolde: ') > 1:
            raise Failure(f'{command}: not one line of errors: {done.stderr}')
        return done.stdout, command

    def look(self, bytes_of, where):
        """A text for people."""
        try:
            text = bytes_of.decode()
        except UnicodeDecodeError as problem:
            raise Failure(f'{where}: {problem}: {bytes_of[-300:]}') from problem
        self.look_at(text, where)
        self.verdicts += [line for line in text.split('\n') if LOOKS_LIKE_VERDICT.match(line)]

    @staticmethod
    def look_at(text, where):
        found = UNSEEN.search(text)
        if found:
            raise Failure(f'{where}: {found.group()!a} in '
                          f'{text[max(0, found.start() - 80):found.end() + 40]!a}')

    def say(self, *arguments, **options):
        stdout, command = self.run(*arguments, **options)
        self.look(stdout, command)
        return stdout

    def file(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()


def fit_for_path(name):
    return name.replace('\0', '').replace('/', '')[:60]


def renamed(text, name):
    """A history of the native format in which `name` is in front of every name."""
    lines = [json.loads(line) for line in text.splitlines()]
    selects = '"select"' in text

    def scalar(value):
        return value if value is None or selects else f'{name}{value}'

    def op(of):
        if of[0] == 'select':
            return of
        if len(of) < 3:
            return [of[0], scalar(of[1])]
        value = of[2]
        if isinstance(value, dict):
            value = {'not': scalar(value['not'])}
        elif isinstance(value, list):
            value = [scalar(each) for each in value]
        else:
            value = scalar(value)
        return [of[0], scalar(of[1]), value]

    lines[0].update(database=f'{name}1.0', isolation=f'{name}strict', notes=[f'{name} note', name])
    lines[0].pop('sessions', None)
    for line in lines[1:]:
        if 'ops' in line:
            line['ops'] = [op(of) for of in line['ops']]
            line['session'] = f'{name}{line["session"]}'
            line['server'] = f'{name}node'
            if 'id' in line:
                line['id'] = f'{name}{line["id"]}'
    return '\n'.join(map(json.dumps, lines)) + '\n'


def look_at_documents(case):
    """Texts within documents; what names things may be told in the document's own way."""
    root = xml.etree.ElementTree.fromstring(case.file('out.xml'))
    for tag in ('failure', 'error', 'skipped', 'system-out'):
        for element in root.iter(tag):
            case.look_at((element.text or '') + element.get('message', ''), f'{case.what}: JUnit')
    page = case.file('out.html').decode()
    data = re.search(r'<script[^>]*application/json[^>]*>(.*?)</script>', page, re.DOTALL)
    look_at_strings(case, json.loads(data.group(1)))
    for name in ('out.svg', 'out.dot'):
        if not os.path.exists(os.path.join(case.folder, name)):
            continue
        text = case.file(name).decode()
        case.look_at(text, f'{case.what}: {name}')
        if name == 'out.svg':
            for element in xml.etree.ElementTree.fromstring(text.encode()).iter():
                # Graphviz writes blanks beside each other as U+00A0.
                case.look_at((element.text or '').replace('\u00a0', ' '), f'{case.what}: SVG')
                case.look_at(''.join(element.attrib.values()), f'{case.what}: SVG')


def look_at_strings(case, data):
    if isinstance(data, str):
        if not data.startswith('<?xml'):
            case.look_at(data, f'{case.what}: page')
    elif isinstance(data, (dict, list)):
        for each in data.values() if isinstance(data, dict) else data:
            look_at_strings(case, each)


def check_annotations(case, stdout, command):
    """The file is named as it is; all else is for people."""
    for line in stdout.split(b'\n'):
        line = re.sub(b'file=[^,:]*', b'', line) if line.startswith(b'::') else line
        case.look(line, command)


def check_json(case, path, name):
    """Programs get the names back, and a terminal nothing that it obeys."""
    stdout, command = case.run('check', '--json', path)
    text = stdout.decode()
    case.look_at(text, command)
    report = json.loads(text)
    if report['database'] != f'{name}1.0':
        raise Failure(f'{command}: database {report["database"]!a}')
    for level in report['levels'].values():
        for place in level.get('anomaly', {}).get('places', []):
            if place['server'] != f'{name}node' or not place['transaction'].startswith(name):
                raise Failure(f'{command}: {place!a}')


def check_history(case, text, name, path):
    """Gives the path that the history has, and the lines that look like verdicts."""
    path = fit_for_path(f'{name}{path}')
    path = './' + path if path.startswith(('-', '.')) else path
    with open(os.path.join(case.folder, path), 'wb') as file:
        file.write(renamed(text, name).encode())
    stdout, command = case.run('check', '--github', '--junit', 'out.xml', '--dot', 'out.dot', '--svg',
                               'out.svg', '--html', 'out.html', '--anomalies', '3', '--progress',
                               '--certificate', fit_for_path(f'{name}proof'), path)
    check_annotations(case, stdout, command)
    look_at_documents(case)
    return path, list(case.verdicts)


def check_proofs(case, path):
    """The commands that tell of one violation."""
    case.say('minimize', '--no-progress', '--out', 'small.jsonl', '--force',
             '--certificate', 'small.proof', path)
    if not os.path.exists(os.path.join(case.folder, 'small.jsonl')):
        return
    case.say('verify', 'small.proof', 'small.jsonl')
    case.say('explain', 'small.proof', 'small.jsonl')
    with open(os.path.join(case.folder, 'small.proof'), 'a', encoding='utf-8') as file:
        file.write('{"unknown":1}\n')
    case.say('verify', 'small.proof', 'small.jsonl', codes=(0, 1, 3))


def check_others(case, path, name):
    """The commands that have no verdict to tell."""
    check_json(case, path, name)
    case.say('stats', path)
    for database in ('sqlite', 'etcd'):
        case.say('replay', '--script', '-', '--for', database, path, codes=(0, 3))


def same(what, tame, found):
    if found != tame:
        odd = [line for line in found if line not in tame] or (found, tame)
        raise Failure(f'{what}: lines that look like verdicts: {odd!a}')


def check_twins(isolde, text, names, what):
    """The names against a harmless one, the first with all commands."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(isolde, folder, f'{what}, tame')
        path, told = check_history(case, text, 't', 'x.jsonl')
        check_proofs(case, path)
    for number, (kind, name) in enumerate(names):
        with tempfile.TemporaryDirectory() as folder:
            mine = Case(isolde, folder, f'{what}, {kind}')
            path, found = check_history(mine, text, name, 'x.jsonl')
            same(mine.what, told, found)
            if number > 0:
                continue
            check_proofs(mine, path)
            check_others(mine, path, name)
            same(mine.what, case.verdicts, mine.verdicts)


def cobra_folder(folder, name):
    """A lost update in a folder with a binary file for each session."""
    os.mkdir(os.path.join(folder, 'logs'))
    for txn, session in ((1, 'a'), (2, 'b')):
        with open(os.path.join(os.fsencode(folder), b'logs',
                               os.fsencode(f'{session}{name}.log')), 'wb') as file:
            file.write(b'S' + struct.pack('>q', txn) +
                       b'R' + struct.pack('>qqqq', 0xbebeebee, 0, 7, 0) +
                       b'W' + struct.pack('>qqq', 10 + txn, 7, 20 + txn) +
                       b'C' + struct.pack('>q', txn))


def check_folder(isolde, name, what):
    verdicts = []
    for each in (fit_for_path(name), 't'):
        with tempfile.TemporaryDirectory() as folder:
            cobra_folder(folder, each.replace('.', ''))
            case = Case(isolde, folder, f'folder, {what}')
            stdout = case.say('check', '--html', 'out.html', '--junit', 'out.xml', 'logs')
            if b'Lost update' not in stdout:
                raise Failure(f'{case.what}: {stdout}')
            look_at_documents(case)
            verdicts.append(case.verdicts)
    same(case.what, verdicts[1], verdicts[0])


BAD = (
    '{"isolde":1,"kind":%s}\n',
    '{"isolde":1,"kind":"history"}\n{"session":"a","ops":[[%s,"x",1]]}\n',
    '{"isolde":1,"kind":"history"}\n{"session":"a","status":%s,"ops":[]}\n',
    '{"isolde":1,"kind":"history"}\n{"session":"a","level":%s,"ops":[]}\n',
    '{"isolde":1,"kind":"history"}\n{"session":"a","ops":[["w",%s,1],["append",%s,1]]}\n',
)


def check_arguments(isolde, name):
    """Errors quote arguments: one line each, and no verdict."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(isolde, folder, 'arguments')
        argument = name.replace('\0', '')
        for arguments in (('check', f'x{argument}'), ('stats', '--format', argument, 'x'),
                          ('check', '--level', argument, 'x'), (f'x{argument}',),
                          ('check', f'--x{argument}', 'x'), ('check', '--timeout', argument, 'x'),
                          ('convert', '--to', argument, 'x', 'y'), ('verify', f'x{argument}', 'y'),
                          ('replay', '--script', 'x', '--for', argument, 'y'),
                          ('run', '--db', argument, '--out', 'x'), ('server', f'x{argument}'),
                          ('run', '--db', f'sqlite:{argument}/none/x', '--out', 'x'),
                          ('databases', f'x{argument}'), ('levels', f'x{argument}')):
            case.say(*arguments, codes=(3, 4))
        same(case.what, [], case.verdicts)


def check_errors(isolde, name, what):
    """Errors quote paths and pieces of the input."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(isolde, folder, f'errors, {what}')
        for number, text in enumerate(BAD):
            path = f'{number}{fit_for_path(name)}'
            quoted = json.dumps(name.encode('utf-8', 'replace').decode())
            with open(os.path.join(os.fsencode(folder), os.fsencode(path)), 'w') as file:
                file.write(text.replace('%s', quoted))
            case.say('check', '--junit', 'out.xml', path, codes=(3,))
            case.say('convert', '--to', 'native', path, 'y', codes=(3,))
            failures = xml.etree.ElementTree.fromstring(case.file('out.xml')).iter('error')
            for failure in failures:
                case.look_at(failure.get('message'), f'{case.what}: JUnit')
        same(case.what, [], case.verdicts)


def check_run(isolde):
    """The report of a run, on a database in a file with such a name."""
    if b'sqlite' not in subprocess.run([isolde, 'databases'], capture_output=True, check=True).stdout:
        return
    with tempfile.TemporaryDirectory() as folder:
        case = Case(isolde, folder, 'run')
        for number, name in enumerate((ALL, *BYTES.values())):
            path = fit_for_path(name)
            stdout = case.say('run', '--db', f'sqlite:{path}', '--out', f'{path}{number}', '--workload',
                              'general', '--txns', '20',
                              '--html', 'out.html', '--junit', 'out.xml', '--progress')
            if b'transactions committed in' not in stdout:
                raise Failure(f'{case.what}: {stdout}')
            look_at_documents(case)


def jobs(data):
    """What can be tried side by side; each takes the program's path."""
    histories = {}
    for name in sorted(os.listdir(data)):
        with open(os.path.join(data, name), encoding='utf-8') as file:
            text = file.read()
        if text.startswith('{"isolde":1') and name not in ('bad-json.jsonl', 'truncated.jsonl'):
            histories[name] = text
    names = list(NAMES.items())
    for number, (name, text) in enumerate(histories.items()):
        tried = names if name == 'write-skew.jsonl' else [names[number % len(names)]]
        yield lambda isolde, a=(text, [('all', ALL), *tried], name): check_twins(isolde, *a)
    for what, name in (('all', ALL), ('verdict', VERDICT), *BYTES.items()):
        yield lambda isolde, a=(name, what): check_errors(isolde, *a)
        yield lambda isolde, a=(name, what): check_folder(isolde, *a)
    yield check_run
    yield lambda isolde: check_arguments(isolde, ALL)


def main(argv):
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 3
    isolde = os.path.abspath(argv[0])
    failures = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(job, isolde) for job in jobs(argv[1])]:
            problem = done.exception()
            if problem:
                failures += 1
                print(problem if isinstance(problem, Failure) else repr(problem))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
