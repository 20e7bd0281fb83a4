#!/usr/bin/env python3
"""A violation that watch found is held against the archive of what came.

    archive_bundle_test.py ISOLDE

Histories with faults are watched with an archive. Each bundle must be found in its archive by `isolde verify CERTIFICATE
BUNDLE --archive DIR`. Then something is changed in the bundle, and where it still is a violation, with a certificate of
its own, that must be refused; so must be bundles of other histories, and archives in which something was changed. The
seed is printed.
"""
import copy
import json
import os
import random
import shutil
import sys
import tempfile

from archive_test import flip, read, run, write

WORKLOADS = (('blindw-rw', 'stale-read'), ('list-append', 'stale-read'), ('rw-register', 'lost-update'),
             ('list-append', 'dirty-write'), ('rw-register', 'aborted-read'), ('blindw-rw', 'thin-air-read'))
PROVED = 'proved: strict-serializable is violated'


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def save(lines, path):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in lines)


def changed_value(value):
    if isinstance(value, list):
        return value[:-1] if value and random.random() < 0.5 else value + [10 ** 9]
    return 10 ** 9 if value is None else value + 1


def mutants(lines):
    """Names of what may be done to a bundle, with the lines that come of it."""
    for t in range(1, len(lines)):
        for name, change in (('start', lambda txn: txn.update(start=txn['start'] - 1)),
                             ('end', lambda txn: txn.update(end=txn.get('end', txn['start']) + 1)),
                             ('session', lambda txn: txn.update(session='nobody')),
                             ('number', lambda txn: txn.update(id=txn['id'] + 1)),
                             ('no number', lambda txn: txn.pop('id')),
                             ('text for a number', lambda txn: txn.update(id=str(txn['id']))),
                             ('outcome', lambda txn: txn.update(
                                 status='committed' if 'status' in txn else 'indeterminate')),
                             ('one operation more', lambda txn: txn['ops'].append(['w', 'new', 1])),
                             ('one operation less', lambda txn: txn['ops'].pop(random.randrange(len(txn['ops']))))):
            forged = copy.deepcopy(lines)
            change(forged[t])
            yield f'{name} of {t}', forged
        for i, op in enumerate(lines[t]['ops']):
            forged = copy.deepcopy(lines)
            forged[t]['ops'][i] = [op[0], op[1], *map(changed_value, op[2:])]
            if len(op) == 2:
                # To have found nothing may be what it is in the archive.
                forged[t]['ops'][i] = [*op, 10 ** 9]
            yield f'value {i} of {t}', forged
            forged = copy.deepcopy(lines)
            forged[t]['ops'][i][1] = 'another'
            yield f'key {i} of {t}', forged
            initial = copy.deepcopy(lines)
            held = [10 ** 9] if op[0] == 'append' or (len(op) > 2 and isinstance(op[2], list)) else 10 ** 9
            initial[0].update(isolde=2, initial=[[op[1], held]])
            yield f'initial contents of {op[1]}', initial
    yield 'a transaction more', lines + [{'session': 'new', 'id': 10 ** 9, 'ops': [['w', 'x', 1]]}]
    yield 'a transaction twice', lines + lines[-1:]
    for t in range(1, len(lines)):
        yield f'without {t}', lines[:t] + lines[t + 1:]


