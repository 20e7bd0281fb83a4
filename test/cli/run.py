#!/usr/bin/env python3
"""Golden tests of the command line.

A .t file holds commands and what they print:

    # comment
    $ isolde levels ser
    | serializable
    |   equal to running ...
    ! isolde: something on stderr
    = 0

`$` starts a command for /bin/sh, `|` is a line of stdout, `!` a line of stderr, `=` the exit
code. Commands run in an empty directory of their own; $DEMO is the folder demo/ and $DATA the
folder test/cli/data/. Times, memory sizes, digests, tokens and the paths of those folders are masked.

    run.py ISOLDE FILE.t...            compare
    run.py --update ISOLDE FILE.t...   rewrite what the commands print
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIMEOUT_S = 120

MASKS = [
    (re.compile(r'"seconds":\{"load":[^,]*,"check":[^}]*\}'),
     '"seconds":{"load":TIME,"check":TIME}'),
    (re.compile(r'"work":\{[^}]*\}'), '"work":WORK'),
    (re.compile(r'"peak_rss_bytes":\d+'), '"peak_rss_bytes":BYTES'),
    (re.compile(r'"(history_digest|digest)":"?[0-9a-fx]+"?'), r'"\1":DIGEST'),
    (re.compile(r'\b(digest|history) [0-9a-f]{16}\b'), r'\1 DIGEST'),
    (re.compile(r'\[\d+\.\d s\]'), '[TIME]'),
    (re.compile(r'::isolde-[0-9a-f]{16}\b'), '::isolde-TOKEN'),
    (re.compile(r' time="\d+\.\d+"'), ' time="TIME"'),
]


def mask(text, work):
    for folder, name in ((work, '$WORK'), (os.path.join(HERE, 'data'), '$DATA'),
                         (os.path.join(ROOT, 'demo'), '$DEMO'), (ROOT, '$ROOT')):
        text = text.replace(folder, name)
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def run(command, isolde, work):
    env = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'TERM')}
    env.update(PATH=os.path.dirname(os.path.abspath(isolde)) + os.pathsep + env['PATH'],
               DEMO=os.path.join(ROOT, 'demo'), DATA=os.path.join(HERE, 'data'),
               ROOT=ROOT, LC_ALL='C', TERM='xterm')
    done = subprocess.run(['/bin/sh', '-c', command], cwd=work, env=env, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    lines = []
    for mark, data in (('|', done.stdout), ('!', done.stderr)):
        text = mask(data.decode('utf-8', 'replace'), work)
        for line in text.splitlines():
            lines.append(f'{mark} {line}'.rstrip())
    lines.append(f'= {done.returncode}')
    return lines


def replay(path, isolde):
    """The file as it would be if the program were right."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    out = []
    with tempfile.TemporaryDirectory() as work:
        for line in lines:
            if line.startswith('$ '):
                out.append(line)
                out.extend(run(line[2:], isolde, work))
            elif not line.startswith(('|', '!', '=')):
                out.append(line)
    return lines, out


def main(argv):
    update = '--update' in argv
    argv = [arg for arg in argv if arg != '--update']
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 3
    failed = 0
    for path in argv[1:]:
        expected, actual = replay(path, argv[0])
        if expected == actual:
            continue
        if update:
            with open(path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(actual) + '\n')
            print(f'updated {path}')
            continue
        failed += 1
        print('\n'.join(difflib.unified_diff(expected, actual, path, 'isolde', lineterm='')))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
