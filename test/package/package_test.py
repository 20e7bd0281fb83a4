#!/usr/bin/env python3
"""The Debian packages.

    package_test.py BUILD FOLDER make|contents|debian|lintian      exit code 77: cannot be tried here

make: packages from the build, in FOLDER. The others look at these.
contents: what is in them, what they need, and that they work from a folder.
debian: a bare Debian 12 gets them from apt, uses them, and has nothing left of them afterwards; then as
the workflow of docs/ci.md installs them. As root.
lintian: finds nothing but what is listed here with a reason.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import yaml

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HISTORY = os.path.join(ROOT, 'demo', 'pg-repeatable-read-write-skew.jsonl')
with open(os.path.join(ROOT, 'include/isolde/version.h'), encoding='utf-8') as header:
    VERSION = re.search(r'ISOLDE_VERSION "(.*)"', header.read()).group(1)
with open(os.path.join(BUILD, 'CMakeCache.txt'), encoding='utf-8') as cache:
    CACHE = dict(re.findall(r'^(\w+):\w+=(.*)', cache.read(), re.M))
LIBDIR = CACHE['CMAKE_INSTALL_LIBDIR']
# A build without HTTP, or NATS, lacks the module.
HAS_HTTP = os.path.exists(os.path.join(BUILD, 'isolde-http.so'))
HAS_NATS = os.path.exists(os.path.join(BUILD, 'isolde-nats.so'))
LIBRARY = 'libisolde' + VERSION.rsplit('.', 1)[0]
USE = ('import isolde, sys; report = isolde.check(sys.argv[1], ["ser", "rc"], seconds=60); '
       'print(report["ser"].verdict, report["rc"].verdict, isolde.__version__)')
USED = f'violated holds {VERSION}\n'


def run(command, code=0, folder=None, **environment):
    """Its output, both streams together."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, cwd=folder, env={**os.environ, **environment})
    assert done.returncode == code, f'{command}: exit code {done.returncode}\n{done.stdout}'
    return done.stdout


def packages():
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith('.deb'))
    found = {name.split('_')[0]: os.path.join(FOLDER, name) for name in names}
    assert sorted(found) == sorted(('isolde', 'libisolde-dev', LIBRARY, 'python3-isolde')), names
    return found


def test_make():
    run(['cmake', '--build', BUILD, '--target', 'isolde_packaging'])
    shutil.rmtree(FOLDER, ignore_errors=True)
    run(['cpack', '--config', os.path.join(BUILD, 'CPackConfig.cmake'), '-B', FOLDER])
    shutil.rmtree(os.path.join(FOLDER, '_CPack_Packages'))
    packages()


def all_files_in(package):
    rows = run(['dpkg-deb', '-c', package]).splitlines()
    names = {re.sub(r' -> .*', '', row).split(' ./', 1)[1] for row in rows if row[0] != 'd'}
    assert all(row.split()[1] == 'root/root' for row in rows), rows
    return names


def files_in(package):
    """But for the documentation."""
    names = all_files_in(package)
    documents = {name for name in names if name.startswith('usr/share/doc/')}
    assert {'copyright', 'changelog.gz', 'changelog.Debian.gz'} <= {
        os.path.basename(name) for name in documents}, documents
    return names - documents


def same(found, wanted):
    assert found == wanted, f'too many: {found - wanted}; missing: {wanted - found}'


def check_files(found):
    python = 'usr/lib/python3/dist-packages/isolde'
    same(files_in(found['isolde']), {
        'usr/bin/isolde', 'usr/share/man/man1/isolde.1.gz',
        'usr/share/bash-completion/completions/isolde', 'usr/share/zsh/vendor-completions/_isolde',
        'usr/share/fish/vendor_completions.d/isolde.fish', 'usr/share/lintian/overrides/isolde',
        'usr/lib/systemd/system/isolde-watch@.service',
        *([f'usr/{LIBDIR}/isolde/isolde-http.so'] if HAS_HTTP else []),
        *([f'usr/{LIBDIR}/isolde/isolde-nats.so'] if HAS_NATS else [])})
    series = VERSION.rsplit('.', 1)[0]
    same(files_in(found[LIBRARY]), {
        f'usr/{LIBDIR}/libisolde.so.{series}', f'usr/{LIBDIR}/libisolde.so.{VERSION}'})
    headers = {f'usr/include/isolde/{name}'
               for name in os.listdir(os.path.join(ROOT, 'include', 'isolde'))}
    development = files_in(found['libisolde-dev'])
    cmake = [f'cmake/isolde/{name}' for name in (
        'isolde-config.cmake', 'isolde-config-version.cmake', 'isolde_targets.cmake',
        f'isolde_targets-{CACHE["CMAKE_BUILD_TYPE"].lower()}.cmake')]
    same(development, headers | {f'usr/{LIBDIR}/{name}' for name in (
        'libisolde.so', 'libisolde.a', 'pkgconfig/isolde.pc', *cmake)})
    modules = {f'{python}/{name}' for name in os.listdir(os.path.join(ROOT, 'python', 'isolde'))
               if name != '__pycache__'}
    made = {f'{python}-{VERSION}.dist-info/{name}'
            for name in ('METADATA', 'WHEEL', 'entry_points.txt', 'top_level.txt')}
    same(files_in(found['python3-isolde']), modules | made)


