#!/usr/bin/env python3
"""Certificates by hand, most of them for histories with rows that have columns.

rows_test.py [ISOLDE]

The files in the folder rows hold a sentence, a history, and certificates behind lines such as

    accept LEVEL [MENTIONS] [follows LEVEL] [of TRANSACTION] [: why]
    refuse LEVEL [MENTIONS] [follows LEVEL] [of TRANSACTION] [: why]

tools/verify.py has to answer so, and `isolde verify` too, where the program is given. Then `isolde check`
decides each history; tools/verify.py has to accept all that it hands out, and `isolde verify` some of it.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'tools')]

import verify  # noqa: E402

HEADER = {'isolde-certificate': 1, 'history': '0' * 16, 'clock_error_ns': 0}


def parts(lines):
    """The history and the certificates of a file: what is expected, why, and the lines."""
    history, cases = [], []
    for line in lines[1:]:
        if line.startswith(('accept ', 'refuse ')):
            words = line.split(':')[0].split()
            cases.append((line, words[0] == 'accept', words[1:], []))
        else:
            (cases[-1][3] if cases else history).append(line)
    return history, cases


def certificate(words, lines, head):
    """The text of a certificate."""
    level, *words = words
    head = head | {'level': level, 'verdict': 'holds' if '"order"' in lines[0] else 'violated'}
    if words and words[0].isdigit():
        head['mentions'] = int(words.pop(0))
    words = dict(zip(words[::2], words[1::2]))
    if 'follows' in words:
        head['follows_from'] = words['follows']
    if 'of' in words:
        head['session_of'] = int(words['of'])
    return '\n'.join([json.dumps(head)] + lines) + '\n'


class Test:
    """Compares answers with what is expected."""

    def __init__(self, isolde, folder):
        self.isolde, self.folder, self.count, self.problems = isolde, folder, 0, []

    def run(self, *words):
        """Runs isolde."""
        return subprocess.run([self.isolde, *words], capture_output=True, text=True)

    def ask(self, text, path, read, expected, what, both=True):
        """Gives a certificate to the verifiers."""
        self.count += 1
        code, said = verify.answer(text, read)
        if code != (0 if expected else 1):
            self.problems.append(f'{what}\n  tools/verify.py: {said}')
        if not self.isolde or not both:
            return
        proof = os.path.join(self.folder, 'proof')
        with open(proof, 'w', encoding='utf-8') as file:
            file.write(text)
        done = self.run('verify', proof, path)
        if done.returncode != (0 if expected else 1):
            self.problems.append(f'{what}\n  isolde verify: {(done.stdout + done.stderr).strip()}')

    def file(self, name):
        """One file of the folder rows."""
        with open(name, encoding='utf-8') as file:
            history, cases = parts(file.read().splitlines())
        path = os.path.join(self.folder, os.path.basename(name) + '.jsonl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(history) + '\n')
        read = verify.read_history(path)
        head = HEADER | {'transactions': len(read.txns)}
        if self.isolde:
            done = self.run('check', '--certificate', path + '.proof', path)
            proofs = sorted(glob.glob(path + '.proof*'))
            if done.returncode not in (0, 1, 2) or not proofs:
                self.problems.append(f'{name}\n  isolde check: {done.stdout + done.stderr}')
            for n, proof in enumerate(proofs):
                with open(proof, encoding='utf-8') as file:
                    text = file.read()
                head = head | {'history': json.loads(text.split('\n')[0])['history']}
                self.ask(text, path, read, True, f'{name}, a certificate of isolde\n{text}',
                         n % 8 == 0)
        for line, expected, words, lines in cases:
            self.ask(certificate(words, lines, head), path, read, expected, f'{name}: {line}')

    def error(self, line):
        """A history that is none."""
        header, op = line.split('} ', 1)
        path = os.path.join(self.folder, 'bad.jsonl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(header + '}\n{"session":"a","ops":[' + op + ']}\n')
        self.count += 1
        try:
            verify.read_history(path)
            self.problems.append(f'errors: tools/verify.py takes {line}')
        except verify.Bad:
            pass
        if self.isolde and self.run('check', path).returncode != 3:
            self.problems.append(f'errors: isolde takes {line}')


def main():
    """Runs all files."""
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1] if len(sys.argv) > 1 else None, folder)
        for name in sorted(glob.glob(os.path.join(HERE, 'rows', '*.txt'))):
            if os.path.basename(name) != 'errors.txt':
                test.file(name)
        with open(os.path.join(HERE, 'rows', 'errors.txt'), encoding='utf-8') as file:
            for line in file.read().splitlines()[1:]:
                test.error(line)
        for problem in test.problems:
            print('problem: ' + problem)
        print(f'{test.count} answers, {len(test.problems)} problems')
        return 1 if test.problems else 0


if __name__ == '__main__':
    sys.exit(main())