class Test:
    def __init__(self, isolde, folder):
        self.isolde, self.folder = isolde, folder
        self.refused = self.no_violation = 0

    def run(self, *words):
        return run(self.isolde, self.folder, *words)

    def path(self, name):
        return os.path.join(self.folder, name)

    def faulty(self, name, workload, fault):
        """The lines of its bundle. A fault may go unseen, and then another seed is tried."""
        for _ in range(20):
            lines = self.watched(name, '--workload', workload, '--txns', '4000', '--sessions', '16', '--seed',
                                 str(random.randrange(1000)), '--fault', fault, '--fault-rate', '0.1',
                                 '--lost-reply-rate', '0.02')
            if lines:
                return lines
        sys.exit(f'{workload} never shows {fault}')

    def watched(self, name, *gen, options=()):
        """The bundle's lines; none: no violation is found."""
        code, text = self.run('gen', *gen, '--to', 'native-binary', '--force', '--out', f'{name}.isob')
        if code != 0:
            sys.exit(text)
        shutil.rmtree(self.path(name), ignore_errors=True)
        code, text = self.run('watch', f'{name}.isob', '--archive', name, '--archive-file-size', '1M', '--bundle',
                              f'{name}.jsonl', '--certificate', f'{name}.proof', *options)
        if code in (0, 2):
            return []
        if code != 1:
            sys.exit(f'{name}: {code}\n{text}')
        return lines_of(self.path(f'{name}.jsonl'))

    def held(self, name, archive):
        return self.run('verify', f'{name}.proof', f'{name}.jsonl', '--archive', archive)

    def must_refuse(self, what, name, archive, codes=(1,)):
        code, text = self.held(name, archive)
        if code not in codes or text.count('\n') != 1 or '\nproved' in '\n' + text:
            sys.exit(f'{what}: {code}\n{text}')
        self.refused += 1

    def check_mutants(self, name, lines):
        """What is left of a bundle without a transaction is one, too, if it is a violation."""
        forgeries_of = list(mutants(lines))
        random.shuffle(forgeries_of)
        for what, forged in forgeries_of[:40]:
            save(forged, self.path('forged.jsonl'))
            if os.path.exists(self.path('forged.proof')):
                os.remove(self.path('forged.proof'))
            code, text = self.run('check', '--level', 'strict-serializable', 'forged.jsonl', '--certificate',
                                  'forged.proof', '--no-progress')
            if code != 1:
                self.no_violation += 1
            elif what.startswith('without'):
                code, text = self.held('forged', name)
                # Whoever is missing may be the one whom somebody has read from.
                if code not in (0, 1) or (code == 1 and 'which is not in the bundle, wrote' not in text and
                                          'another operation' not in text):
                    sys.exit(f'{name}: {what}: {code}\n{text}')
            else:
                self.must_refuse(f'{name}: {what}', 'forged', name)

    def check_tampered(self, name):
        """Archives in which a file was changed, cut or dropped; what the chain proves besides is the subject of
        archive_test.py."""
        forged = self.path('tampered')
        for file in sorted(os.listdir(self.path(name))):
            data = read(self.path(name), file)
            for what, changed in (('change', flip(data[:-1]) + data[-1:]), ('cut', data[:-8]), ('drop', None)):
                # A line of the chain that was cut is as if it had not been written yet.
                if file == 'chain' and what != 'change':
                    continue
                shutil.copytree(self.path(name), forged)
                if changed is None:
                    os.remove(os.path.join(forged, file))
                else:
                    write(changed, forged, file)
                self.must_refuse(f'{name}: {what} {file}', name, 'tampered', (1, 3))
                shutil.rmtree(forged)


def main():
    isolde = os.path.abspath(sys.argv[1])
    seed = int(os.environ.get('ISOLDE_SEED', random.randrange(1 << 30)))
    print(f'ISOLDE_SEED={seed} repeats this run', flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        test = Test(isolde, folder)
        before = None
        for i, (workload, fault) in enumerate(WORKLOADS):
            name = f'h{i}'
            lines = test.faulty(name, workload, fault)
            code, text = test.held(name, name)
            if code != 0 or not text.startswith(PROVED) or 'at the start what the bundle says' not in text:
                sys.exit(f'{name}, {workload}, {fault}: {code}\n{text}')
            test.check_mutants(name, lines)
            if before:
                test.must_refuse(f'{before} against {name}', before, name)
                test.must_refuse(f'{name} against {before}', name, before)
            before = name
        # Files by rounds, of which the oldest are deleted.
        big = ('--workload', 'blindw-rw', '--txns', '300000', '--sessions', '24', '--seed', '9', '--fault', 'stale-read',
               '--fault-after', '0.7')
        test.watched('whole', *big)
        code, text = test.held('whole', 'whole')
        if code != 0 or '110,117 transactions' not in text:
            sys.exit(f'whole: {code}\n{text}')
        test.check_tampered('whole')
        test.watched('part', *big, options=('--archive-keep-size', '1M'))
        code, text = test.held('part', 'part')
        if code != 0 or 'before transaction 131,073 was deleted' not in text or 'the start.' not in text:
            sys.exit(f'part: {code}\n{text}')
        test.check_tampered('part')
        if test.refused < 120:
            sys.exit(f'only {test.refused} were refused')
        print(f'{test.refused} were refused, {test.no_violation} are no violations')


if __name__ == '__main__':
    main()
