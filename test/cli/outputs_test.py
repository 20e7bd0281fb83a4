#!/usr/bin/env python3
"""Documents for other programs stay readable whatever files, sessions and keys are called.

    outputs_test.py ISOLDE

Each case is a write skew in a file with a random name, between sessions and on keys with random
names: characters that mean something in XML, JSON, EDN or URIs, control characters, bytes that are
not UTF-8. Strict readers must accept what comes out and find the names again, and a second run must
give the same bytes but for the seconds. ISOLDE_SEED and ISOLDE_CASES as in other tests.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

import cases
import hostile_test

# Surrogates are bytes that are not UTF-8, as os.fsencode() writes them.
CHARACTERS = '<>&"\'\\%:,;{}[]()#=|~ \t\n\r\x01\x1b\x7f' + 'abcxyz019-_.' + 'éß€😀\u2028\ufeff\ufffe' \
    + '\udcff\udcc3\udc80'


def random_name(rng, longest=8):
    return ''.join(rng.choice(CHARACTERS) for _ in range(rng.randint(1, longest)))


def readable(text):
    """As the documents have it: U+FFFD for what is not UTF-8 and for control characters."""
    bytes_of = os.fsencode(text)
    text = ''
    while bytes_of:
        for size in (1, 2, 3, 4):
            try:
                text += bytes_of[:size].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            size = 1
            text += '\ufffd'
        bytes_of = bytes_of[size:]
    return re.sub('[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]', '\ufffd', text)


def edn(name):
    return '"' + name.replace('\\', '\\\\').replace('"', '\\"') + '"'


def skew(rng, as_edn):
    """The text of a history: two transactions, each missing what the other one writes."""
    # The readers take UTF-8 only; but for that a key may be anything.
    first, second = (name.encode('utf-8', 'replace').decode() + end
                     for name, end in ((random_name(rng), '1'), (random_name(rng), '2')))
    if as_edn:
        lines = [f'{{:type :ok, :f :txn, :process {number}, :value '
                 f'[[:r {edn(one)} nil] [:w {edn(other)} 1]]}}'
                 for number, (one, other) in enumerate(((first, second), (second, first)))]
        return '\n'.join(lines) + '\n'
    lines = [{'isolde': 1, 'kind': 'history'}]
    for session, (one, other) in (('A', (first, second)), ('B', (second, first))):
        name = session + random_name(rng).encode('utf-8', 'replace').decode()
        lines.append({'session': name, 'ops': [['r', one, None], ['w', other, 1]]})
    return '\n'.join(map(json.dumps, lines)) + '\n'


def check(isolde, folder, path):
    """Runs the program; gives its three documents and the annotations."""
    outputs = [os.path.join(folder, name) for name in ('out.xml', 'out.sarif', 'out.edn')]
    done = subprocess.run(
        [isolde, 'check', '--level', 'serializable', '--github', '--no-progress', '--junit',
         outputs[0], '--sarif', outputs[1], '--edn', outputs[2], path],
        cwd=folder, capture_output=True, check=False, timeout=60)
    if done.returncode != 1:
        raise AssertionError(f'exit code {done.returncode}: {done.stderr}')
    texts = []
    for output in outputs:
        with open(output, 'rb') as file:
            texts.append(file.read().decode())  # strict
    texts[0] = re.sub(' time="[^"]*"', '', texts[0])
    return texts, commands(done.stdout)


def commands(output):
    """What GitHub obeys: lines that begin with ::, but not what is said to be none."""
    found = []
    until = None
    for line in output.split(b'\n'):
        if until is None and line.startswith(b'::stop-commands::'):
            until = b'::' + line[len(b'::stop-commands::'):] + b'::'
        elif until is None and line.startswith(b'::'):
            found.append(line)
        elif line == until:
            until = None
    return found


def unescaped(text):
    for escape, character in (('%2C', ','), ('%3A', ':'), ('%0A', '\n'), ('%0D', '\r'),
                              ('%25', '%')):
        text = text.replace(escape, character)
    return text


# Which parsers of command lines may take for something else.
SPECIAL_NAMES = ('[a,b]', '[]', '[', '"a"', "'a'", 'a=b', '++', '%%', 'check', '{a}')


def check_case(isolde, folder, rng, name):
    if name in ('.', '..', '-') or name.startswith('-'):
        name = 'x' + name
    as_edn = rng.random() < 0.5
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(os.fsencode(skew(rng, as_edn)))
    texts, annotations = check(isolde, folder, name)
    if (texts, annotations) != check(isolde, folder, name):
        raise AssertionError('a second run gave other bytes')
    suite = xml.etree.ElementTree.fromstring(texts[0].encode()).find('testsuite')
    expect(suite.get('name'), readable(name))
    expect(suite.find('testcase/failure').get('type'), 'G2-item')
    location = json.loads(texts[1])['runs'][0]['results'][0]['locations'][0]['physicalLocation']
    expect(urllib.parse.unquote_to_bytes(location['artifactLocation']['uri']), os.fsencode(name))
    # The evidence, and what was left out, if anything was.
    expect([each.partition(b' ')[0] for each in annotations[1:]],
           [b'::notice'] * (len(annotations) - 1))
    expect(len(annotations) in (2, 3), True)
    found = re.match('::error file=([^,:]*),line=[12],title=([^,:]*)::(.*)',
                     annotations[0].decode(), re.DOTALL)
    expect(unescaped(found.group(1)), hostile_test.UNSEEN.sub(
        lambda found: found.group() if found.group() in '\r\t' else '\ufffd', readable(name)))
    expect(unescaped(found.group(2)), 'Not serializable: write skew (G2-item)')
    if '{:valid? false,\n :anomaly-types (:G2-item),' not in texts[2]:
        raise AssertionError(texts[2])
    os.unlink(os.path.join(folder, name))


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError(f'found {actual!r}, expected {wanted!r}')


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    seed = cases.run_seed()
    isolde = os.path.abspath(argv[0])
    for number in range(cases.case_count(200)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                rng = random.Random(f'{seed}.{number}')
                name = random_name(rng).replace('/', '') or 'x'
                if number < len(SPECIAL_NAMES):
                    name = SPECIAL_NAMES[number]
                check_case(isolde, folder, rng, name)
            except Exception as problem:  # whatever a strict reader says
                print(f'case {number}: {problem!r}')
                return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
