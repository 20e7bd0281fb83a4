#!/usr/bin/env python3
"""Reads files of other tools' formats twice, by Isolde and by the readers in this folder, which
were written from docs/formats/foreign.md alone, and compares transaction by transaction.

    differential.py PART ISOLDE

PART is one of
    seeds    the files from which fuzzing starts
    corpus   published histories, which lie beside the checkout
    peers    histories of `isolde gen` of 2 MiB and more by bench/peer_formats.py
    made     random files: many small ones, and one of 2 MiB of each format
    damaged  such files, cut off: are they refused where the page says so?

Exit codes: 0 no difference, 1 differences (all are printed), 77 there is nothing to read.
Environment: ISOLDE_SEED repeats a run; ISOLDE_FULL=1 reads many more random files, and
larger ones.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import compare
from formats import BY_CORPUS, BY_NAME, FORMATS
from model import Undefined

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / 'shared' / 'corpus'
SKIPPED = 77
FULL = os.environ.get('ISOLDE_FULL') == '1'
LARGE = (2 << 20) if FULL else 1 << 20  # files of 1 MiB and more are mapped into memory
SMALL = 3000


class Tally:
    """Counts, and prints differences as they are found."""

    def __init__(self):
        self.same, self.malformed, self.undefined, self.different = {}, {}, {}, 0

    def check(self, isolde, form, path, name, **options):
        try:
            valid = compare.check(isolde, form, path, **options)
            group = self.same if valid else self.malformed
            group[form.name] = group.get(form.name, 0) + 1
        except Undefined as what:
            self.undefined[form.name] = self.undefined.get(form.name, 0) + 1
            print(f'undefined: {name}: {what}')
        except (compare.Different, compare.Broken) as what:
            self.different += 1
            print(f'DIFFERENT: {form.name}: {name}: {what}')

    def close(self):
        for title, group in (('the same', self.same), ('refused by both', self.malformed),
                             ('not defined', self.undefined)):
            if group:
                print(f'{title}: ' + ', '.join(f'{name} {n}' for name, n in sorted(group.items())))
        print(f'{self.different} different')
        return 1 if self.different else 0


def seeds(isolde, tally):
    """The files from which fuzzing starts; "%%%%" separates those of a folder."""
    for name in isolde.foreign_formats():
        if name not in BY_NAME:
            tally.different += 1
            print(f'{name}: no reader in this folder (formats.py)')
    for form in FORMATS:
        for path in sorted((ROOT / 'test' / 'fuzz' / 'corpus' / form.seeds).iterdir()):
            where = path
            if form.folder:
                where = isolde.scratch / form.seeds / path.name
                compare.store([(form.folder.format(number), data) for number, data
                               in enumerate(path.read_bytes().split(b'%%%%'))], where)
            tally.check(isolde, form, where, path.name, named=True)


def manifest():
    with open(CORPUS / 'manifest.tsv', encoding='utf-8') as file:
        names = next(file).rstrip('\n').split('\t')
        for line in file:
            row = dict(zip(names, line.rstrip('\n').split('\t')))
            if row['path']:
                yield row


def deepest(folder):
    return [path for path, _, names in os.walk(folder) if names][-1]


def corpus(isolde, tally):
    """The published histories of other tools, if they lie beside the checkout."""
    if not (CORPUS / 'manifest.tsv').exists():
        print(f'no collection of published histories at {CORPUS}')
        return SKIPPED
    for row in manifest():
        form, path = BY_CORPUS[row['format']], CORPUS / row['path']
        if '.tar.' in path.name:
            folder = isolde.scratch / path.name
            folder.mkdir()
            subprocess.run(['tar', '--zstd', '-xf', path, '-C', folder], check=True)
            path = deepest(folder)
        tally.check(isolde, form, path, row['path'], stats=FULL)
    return None


def peers(isolde, tally):
    """What bench/run gives to other checkers. Bytes per operation differ, and so do the histories:
    each file is large, that of a folder in its first member."""
    sys.path.insert(0, str(ROOT / 'bench'))
    from peer_formats import WRITERS, read_native
    for most, names in ((26000, ('plume', 'dbcop', 'viper')),
                        (20000, ('cobra', 'vbox', 'dbcop-json', 'elle-json'))):
        sizes = ('--sessions', '2', '--txns', str(most * LARGE // (2 << 20)))
        history = isolde.scratch / 'generated.jsonl'
        isolde.run('gen', '--workload', 'blindw-rw', '--seed', '7', *sizes, '--out', history,
                   '--force')
        txns = read_native(history)
        for name in names:
            write, ending = WRITERS[name]
            path = isolde.scratch / (name + ending)
            write(txns, path)
            if name == 'dbcop-json':
                path = path / '0.json'  # dbcop takes folders, Isolde the file
            compare_large(isolde, tally, BY_NAME[name], path)


def compare_large(isolde, tally, form, path):
    size = max(len(data) for _, data in compare.files_of(path))
    if size < LARGE:
        raise SystemExit(f'{path} has {size} bytes, which is not large')
    tally.check(isolde, form, path, path.name, stats=False)
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def run_seed():
    seed = int(os.environ.get('ISOLDE_SEED') or random.SystemRandom().getrandbits(63))
    print(f'ISOLDE_SEED={seed} repeats this run')
    return seed


def made_files(isolde, form, rng, size, name):
    """Random files; where they are."""
    files = form.module.make(rng, size)
    compare.store(files, isolde.scratch / name)
    return isolde.scratch / name / ('' if form.folder else files[0][0])


def made(isolde, tally):
    """Random files with everything in them that the page tells of."""
    seed = run_seed()
    for form in FORMATS:
        for number in range(200 if FULL else 8):
            name = f'{form.name}-{number}'
            rng = random.Random(f'{seed} {name}')
            path = made_files(isolde, form, rng, SMALL, name)
            tally.check(isolde, form, path, name, named=True)
        name = f'{form.name}-large'
        path = made_files(isolde, form, random.Random(f'{seed} {name}'), LARGE * 5 // 4, name)
        compare_large(isolde, tally, form, path)


def damaged(isolde, tally):
    """Files that were cut off somewhere."""
    seed = run_seed()
    for form in FORMATS:
        for number in range(200 if FULL else 10):
            name = f'{form.name}-{number}'
            rng = random.Random(f'{seed} cut {name}')
            path = made_files(isolde, form, rng, SMALL // 4, name)
            first = sorted(path.iterdir())[0] if path.is_dir() else path
            data = first.read_bytes()
            size = rng.randrange(1, len(data))
            first.write_bytes(data[:size])
            tally.check(isolde, form, path, f'{name}, {size} of {len(data)} bytes', named=True,
                        stats=False)


PARTS = {'seeds': seeds, 'corpus': corpus, 'peers': peers, 'made': made, 'damaged': damaged}


def main(argv):
    if len(argv) != 2 or argv[0] not in PARTS:
        print(__doc__, file=sys.stderr)
        return 3
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix='isolde_differential_') as scratch:
        skipped = PARTS[argv[0]](compare.Isolde(os.path.abspath(argv[1]), scratch), tally)
    return skipped or tally.close()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