def check_documents(found):
    """Pages, histories and examples, and all that the manual page names."""
    doc = 'usr/share/doc'
    of_program = all_files_in(found['isolde'])
    folders = {f'{doc}/isolde/{folder}' for folder in ('docs', 'demo', 'recipes', 'examples')}
    assert folders <= {os.path.dirname(name) for name in of_program}, of_program
    assert {f'{doc}/isolde/{name}' for name in (
        'README.md', 'docs/tutorial.md', 'docs/report.schema.json', 'docs/formats/native.md',
        'docs/findings/README.md', 'demo/pg-repeatable-read-write-skew.jsonl',
        'examples/sqlite_adapter.py', 'examples/tinystore.py',
        'examples/tinystore_adapter.py')} <= of_program, of_program
    readme = run(['sh', '-c', f'dpkg-deb --fsys-tarfile "$1" | tar -xO ./{doc}/isolde/README.md',
                  'sh', found['isolde']])
    links = set(re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', readme))
    dead = {link for link in links
            if not any(name.startswith(f'{doc}/isolde/{link}') for name in of_program)}
    assert 'changelog.gz' in links and not dead, dead
    begin = re.search(r'```\n(.*?)\n```', readme, re.S).group(1)
    assert all(line.startswith('isolde ') for line in begin.splitlines()), begin
    assert './dev build' not in readme.split('## Levels')[0], readme
    source = [name for name in of_program if re.search(r'conf[.]py$|[.]css$|[.]intro[.]md$', name)]
    assert not source, f'these are for who makes the site: {source}'
    examples = {f'{doc}/python3-isolde/examples/{name}' for name in (
        'test_engine.py', 'tinystore.py', 'test_tinystore.py')}
    assert examples <= all_files_in(found['python3-isolde'])
    page = run([os.path.join(BUILD, 'isolde'), 'manual']).replace('\\-', '-')
    named = set(re.findall(rf'/({doc}/isolde/[\w./-]+\w)', page))
    missing = {name for name in named if not any(file.startswith(name) for file in of_program)}
    assert named and not missing, (named, missing)


def check_fields(found):
    fields = {}
    for name, package in found.items():
        rows = re.findall(r'^([\w-]+): (.*(?:\n .*)*)', run(['dpkg-deb', '-f', package]), re.M)
        fields[name] = dict(rows)
        assert (fields[name]['Package'], fields[name]['Version']) == (name, VERSION + '-1'), rows
        assert re.fullmatch(r'.+ <\S+@\S+>', fields[name]['Maintainer']), fields[name]
        summary, *text = fields[name]['Description'].splitlines()
        assert summary[0].islower() and len(summary) < 80, summary
        assert len(text) > 2 and all(re.match(r' (\.$|\S)', line) for line in text), text
    assert {name: row['Section'] for name, row in fields.items()} == {
        'isolde': 'database', LIBRARY: 'libs', 'libisolde-dev': 'libdevel',
        'python3-isolde': 'python'}
    depends = {name: set(re.findall(r'(?:^|, )([\w.+-]+)', row['Depends']))
               for name, row in fields.items()}
    checks = {'libc6', 'libgcc-s1', 'libstdc++6', 'libpugixml1v5', 'libzstd1', 'zlib1g',
              'libxxhash0'}
    assert checks <= depends[LIBRARY] and len(depends[LIBRARY]) == len(checks) + 1, depends
    assert depends[LIBRARY] < depends['isolde'], depends
    drivers = {name.strip() for name in re.search(
        'databases: (.*)', run([os.path.join(BUILD, 'isolde'), '--version'])).group(1).split(',')}
    for driver, library in (('postgres', 'libpq5'), ('sqlite', 'libsqlite3-0'),
                            ('firebird', 'libfbclient2'), ('redis', 'libssl3')):
        assert (driver in drivers) == (library in depends['isolde']), (driver, depends)
    assert HAS_HTTP == ('libcpp-httplib0.11' in depends['isolde']), depends
    assert f'{LIBRARY} (= {VERSION}-1)' in fields['libisolde-dev']['Depends'], depends
    assert fields['python3-isolde']['Architecture'] == 'all'
    assert depends['python3-isolde'] == {'python3', LIBRARY}


def check_use(found, folder):
    """Unpacked, not installed."""
    for package in found.values():
        run(['dpkg-deb', '-x', package, folder])
    usr = os.path.join(folder, 'usr')
    mentions = subprocess.run(['grep', '-rlF', '--', ROOT, usr], text=True, capture_output=True,
                              check=False).stdout
    assert not mentions, f'these tell where they were built: {mentions}'
    isolde = os.path.join(usr, 'bin', 'isolde')
    assert run([isolde, '--version']).startswith(f'isolde {VERSION}\n')
    shown = run([isolde, 'check', '--level', 'serializable', HISTORY], code=1)
    assert 'a contradiction' in shown, shown
    shown = run([isolde, 'databases', 'try', 'exec:python3 -B tinystore_adapter.py'],
                folder=f'{usr}/share/doc/isolde/examples')
    assert 'Nothing is wrong.' in shown, shown
    if HAS_HTTP:  # which is found where it was unpacked
        with socket.create_server(('127.0.0.1', 0)) as taken:
            address = f'127.0.0.1:{taken.getsockname()[1]}'
            shown = run([isolde, 'watch', '--listen', address, HISTORY], code=4)
        assert f'cannot listen on {address}: ' in shown, shown
    page = run(['man', '--warnings', '-l', f'{usr}/share/man/man1/isolde.1.gz'], MANPAGER='cat')
    assert 'isolde check [OPTIONS] history...' in re.sub('.\b', '', page), page
    libraries = os.path.join(usr, LIBDIR)
    assert run(['/usr/bin/python3', '-B', '-c', USE, HISTORY], LD_LIBRARY_PATH=libraries,
               PYTHONPATH=f'{usr}/lib/python3/dist-packages') == USED
    # pkg-config takes the folder for the system's root.
    flags = run(['pkg-config', '--cflags', '--libs', 'isolde'],
                PKG_CONFIG_PATH=f'{libraries}/pkgconfig').split()
    run(['cc', f'{usr}/share/doc/libisolde-dev/examples/check.c', *flags, '-o', 'check'],
        folder=folder)
    assert 'a contradiction' in run(['./check', HISTORY, 'serializable'], code=1, folder=folder,
                                    LD_LIBRARY_PATH=libraries)


def test_contents():
    found = packages()
    check_files(found)
    check_documents(found)
    check_fields(found)
    with tempfile.TemporaryDirectory() as folder:
        check_use(found, folder)


# Tags that stay, and why.
TOLERATED = {
    'initial-upload-closes-no-bugs',  # nobody has asked Debian for the package
    'maintscript-calls-ldconfig',     # CPack writes these scripts; the trigger is there, too
}


def test_lintian():
    if not shutil.which('lintian'):
        print('lintian is not installed')
        sys.exit(SKIP)
    done = subprocess.run(['lintian', '--allow-root', *packages().values()], text=True,
                          capture_output=True, check=False)
    tags = re.findall(r'^([EW]): \S+: (\S+)(.*)', done.stdout, re.M)
    assert tags, done.stdout + done.stderr
    strange = [' '.join(tag) for tag in tags if tag[1] not in TOLERATED]
    assert not strange, strange


def mirror():
    """Where this machine has its own Debian from."""
    rows = run(['apt-get', 'indextargets', '--format', '$(SITE) $(RELEASE)',
                'Created-By: Packages']).splitlines()
    return next(row.split()[0] for row in rows if row.split()[1:] == ['bookworm'])


class BareDebian:
    """A Debian 12 in a folder, with nothing but what apt needs."""

    def __init__(self, folder):
        self.folder = folder
        run(['debootstrap', '--variant=minbase', 'bookworm', folder, mirror()])
        for name in os.listdir(FOLDER):
            shutil.copy(os.path.join(FOLDER, name), os.path.join(folder, 'opt'))
        shutil.copy(HISTORY, os.path.join(folder, 'opt', 'history.jsonl'))

    def run(self, command, code=0):
        # Not in the folder for temporary files of who runs the tests.
        return run(['chroot', self.folder, 'sh', '-c', command], code, LC_ALL='C', HOME='/root',
                   TMPDIR='/tmp',
                   DEBIAN_FRONTEND='noninteractive', PATH='/usr/sbin:/usr/bin:/sbin:/bin')

    def install(self, *names):
        self.run('apt-get install -y -qq --no-install-recommends ' + ' '.join(names))

    def files(self):
        """All but what apt, dpkg and others keep about packages in general."""
        kept = r'/(var/(lib/(apt|dpkg)|cache|log)|etc/ld\.so\.cache|proc|tmp)(/|$)'
        return {name for name in self.run('find / -xdev').splitlines() if not re.match(kept, name)}


CMAKE = '''cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(isolde 0.1 REQUIRED)
add_executable(shared /usr/share/doc/libisolde-dev/examples/engine.cpp)
target_link_libraries(shared PRIVATE isolde::isolde)
add_executable(static /usr/share/doc/libisolde-dev/examples/engine.cpp)
target_link_libraries(static PRIVATE isolde::isolde_static)
'''


def check_development(debian):
    engine = '/usr/share/doc/libisolde-dev/examples/engine.cpp'
    debian.run(f'g++ -std=c++20 {engine} $(pkg-config --cflags --libs isolde) -o /tmp/engine')
    shown = debian.run('/tmp/engine', code=2)
    assert shown.endswith('\nproved: snapshot-isolation is violated, by an argument of 2 steps\n')
    os.mkdir(os.path.join(debian.folder, 'tmp', 'user'))
    with open(os.path.join(debian.folder, 'tmp', 'user', 'CMakeLists.txt'), 'w',
              encoding='utf-8') as file:
        file.write(CMAKE)
    debian.run('cd /tmp/user && cmake . && cmake --build .')
    for kind in ('shared', 'static'):
        assert debian.run(f'/tmp/user/{kind}', code=2) == shown


def try_workflow(debian):
    """The step of the workflow of docs/ci.md that test/cli/ci_test.py leaves out."""
    with open(os.path.join(ROOT, 'examples', 'isolation.yml'), encoding='utf-8') as file:
        steps = yaml.safe_load(file)['jobs']['isolation']['steps']
    install = next(step['run'] for step in steps if step.get('name') == 'install')
    debian.run(f'mkdir -p /tmp/job/ci\ncp /opt/isolde_*.deb /tmp/job/ci\ncd /tmp/job\nset -e\n{install}')
    assert debian.run('isolde --version').startswith(f'isolde {VERSION}\n')


def try_packages(folder):
    debian = BareDebian(folder)
    debian.run('apt-get update -qq')
    # What the packages need, but for themselves, so that what comes after is theirs.
    debian.install('man-db', 'bash-completion', 'g++', 'cmake', 'make', 'python3')
    names = sorted(packages())
    needs = debian.run('apt-get install -s --no-install-recommends /opt/*.deb')
    debian.install(*sorted(set(re.findall(r'^Inst (\S+)', needs, re.M)) - set(names)))
    before = debian.files()
    debian.install('/opt/*.deb')
    assert debian.run('isolde --version').startswith(f'isolde {VERSION}\n')
    assert 'absent' not in debian.run('isolde --version')
    shown = debian.run('isolde check --level serializable /opt/history.jsonl', code=1)
    assert 'a contradiction' in shown, shown
    debian.run('isolde check --svg /tmp/picture.svg --html /tmp/page.html /opt/history.jsonl')
    debian.run('isolde run --db sqlite: --workload mini --txns 50 --no-record')
    assert debian.run('man -w isolde') == '/usr/share/man/man1/isolde.1.gz\n'
    assert debian.run('bash -c ". /usr/share/bash-completion/bash_completion; '
                      '_completion_loader isolde; complete -p isolde"') == (
                          'complete -F _isolde isolde\n')
    assert debian.run(f"python3 -c '{USE}' /opt/history.jsonl") == USED
    check_development(debian)
    debian.run('apt-get purge -y -qq ' + ' '.join(names))
    left = debian.files() - before
    assert not left, sorted(left)
    try_workflow(debian)


def test_debian():
    if os.geteuid() != 0 or not shutil.which('debootstrap'):
        print('this needs root and debootstrap')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
        try_packages(folder)


globals()['test_' + sys.argv[3]]()
