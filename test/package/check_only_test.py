#!/usr/bin/env python3
"""Isolde without what it can do without.

    check_only_test.py CXX FOLDER configure|build

configure: an option decides about a part, and AUTO takes what is there.
build: a build without any of them, which stays in FOLDER, checks histories, needs no libraries but
those that README.md names for that, and says what it lacks.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HISTORY = os.path.join(ROOT, 'demo', 'pg-repeatable-read-write-skew.jsonl')
OFF = ['-DISOLDE_DRIVERS=OFF', '-DISOLDE_WITH_OPENSSL=OFF', '-DISOLDE_WITH_GRAPHVIZ=OFF',
       '-DISOLDE_WITH_D3=OFF', '-DISOLDE_WITH_TOMLPLUSPLUS=OFF',
       '-DISOLDE_WITH_HTTPLIB=OFF', '-DISOLDE_WITH_NATS=OFF']
LIBRARIES = {'linux-vdso', 'libsimdjson', 'libpugixml', 'libz', 'libzstd', 'libxxhash', 'libstdc++', 'libm',
             'libgcc_s', 'libc', 'ld-linux-x86-64', 'ld-linux-aarch64'}

# Debian packages with headers that come with the compiler.
OF_COMPILER = re.compile(r'(libc6|libc\+\+-\d+|libcrypt|linux-libc|libstdc\+\+-\d+|libgcc-\d+|'
                         r'libclang-common-\d+)-dev')


def run(command, folder, code=0, **environment):
    """Both streams together, whatever the lines were broken at."""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == code, f'{command}: exit code {done.returncode}\n{done.stdout}'
    return re.sub(r'\s+', ' ', done.stdout)


def configure(cxx, folder, *options, code=0, **environment):
    return run(['cmake', '-G', 'Ninja', '-S', ROOT, '-B', 'build', f'-DCMAKE_CXX_COMPILER={cxx}',
                '-DISOLDE_TESTS=OFF', '-DISOLDE_UNITY=ON', *options], folder, code, **environment)


def check_readme(folder, packages):
    """Its table has all parts, and the packages that are told of."""
    rows = dict(re.findall(r'^\| .* \| `ISOLDE_WITH_(\w+)` \| `(\S+)`',
                           open(os.path.join(ROOT, 'README.md'), encoding='utf-8').read(), re.M))
    cache = open(os.path.join(folder, 'build', 'CMakeCache.txt'), encoding='utf-8').read()
    assert set(re.findall(r'^ISOLDE_WITH_(\w+):', cache, re.M)) == set(rows), rows
    assert len(packages) > 5 and packages.items() <= rows.items(), (packages, rows)


def test_configure(cxx, folder):
    # A machine that has what is needed in any case, and LMDB.
    few = os.path.join(folder, 'pkgconfig')
    os.mkdir(few)
    for name in ('libzstd', 'libxxhash', 'lmdb'):
        where = run(['pkg-config', '--variable=pcfiledir', name], folder).strip()
        shutil.copy(os.path.join(where, name + '.pc'), few)
    shown = configure(cxx, folder, PKG_CONFIG_LIBDIR=few)
    assert 'Without SQLITE; Debian has what it needs in libsqlite3-dev' in shown, shown
    assert 'Without GRAPHVIZ; Debian has what it needs in libgraphviz-dev' in shown, shown
    assert 'Without LMDB' not in shown, shown
    check_readme(folder, dict(re.findall(r'Without (\w+); Debian has what it needs in (\S+)', shown)))
    shown = configure(cxx, folder, '-DISOLDE_WITH_SQLITE=ON', code=1, PKG_CONFIG_LIBDIR=few)
    assert 'ISOLDE_WITH_SQLITE: its library was not found' in shown, shown
    # One alone, of those that are there.
    shown = configure(cxx, folder, *OFF, '-DISOLDE_WITH_LMDB=ON', '-DISOLDE_WITH_SQLITE=AUTO',
                      PKG_CONFIG_LIBDIR=few)
    made = open(os.path.join(folder, 'build', 'build.ninja'), encoding='utf-8').read()
    assert '/src/db/lmdb.cpp' in made
    for absent in ('sqlite', 'etcd', 'firebird'):
        assert f'/src/db/{absent}.cpp' not in made, absent
    # Redis without encryption.
    configure(cxx, folder, *OFF, '-DISOLDE_WITH_LMDB=OFF', '-DISOLDE_WITH_REDIS=ON')
    run(['cmake', '--build', 'build', '--target', 'isolde_db'], folder)
    made = run(['nm', '-C', 'build/src/db/libisolde_db.a'], folder)
    assert 'isolde::db::tls_stream(' in made and 'SSL_connect' not in made, made


def check_headers(folder):
    """What was compiled in comes from the packages that README.md names, and from all of them."""
    readme = open(os.path.join(ROOT, 'README.md'), encoding='utf-8').read()
    command = re.search(r'To check histories, these are enough:\s+```\n(.*?)\ncmake ', readme, re.S)
    named = set(re.findall(r'\S+-dev\b', command.group(1)))
    shown = run(['ninja', '-C', 'build', '-t', 'deps'], folder)
    headers = sorted(set(re.findall(r'/usr/(?:local/)?include/\S+', shown)))
    assert len(headers) > 100, headers
    # One line for each: "package:architecture: path".
    owners = set(re.findall(r'(\S+?)(?::\w+)?: /usr', run(['dpkg', '-S', *headers], folder)))
    used = {owner for owner in owners if not OF_COMPILER.fullmatch(owner)}
    assert used == named, f'headers of {used}, but README.md names {named}'


def test_build(cxx, folder):
    configure(cxx, folder, *OFF)
    run(['cmake', '--build', 'build', '-j', os.environ.get('ISOLDE_JOBS', str(os.cpu_count()))],
        folder)
    check_headers(folder)
    isolde = os.path.join(folder, 'build', 'isolde')
    needed = set(re.findall(r'([\w+-]+)\.so', run(['ldd', isolde], folder)))
    assert needed <= LIBRARIES, needed - LIBRARIES
    shown = run([isolde, 'check', '--level', 'serializable', HISTORY], folder, code=1)
    assert 'serializable violated' in shown and 'a contradiction' in shown, shown
    shown = run([isolde, '--version'], folder)
    assert re.fullmatch(r'isolde \S+ databases: exec absent: sqlite, rocksdb, lmdb, .*postgres, .*'
                        r'--svg, --html, recipes, survey, publish, watch --listen ', shown), shown
    shown = run([isolde, 'databases'], folder)
    assert 'Not in this build' in shown and 'postgres libpq-dev' in shown, shown
    shown = run([isolde, 'run', '--db', 'postgresql://localhost/', '--workload', 'mini',
                 '--no-record'], folder, code=3)
    assert 'built without drivers for sqlite, rocksdb' in shown, shown
    for option, lacks in (('--svg', 'Graphviz'), ('--html', 'Graphviz and D3')):
        shown = run([isolde, 'check', option, 'picture', HISTORY], folder, code=3)
        assert shown.startswith(f'isolde: {option}: this isolde was built without'), shown
        assert lacks in shown, shown
    for command in (['recipes'], ['recipes', 'sqlite-shared-cache'], ['survey', '--db', 'exec:true'],
                    ['run', '--recipe', 'sqlite-shared-cache']):
        shown = run([isolde, *command], folder, code=3)
        assert re.fullmatch(r'isolde: (--recipe: )?this isolde was built without toml\+\+ \(Debian: '
                            r'libtomlplusplus-dev\), which reads (recipes|the scenarios of a survey)'
                            r'( \(see isolde run --help\))? ', shown), shown
    for command in (['watch', 'nats://localhost/SHOP/a'],
                    ['publish', HISTORY, '--to', 'nats://localhost/SHOP/a']):
        shown = run([isolde, *command], folder, code=3)
        assert 'built without libnats (Debian: libnats-dev)' in shown, shown
    assert os.listdir(folder) == ['build']


def main():
    cxx, kept, name = sys.argv[1:]
    if name == 'build':
        os.makedirs(kept, exist_ok=True)
        test_build(cxx, kept)
        return
    with tempfile.TemporaryDirectory() as folder:
        test_configure(cxx, folder)


main()
