#!/usr/bin/env python3
"""An archive that was changed in any way is not taken for what it was.

    archive_test.py ISOLDE

Digests and chain of an archive are verified once more here, from docs/formats/archive.md. Then files are
changed, cut, dropped, swapped and repeated, lines of the chain too, also with the chain made anew, and each time
`isolde verify` must refuse. The seed is printed.
"""
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

GEN = ('gen', '--workload', 'blindw-rw', '--txns', '300000', '--sessions', '24', '--seed', '5',
       '--to', 'native-binary', '--out', 'h.isob')
SEAL = b',"chain":"'


def run(isolde, folder, *words):
    done = subprocess.run([isolde, *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def write(data, *path):
    with open(os.path.join(*path), 'wb') as file:
        file.write(data)


def sealed(bodies):
    """A chain of these lines."""
    chain, out = '', b''
    for body in bodies:
        chain = hashlib.sha256(chain.encode() + body).hexdigest()
        out += body + SEAL + chain.encode() + b'"}\n'
    return out


def bodies(chain):
    return [line[:line.rindex(SEAL)] for line in chain.splitlines()]


def check_chain(archive):
    """As the page says."""
    chain = read(archive, 'chain')
    if sealed(bodies(chain)) != chain:
        sys.exit(f'{archive}: the chain is another one')
    lines = [json.loads(line) for line in chain.splitlines()]
    deleted = max([line['deleted'] for line in lines if 'deleted' in line], default=0)
    before = None
    for line in lines:
        if 'file' not in line:
            continue
        first = line['file']
        if first >= deleted:
            wanted = {'.isob': line['history'], '.segments': line['order']}
            if first > 0:
                wanted['.start'] = before['next']
            for suffix, digest in wanted.items():
                if hashlib.sha256(read(archive, f'{first}{suffix}')).hexdigest() != digest:
                    sys.exit(f'{archive}: {first}{suffix} has another digest')
        before = line


def flip(data):
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1:]


def forgeries(archive):
    """Names of what may be done to an archive, with functions that do it."""
    names = sorted(os.listdir(archive))
    files = [name for name in names if name != 'chain' and os.path.getsize(os.path.join(archive, name))]
    for name in [*files, 'chain', 'chain', 'chain']:
        yield f'change {name}', lambda to, name=name: write(flip(read(to, name)), to, name)
    for name in files:
        yield f'drop {name}', lambda to, name=name: os.remove(os.path.join(to, name))
        yield f'cut {name}', lambda to, name=name: write(read(to, name)[:-8], to, name)
    for suffix in ('.isob', '.segments', '.start'):
        same = sorted((name for name in files if name.endswith(suffix)), key=lambda name: int(name.split('.')[0]))
        one, other = same[:2]

        def swap(to, one=one, other=other):
            first, second = read(to, one), read(to, other)
            write(second, to, one)
            write(first, to, other)
        yield f'swap {one} and {other}', swap
        yield f'repeat {one}', lambda to, one=one, other=other: write(read(to, one), to, other)
        yield f'add {one}', lambda to, one=one, suffix=suffix: write(read(to, one), to, '999999' + suffix)
    oldest = min(int(name.split('.')[0]) for name in files)

    def drop_oldest(to):
        for suffix in ('.isob', '.segments', '.start'):
            if os.path.exists(os.path.join(to, f'{oldest}{suffix}')):
                os.remove(os.path.join(to, f'{oldest}{suffix}'))
    yield 'drop the oldest file', drop_oldest
    lines = bodies(read(archive, 'chain'))
    count = len(lines)
    if b'"keys":' in lines[0]:
        for keys in (b'"[1-5]*"', b'"[1-3]*"', b'"*"'):
            yield f'other keys {keys}', lambda to, keys=keys: write(
                sealed([lines[0].replace(b'"[1-4]*"', keys), *lines[1:]]), to, 'chain')
        yield 'all keys', lambda to: write(sealed([lines[0].replace(b',"keys":"[1-4]*"', b''), *lines[1:]]), to, 'chain')
    for i in range(count):
        def drop_line(to, i=i, anew=False):
            left = read(to, 'chain').splitlines(keepends=True)
            left = left[:i] + left[i + 1:]
            write(sealed(bodies(b''.join(left))) if anew else b''.join(left), to, 'chain')
        yield f'drop line {i}', drop_line
        yield f'drop line {i} and make the chain anew', lambda to, f=drop_line: f(to, anew=True)
    for i in range(count - 1):
        def swap_lines(to, i=i, anew=False):
            lines = read(to, 'chain').splitlines(keepends=True)
            lines[i], lines[i + 1] = lines[i + 1], lines[i]
            write(sealed(bodies(b''.join(lines))) if anew else b''.join(lines), to, 'chain')
        yield f'swap lines {i} and {i + 1}', swap_lines
        # Where what was deleted is told may be any place behind it.
        if b'"deleted"' not in b''.join(bodies(read(archive, 'chain'))[i:i + 2]):
            yield f'swap lines {i} and {i + 1}, chain anew', lambda to, f=swap_lines: f(to, anew=True)


def main():
    isolde = os.path.abspath(sys.argv[1])
    seed = int(os.environ.get('ISOLDE_SEED', random.randrange(1 << 30)))
    print(f'ISOLDE_SEED={seed} repeats this run', flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        if run(isolde, folder, *GEN)[0] != 0:
            sys.exit('gen failed')
        tried = 0
        for archive, options in (('whole', ()), ('part', ('--archive-keep-size', '12M')),
                                 ('keys', ('--keys', '[1-4]*', '--archive-keep-size', '12M'))):
            code, text = run(isolde, folder, 'watch', 'h.isob', '--archive', archive,
                             '--archive-file-size', '1M', *options)
            if code != 0:
                sys.exit(text)
            code, text = run(isolde, folder, 'verify', archive)
            if code != 0 or ('from transaction' in text) != bool(options):
                sys.exit(f'{archive}: {code}\n{text}')
            check_chain(os.path.join(folder, archive))
            if ('of the keys like [1-4]* ' in text) != (archive == 'keys'):
                sys.exit(f'{archive}: {text}')
            forged = os.path.join(folder, 'forged')
            for what, forge in forgeries(os.path.join(folder, archive)):
                shutil.copytree(os.path.join(folder, archive), forged)
                forge(forged)
                code, text = run(isolde, folder, 'verify', 'forged')
                if code not in (1, 3) or text.count('\n') != 1:
                    sys.exit(f'{archive}: {what}: {code}\n{text}')
                shutil.rmtree(forged)
                tried += 1
        print(f'{tried} forgeries were refused')


if __name__ == '__main__':
    main()
