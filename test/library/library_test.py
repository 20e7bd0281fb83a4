#!/usr/bin/env python3
"""The library as others get it.

    library_test.py BUILD CXX LIBDIR install|exports|examples|cmake|python|pytest

Exit code 77: packages are missing. LIBDIR: where libraries are, below the prefix.

install: what is installed is complete, and the shared library shows nothing but the API. exports:
it shows all of that, every function that a header declares and does not define, as clang reads it.
examples: the programs of docs/library.md and docs/engine.md, compiled against it as the pages say,
shared and static. cmake: the project of docs/engine.md, with its fix. python: wheel and sdist in
fresh environments, offline. pytest: the examples for pytest, with the plugin from the wheel, what
docs/engine.md says of them, before and after its fixes, and the examples of docs/recording.md and
docs/library.md without pytest. mypy: the package's annotations, and what they say to who uses it.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, CXX, LIBDIR = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
PYTHON = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
FOR_LIBRARIES = ('ISOLDE_LIBRARY', 'LD_LIBRARY_PATH', 'PKG_CONFIG_PATH')
HISTORY = os.path.join(ROOT, 'demo', 'pg-repeatable-read-write-skew.jsonl')


def path(*parts):
    return os.path.join(ROOT, *parts)


def version_here():
    with open(path('include', 'isolde', 'version.h'), encoding='utf-8') as file:
        return re.search(r'ISOLDE_VERSION "(.*)"', file.read()).group(1)


def alone(**environment):
    """What the machine or its user has installed or set for Python stays out of it."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('PYTHON', 'PIP_')) and name not in FOR_LIBRARIES}
    return {**kept, 'PYTHONNOUSERSITE': '1', **environment}


def run(command, folder, code=0, **environment):
    """Its output, both streams together."""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False,
                          env=alone(**environment), shell=isinstance(command, str))
    assert done.returncode == code, f'{command}: exit code {done.returncode}\n{done.stdout}'
    return done.stdout


def installed(folder):
    """What is installed, moved to another place than it was made for."""
    first = os.path.join(folder, 'first')
    for component in ('library', 'development'):
        run(['cmake', '--install', BUILD, '--component', component, '--prefix', first], folder)
    prefix = os.path.join(folder, 'prefix')
    os.rename(first, prefix)
    return prefix


def environment_of(prefix):
    """Of a user who has installed it there."""
    return {'PKG_CONFIG_PATH': os.path.join(prefix, LIBDIR, 'pkgconfig'),
            'LD_LIBRARY_PATH': os.path.join(prefix, LIBDIR)}


def test_install(folder):
    prefix = installed(folder)
    headers = sorted(os.listdir(os.path.join(prefix, 'include', 'isolde')))
    assert headers == sorted(os.listdir(path('include', 'isolde'))), headers
    for header in headers:  # each can be included alone, also with many warnings
        source = os.path.join(folder, 'alone.cpp')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(f'#include "isolde/{header}"\nint main() {{}}\n')
        run([CXX, '-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow',
             '-Werror', '-fsyntax-only', '-I' + os.path.join(prefix, 'include'), source], folder)
    library = os.path.join(prefix, LIBDIR, 'libisolde.so')
    shown = [line.split(' ', 2)[2] for line in
             run(['nm', '-D', '-C', '--defined-only', library], folder).splitlines()]
    strange = [name for name in shown
               if not re.match(r'(isolde_\w+|(typeinfo (name )?for |vtable for )?isolde::.*)$', name)
               or re.search(r'isolde::(api|base|checker|certify|explain|history|infer|io)::', name)]
    assert not strange, strange
    declared = set(re.findall(r'\b(isolde_\w+)\(', open(path('include/isolde/isolde.h'),
                                                        encoding='utf-8').read()))
    missing = declared - set(shown)
    assert not missing, missing
    needed = run(['objdump', '-p', library], folder)
    assert 'libisolde.so.0.1' in needed, needed
    for foreign in ('libpq', 'librocksdb', 'libgvc', 'libcurl', 'libhiredis', 'libmariadb'):
        assert foreign not in needed, foreign


def declared_functions(ast):
    """Symbols of functions without a body, of clang's declarations, one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, set()

    def walk(node):
        kind, inner = node.get('kind', ''), node.get('inner', [])
        if kind in ('FunctionDecl', 'CXXMethodDecl', 'CXXConstructorDecl', 'CXXDestructorDecl',
                    'CXXConversionDecl'):
            defined = any(each.get('kind') in ('CompoundStmt', 'CXXTryStmt') for each in inner)
            made = any(node.get(word) for word in
                       ('isImplicit', 'explicitlyDefaulted', 'explicitlyDeleted', 'pure'))
            if not (defined or made):
                found.add(node['mangledName'])
        elif kind in ('NamespaceDecl', 'LinkageSpecDecl', 'CXXRecordDecl', 'FriendDecl'):
            for each in inner:
                walk(each)  # templates are inline

    while at < len(ast):
        node, at = decoder.raw_decode(ast, at)
        walk(node)
        while ast[at:at + 1].isspace():
            at += 1
    return found


def test_exports(folder):
    if shutil.which('clang++') is None:
        print('clang is not installed')
        sys.exit(SKIP)
    prefix = installed(folder)
    source = os.path.join(folder, 'all.cpp')
    with open(source, 'w', encoding='utf-8') as file:
        for header in sorted(os.listdir(path('include', 'isolde'))):
            file.write(f'#include "isolde/{header}"\n')
    ast = run(['clang++', '-std=c++20', '-fsyntax-only', '-I' + os.path.join(prefix, 'include'),
               '-Xclang', '-ast-dump=json', '-Xclang', '-ast-dump-filter=isolde', source], folder)
    declared = declared_functions(ast)
    # Of each kind one, or else clang has words that are not understood here.
    for known in ('isolde_check', '_ZN6isolde4infoENS_5LevelE', '_ZNK6isolde7History6digestEv',
                  '_ZN6isolde14HistoryBuilderC1Ev', '_ZN6isolde8RecorderD1Ev'):
        assert known in declared, known
    shown = {line.split()[2] for line in
             run(['nm', '-D', '--defined-only', os.path.join(prefix, LIBDIR, 'libisolde.so')],
                 folder).splitlines()}
    hidden = sorted(declared - shown)
    assert not hidden, 'declared and not shown:\n' + run(['c++filt', *hidden], folder)


def test_examples(folder):
    prefix = installed(folder)
    environment = environment_of(prefix)
    engine, check = path('examples', 'engine.cpp'), path('examples', 'check.c')
    run(f'{CXX} -std=c++20 {engine} $(pkg-config --cflags --libs isolde) -o shared', folder,
        **environment)
    static = (f'$(pkg-config --cflags isolde) {prefix}/{LIBDIR}/libisolde.a '
              '$(pkg-config --libs --static isolde | sed s/-lisolde//)')
    run(f'{CXX} -std=c++20 {engine} {static} -o static', folder, **environment)
    shown = run('./shared', folder, code=2, **environment)
    assert run('./static', folder, code=2) == shown
    assert 'snapshot-isolation  violated        lost update' in shown, shown
    assert shown.endswith('\nproved: snapshot-isolation is violated, by an argument of 2 steps\n')
    run(f'cc -std=c99 -Wall -Wextra -Wpedantic -Werror {check} '
        '$(pkg-config --cflags --libs isolde) -o check', folder, **environment)
    run(f'cc -std=c99 {check} {static} -o check-static', folder, **environment)
    text = run(['./check', HISTORY, 'serializable'], folder, code=1, **environment)
    assert run(['./check-static', HISTORY, 'serializable'], folder, code=1) == text
    program = run([os.path.join(BUILD, 'isolde'), 'check', '--level', 'serializable', HISTORY],
                  folder, code=1)
    assert text == program, text
    assert 'unknown level' in run(['./check', HISTORY, 'best'], folder, code=3, **environment)
    check_aggregates(folder, environment)
    for name, shown_in in (('check.c', 'library'), ('test_engine.py', 'library'),
                           ('sqlite_adapter.py', 'adapters'), ('engine.cpp', 'engine'),
                           ('tinystore.py', 'engine'), ('test_tinystore.py', 'engine'),
                           ('tinystore_adapter.py', 'engine')):
        example = open(path('examples', name), encoding='utf-8').read()
        assert example in page(shown_in), f'docs/{shown_in}.md does not show examples/{name} as it is'


# Around the blocks of docs/library.md: their sum is right where the row is written so.
SUM_IN_CPP = r'''
#include <cstdio>
#include <cstdlib>
#include "isolde/isolde.hpp"
int main(int, char** arguments) {
  isolde::HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  const isolde::ColumnRecord columns[] = {{"qty", std::atoi(arguments[1])}};
  builder.add({.kind = isolde::RecordKind::kWrite, .key = 9, .columns = columns});
  builder.begin_txn(builder.session("a"));
  @BLOCK@
  const auto history = builder.finish();
  if (!history) return std::puts(history.error().message.c_str());
  const auto report = isolde::check(*history);
  return std::puts(report->verdict(isolde::Level::kStrongSessionSerializable) ==
                   isolde::Verdict::kHolds ? "holds" : "violated") < 0;
}
'''
SUM_IN_C = r'''
#include <stdio.h>
#include <stdlib.h>
#include "isolde/isolde.h"
int main(int count, char **arguments) {
  isolde_builder *const builder = isolde_builder_new();
  isolde_builder_begin(builder, "a");
  const isolde_column column = {"qty", {ISOLDE_INTEGER, atoi(arguments[count - 1]), NULL, 0}};
  const isolde_operation write = {.size = sizeof write, .kind = ISOLDE_WRITE,
    .key = {.kind = ISOLDE_INTEGER, .number = 9},
    .has_columns = 1, .columns = &column, .column_count = 1};
  isolde_builder_add(builder, &write);
  isolde_builder_begin(builder, "a");
  @BLOCK@
  isolde_history *history = NULL;
  isolde_report *report = NULL;
  if (isolde_builder_finish(builder, &history, NULL) != ISOLDE_OK) return 1;
  if (isolde_check(history, NULL, &report, NULL) != ISOLDE_OK) return 1;
  puts(isolde_report_verdict(report, "strong-session-serializable") == ISOLDE_HOLDS ? "holds"
                                                                             : "violated");
  isolde_report_free(report);
  isolde_history_free(history);
  isolde_builder_free(builder);
  return 0;
}
'''


def check_aggregates(folder, environment):
    for compiler, name, program, having in (
            (f'{CXX} -std=c++20', 'sum.cpp', SUM_IN_CPP, 'isolde::AggregateRecord{'),
            ('cc -std=c99 -Wall -Wextra -Wpedantic -Werror', 'sum.c', SUM_IN_C,
             '.kind = ISOLDE_AGGREGATE')):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(program.replace('@BLOCK@', block(having, 'library')))
        run(f'{compiler} {name} $(pkg-config --cflags --libs isolde) -o sum', folder, **environment)
        for qty, verdict in ((4, 'holds'), (3, 'violated')):
            shown = run(['./sum', str(qty)], folder, **environment)
            assert shown == verdict + '\n', f'{name}, {qty}: {shown}'


def page(name):
    return open(path('docs', name + '.md'), encoding='utf-8').read()


def block(having, of='engine'):
    """The only block of code of a page that has this text."""
    found = [each for each in re.findall(r'^```\w*\n(.*?)^```$', page(of), re.M | re.S)
             if having in each]
    assert len(found) == 1, f'{len(found)} blocks of docs/{of}.md have {having}'
    return found[0]


# What differs from run to run.
VARIES = re.compile(r'\d+-\d+-\d+, in UTC|\d+:\d+:\d+[.]\d+|in [\d.]+s')


def check_shown(block_of_page, output):
    """The output has what the page shows of it, in this order; `...` stands for what is left out."""
    text = '\n'.join(line.rstrip() for line in VARIES.sub('~', output).splitlines())
    shown = re.sub(r'^[$].*\n', '', VARIES.sub('~', block_of_page))
    begin = 0
    for part in re.split(r'^[.]{3}\n', shown, flags=re.M):
        found = text.find(part.rstrip('\n'), begin)
        assert found >= 0, f'docs/engine.md shows\n{part}\nand it is\n{output}'
        begin = found + len(part.rstrip('\n'))


def fix(name, folder):
    """As the page says."""
    subprocess.run(['patch', '-s', name], input=block(f'+++ b/{name}'), text=True, cwd=folder,
                   check=True)


def test_cmake(folder):
    prefix = installed(folder)
    for name in ('engine.cpp', 'fixed/engine.cpp'):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(path('examples', 'engine.cpp'), os.path.join(folder, name))
    fix('engine.cpp', os.path.join(folder, 'fixed'))
    with open(os.path.join(folder, 'CMakeLists.txt'), 'w', encoding='utf-8') as file:
        file.write(block('find_package(isolde') +
                   'add_executable(fixed fixed/engine.cpp)\n'
                   'target_link_libraries(fixed PRIVATE isolde::isolde_static)\n'
                   'add_test(NAME fixed COMMAND fixed)\n')
    run(['cmake', '-S', '.', '-B', 'build', f'-DCMAKE_PREFIX_PATH={prefix}',
         f'-DCMAKE_CXX_COMPILER={CXX}'], folder)
    run(['cmake', '--build', 'build'], folder)
    check_shown(block('proved: snapshot-isolation is violated'),
                run(['build/engine'], folder, code=2))
    check_shown(block('proved: snapshot-isolation holds'), run(['build/fixed'], folder))
    done = run(['ctest', '--test-dir', 'build', '--output-on-failure'], folder, code=8)
    assert re.search(r'isolation [.]+[*]{3}Failed', done), done
    assert re.search(r'fixed [.]+ +Passed', done), done
    check_cmake_in_c(folder, prefix)


IN_C = '''cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(isolde 0.1 REQUIRED)
add_executable(shared {source})
target_link_libraries(shared PRIVATE isolde::isolde)
add_executable(static {source})
target_link_libraries(static PRIVATE isolde::isolde_static)
'''


def check_cmake_in_c(folder, prefix):
    """A project that has no compiler for C++."""
    user = os.path.join(folder, 'in-c')
    os.mkdir(user)
    with open(os.path.join(user, 'CMakeLists.txt'), 'w', encoding='utf-8') as file:
        file.write(IN_C.format(source=path('examples', 'check.c')))
    run(['cmake', '-S', '.', '-B', 'build', f'-DCMAKE_PREFIX_PATH={prefix}'], user)
    run(['cmake', '--build', 'build'], user)
    shown = run(['build/shared', HISTORY, 'serializable'], user, code=1)
    assert 'a contradiction' in shown, shown
    assert run(['build/static', HISTORY, 'serializable'], user, code=1) == shown


def need_python():
    code = 'import setuptools, ensurepip, pip, wheel, pytest'
    if subprocess.run([PYTHON, '-c', code], stderr=subprocess.DEVNULL, check=False).returncode:
        print('python3-pip, -venv, -setuptools, -wheel and -pytest are not installed')
        sys.exit(SKIP)


def copied(folder):
    """The package's source, so that building it leaves nothing in the tree."""
    source = os.path.join(folder, 'source', 'python')
    shutil.copytree(path('python'), source, ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copytree(path('include'), os.path.join(folder, 'source', 'include'))
    return source


def wheel(source, folder, **environment):
    run([PYTHON, '-m', 'pip', 'wheel', '--no-index', '--no-build-isolation', '--no-deps', '-w',
         'wheels', source], folder, **environment)
    names = os.listdir(os.path.join(folder, 'wheels'))
    assert len(names) == 1, names
    return os.path.join(folder, 'wheels', names[0])


def environment_with(package, folder, *options):
    """The interpreter of a fresh environment with the package."""
    run([PYTHON, '-m', 'venv', *options, 'venv'], folder)
    python = os.path.join(folder, 'venv', 'bin', 'python')
    # Also where the machine has one, of the same version.
    run([python, '-m', 'pip', 'install', '--no-index', '--no-deps', '--ignore-installed', package],
        folder)
    return python


USE = '''
import sys
import isolde
assert isolde.__file__.startswith(sys.prefix), isolde.__file__
report = isolde.check(sys.argv[1], ['ser', 'rc'], seconds=60)
assert report.violated('serializable') and report.holds('rc') and not report.holds('ser')
assert report.violated('PL-3') and report['PL-3'] is report['ser']
for name in ('RC', 'Read Committed', 'READ_COMMITTED', 'Read-Committed', 'PL-2', 'pl_2'):
    assert report.holds(name) and report[name] is report['read-committed'], name
    assert isolde.check(report.history, [name]).holds(name), name
assert len(report) == 2 and 'write skew' in report['ser'].reason, report['ser']
assert report.json()['levels']['serializable']['verdict'] == 'violated'
for row in report:
    proof = report.certificate(row.level)
    verification = isolde.verify(report.history, proof)
    assert verification.proves and verification.verdict is row.verdict, verification
    assert isolde.explanation(report.history, proof).startswith(verification.claim)
for wrong, error in (
        (lambda: isolde.check('nowhere'), isolde.MachineError),
        (lambda: isolde.check(sys.argv[1], format='plume'), isolde.BadInputError),
        (lambda: isolde.check(report.history, 'best'), isolde.UsageError),
        (lambda: isolde.check(report.history, threads=0), isolde.UsageError),
        (lambda: isolde.load(sys.argv[1], threads=0), isolde.UsageError),
        (lambda: isolde.load(sys.argv[1], threads=2**40 + 1), isolde.UsageError),
        (lambda: isolde.load(sys.argv[1], seconds=float('nan')), isolde.UsageError),
        (lambda: isolde.load(sys.argv[1], seconds=-1), isolde.UsageError),
        (lambda: isolde.load(sys.argv[1], memory=2**64 + 1), isolde.UsageError),
        (lambda: isolde.check(report.history, seconds=float('nan')), isolde.UsageError),
        (lambda: isolde.check(report.history, min_committed=2**64), isolde.UsageError),
        (lambda: isolde.check(report.history, clock_error_ns=2**64), isolde.UsageError),
        (lambda: isolde.check(report.history, clock_error_ns=10**15), isolde.UsageError),
        (lambda: isolde.parse('nonsense'), isolde.BadInputError),
        (lambda: report.certificate('si'), isolde.UsageError),
        (lambda: report['si'], KeyError),
        (lambda: report['SI'], KeyError),
        (lambda: report['best'], KeyError),
        (lambda: isolde.verify(report.history, 'x'), isolde.BadInputError)):
    try:
        wrong()
    except error as caught:
        assert '\\n' not in str(caught) and '--' not in str(caught), caught
    else:
        raise AssertionError(error)
told = []


def fails(work):
    raise RuntimeError(work)


before, sys.unraisablehook = sys.unraisablehook, lambda unraised: told.append(unraised.exc_value)
assert isolde.check(sys.argv[1], ['rc'], progress=fails).holds('rc')
sys.unraisablehook = before
assert told and all(type(each) is RuntimeError for each in told), told
builder = isolde.HistoryBuilder()
one = builder.transaction('a', start=1, end=9, label='T1')
one.read('x', None)
one.write('x', 2.5)
one.append('log', True)
one.read_list('log', [True])
one.select([(5, 2**70)], keys=(0, 9))
two = builder.transaction('b', start=2, end=8)
two.read('x', None)
two.write('x', 1)
two.write(5, 2**70)
two.read_not('z', 'text')
two.read_unknown('z')
two.remove('z')
two.insert_refused(5)
two.increment('stock', -3, -3)
two.increment('stock', 4)
for wrong in (lambda: two.read('q', 1, lock='exclusive'),
              lambda: two.compare_and_set('q', 1, 2, found=3),
              lambda: two.compare_and_set('q', 1, 2, False, found=1)):
    try:
        wrong()
    except isolde.UsageError:
        pass
    else:
        raise AssertionError('taken as it is')
builder.transaction('c').abort()
builder.transaction('d').unknown()
history = builder.finish()
try:
    builder.finish()
except isolde.UsageError as error:
    assert 'finished already' in str(error), error
else:
    raise AssertionError('a history without anything in it')
assert (history.sessions, history.transactions, history.keys) == (4, 4, 5), history
lost = isolde.check(history, 'si')
assert lost.violated('si') and 'T1' in str(lost), str(lost)
try:
    isolde.assert_level(history, 'si')
except AssertionError as error:
    first, _, report = str(error).partition('\\n\\n')
    assert first.startswith('snapshot-isolation is violated: lost update: '), first
    assert 'Lost update' in report, report
else:
    raise AssertionError('a lost update passes')
import copy, os, pickle, re, tempfile
for wrong, error in (
        (lambda: two.write('x', 3), isolde.UsageError),        # another transaction has begun
        (lambda: pickle.dumps(history), TypeError),
        (lambda: copy.copy(history), TypeError),
        (lambda: copy.deepcopy(lost), TypeError),
        (lambda: isolde.check(history, seconds=-1), isolde.UsageError)):
    try:
        wrong()
    except error:
        pass
    else:
        raise AssertionError(error)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'h.jsonl')
    recorder = isolde.Recorder(path)
    session = recorder.session('a')
    with session.transaction() as transaction:
        transaction.write('x', 1)
        transaction.write('x', 2)
        transaction.drop_last()
    recorder.event('phase', 'load')
    recorder.event('fault', 'pause n1', begins='n1')
    recorder.event('fault', 'resume n1', ends='n1')
    try:
        recorder.event('fault', 'both', begins='n1', ends='n1')
    except isolde.UsageError:
        pass
    else:
        raise AssertionError('an event with a beginning and an end')
    recorder.close()
    told = isolde.check(path).json()['events']
    assert told['kinds'] == {'phase': 1, 'fault': 2}, told
    assert [(each['name'], 'end' in each) for each in told['list']] == [
        (None, False), ('n1', True)], told
    assert '2]' not in open(path).read()
    for wrong in (session.begin, lambda: session.server('s'), lambda: transaction.write('x', 2),
                  transaction.commit, lambda: recorder.session('b')):
        try:
            wrong()
        except isolde.UsageError:
            pass
        else:
            raise AssertionError('a closed recorder records')
    # The same operations are the same history, whoever writes them down.
    def tell(transaction):
        transaction.write(1, 'one')
        transaction.select([(1, 'one')])
        transaction.select([], keys=(None, 0), values=(-2**61, 2**61 - 1), equal='two')
        transaction.remove(1)
        transaction.read(1, None)
        transaction.write(17, {'qty': 3, 'state': 'open', 'note': None})
        transaction.read(17, {'note': None})
        transaction.read(17, {})
        transaction.select([(17, {'qty': 3}), (18,)],
                           columns={'state': 'open', 'note': None, 'qty': {'min': 1, 'max': 5},
                                    'size': {'not': None}, 'name': {'not': 'x', 'not in': ['y', 7]}},
                           keys={'in': [17, 18], 'min': 0})
        transaction.count(2**63 - 1, (0, None), (1, 2), 5, {'qty': {'min': 1}})
        transaction.exists(True, {'in': [17]}, (1, 3), 6, {'qty': 2})
        transaction.exists(0, keys=(1, 2))
        transaction.sum(-2**63, 'qty', (0, 1), (1, 4), 7, {'qty': 3})
        transaction.sum(None, values=(1, 5))
        transaction.minimum(4, 'qty', (0, 2), (1, 6), 8, {'qty': 4})
        transaction.maximum(5, 'qty', (0, 3), (1, 7), 9, {'qty': 5})
    builder = isolde.HistoryBuilder()
    tell(builder.transaction('a'))
    told = isolde.check(builder.finish(), 'ser').certificate('ser')
    header = '{"isolde":2,"kind":"history"}\\n'
    text = ('{"session":"a","ops":[["w",1,"one"],["select",{},[[1,"one"]]],'
            '["select",{"keys":[-2305843009213693952,0],'
            '"values":[-2305843009213693952,2305843009213693951],"equal":"two"},[]],'
            '["delete",1],["r",1,null],["w",17,{"note":null,"state":"open","qty":3}],'
            '["r",17,{"note":null}],["r",17,{}],["select",{"columns":{"state":"open","note":null,'
            '"qty":{"max":5,"min":1},"size":{"not":null},"name":{"not in":["x","y",7]}},'
            '"keys":{"min":0,"in":[17,18]}},[[17,{"qty":3}],[18]]],'
            '["count",{"keys":[0,2305843009213693951],"values":[1,2],"equal":5,'
            '"columns":{"qty":{"min":1}}},9223372036854775807],'
            '["exists",{"keys":{"in":[17]},"values":[1,3],"equal":6,"columns":{"qty":2}},true],'
            '["exists",{"keys":[1,2]},false],'
            '["sum",{"keys":[0,1],"values":[1,4],"equal":7,"columns":{"qty":3}},"qty",'
            '-9223372036854775808],["sum",{"values":[1,5]},null],'
            '["min",{"keys":[0,2],"values":[1,6],"equal":8,"columns":{"qty":4}},"qty",4],'
            '["max",{"keys":[0,3],"values":[1,7],"equal":9,"columns":{"qty":5}},"qty",5]]}\\n')
    assert isolde.verify(isolde.parse(header + text), told).proves
    recorded = os.path.join(folder, 'j.jsonl')
    with isolde.Recorder(recorded, deletes=True, database='none') as recorder:
        with recorder.session('a').transaction() as transaction:
            tell(transaction)
    lines = re.sub('"(start|end)":[0-9]+,?', '', open(recorded).read()).replace(',}', '}')
    lines = lines.splitlines()
    assert lines[0].startswith('{"isolde":2,') and len(lines) == 3, lines
    alone = isolde.parse(header + lines[1])
    assert isolde.verify(alone, told).proves, lines
    with isolde.Recorder(os.path.join(folder, 'k.jsonl')) as recorder:
        transaction = recorder.session('a').begin()
        for wrong in (lambda: transaction.select([], keys=(0, 2**61)),
                      lambda: transaction.select([], values=(-2**70, 0)),
                      lambda: transaction.select([(1, 0.5)]),
                      lambda: transaction.select([(1, None)]),
                      lambda: transaction.select([(1, 2, 3, 4)]),
                      lambda: transaction.select([], columns={'c': {}}),
                      lambda: transaction.select([], columns={'c': {'least': 1}}),
                      lambda: transaction.select([], columns={'c': {'min': None}}),
                      lambda: transaction.select([], columns={'c': {'max': 2**61}}),
                      lambda: transaction.select([], columns={'c': {'in': 'text'}}),
                      lambda: transaction.write('x', {'c': 0.5}),
                      lambda: transaction.count(-1),
                      lambda: transaction.count(None),
                      lambda: transaction.count('3'),
                      lambda: transaction.count(2**63),
                      lambda: transaction.sum(2**63),
                      lambda: transaction.count(0, equal=0.5),
                      lambda: transaction.exists(2),
                      lambda: transaction.exists(None),
                      lambda: transaction.sum(1.5),
                      lambda: transaction.sum(-2**63 - 1),
                      lambda: transaction.minimum(1, keys=(0, 2**61)),
                      lambda: transaction.maximum(1, columns={'c': {}})):
            try:
                wrong()
            except isolde.UsageError:
                pass
            else:
                raise AssertionError('a wrong selection is recorded')
        transaction.abort()
    for number, wrong in enumerate((lambda each: each.remove('x'),
                                    lambda each: each.write('x', {'c': 1}),
                                    lambda each: each.read('x', {}),
                                    lambda each: each.select([('x', {'c': 1})]),
                                    lambda each: each.read('x', 1, version=17),
                                    lambda each: each.version(17),
                                    lambda each: (each.write('x', 1), each.version_of_writes(17)),
                                    lambda each: each.increment('x', 1),
                                    lambda each: each.select([('x', 1, 17)]),
                                    lambda each: each.select([], columns={'c': 1}),
                                    lambda each: each.count(0),
                                    lambda each: each.select([], keys={'in': [1]}))):
        recorder = isolde.Recorder(os.path.join(folder, f'l{number}.jsonl'))
        try:
            wrong(recorder.session('a').begin())
        except isolde.UsageError as error:
            assert 'deletes' in str(error), error
        else:
            raise AssertionError('a recorder writes version 2 without being told')
    builder = isolde.HistoryBuilder()
    builder.transaction('a').count(-1)
    try:
        builder.finish()
    except isolde.BadInputError as error:
        assert str(error) == 'a count is a number from 0', error
    else:
        raise AssertionError('fewer rows than none')
    # Versions are told, and trusted where that is asked for.
    def same_value(seen):
        builder = isolde.HistoryBuilder()
        for session, version in (('a', 17), ('b', 18), ('c', 19)):
            each = builder.transaction(session)
            if version > 17:
                each.read('x', 1, version=seen)
            each.write('x', 1, version=version)
        return builder.finish()
    history = same_value(17)
    assert isolde.check(history, 'ser', verify=True).holds('ser')
    trusting = history.trusting_versions()
    checked = isolde.check(trusting, 'ser')
    assert checked.violated('ser') and checked.json()['versions'] == 'trusted', str(checked)
    verified = isolde.verify(trusting, checked.certificate('ser'))
    assert verified.proves and verified.trusts_versions, verified
    assert verified.claim.endswith('with versions trusted'), verified
    assert not isolde.verify(history, checked.certificate('ser')).proves
    try:
        same_value(16).trusting_versions()
    except isolde.BadInputError as error:
        assert 'versions contradict values' in str(error), error
    else:
        raise AssertionError('a version that nobody wrote')
    versions = os.path.join(folder, 'v.jsonl')
    with isolde.Recorder(versions, deletes=True) as recorder:
        with recorder.session('a').transaction() as transaction:
            transaction.write('x', 1)
            transaction.version(17)
            transaction.select([('x', 1, 17), ('y', {'c': 2}, 'b')])
    assert ('["w","x",1,{"version":17}],["select",{},[["x",1,{"version":17}],'
            '["y",{"c":2},{"version":"b"}]]]') in open(versions).read(), open(versions).read()
    # One that only the reply to the commit tells.
    revision = os.path.join(folder, 'revision.jsonl')
    with isolde.Recorder(revision, deletes=True) as recorder:
        with recorder.session('a').transaction() as transaction:
            transaction.read('x', 7)
            transaction.write('x', 1)
            transaction.write('y', 2)
            transaction.version(17)
            transaction.remove('z')
            transaction.version_of_writes('r22')
    assert ('["r","x",7],["w","x",1,{"version":"r22"}],["w","y",2,{"version":17}],'
            '["delete","z",{"version":"r22"}]]') in open(revision).read(), open(revision).read()
    locks = os.path.join(folder, 'locks.jsonl')
    with isolde.Recorder(locks, deletes=True) as recorder:
        with recorder.session('a').transaction() as transaction:
            transaction.read('x', None, lock='update')
            transaction.insert_refused('x')
            transaction.select([], lock='share')
            transaction.read_list('l', [1], lock='share')
            transaction.read_not('x', 2, lock='update')
    assert ('["r","x",null,{"lock":"update"}],["refused","x"],["select",{},[],{"lock":"share"}],'
            '["r","l",[1],{"lock":"share"}],["r","x",{"not":2},{"lock":"update"}]'
            ) in open(locks).read(), open(locks).read()
    sums = os.path.join(folder, 'sums.jsonl')
    with isolde.Recorder(sums, deletes=True) as recorder:
        session = recorder.session('a')
        with session.transaction() as transaction:
            transaction.increment('x', 3, 3)
            transaction.increment('x', -1)
            transaction.increment_sum(2)
            transaction.increment('gone', 1)
            transaction.drop_last()
            transaction.increment('z', 2)
        with session.transaction() as transaction:
            transaction.increment('x', 5)
            transaction.increment('z', 6)
            for wrong in (lambda: transaction.increment('x', 2**61),
                          lambda: transaction.increment('x', 1.0),
                          lambda: transaction.increment('x', 1, -2**61 - 1),
                          lambda: transaction.increment('x', 1, '2'),
                          lambda: transaction.increment_sum(2**64),
                          lambda: transaction.increment_sum(None),
                          lambda: transaction.increment_sums([7, 2**64])):
                try:
                    wrong()
                except isolde.UsageError as error:
                    assert 'increment' in str(error), error
                else:
                    raise AssertionError('what is no number is recorded')
            transaction.increment_sums(iter([7, 8]))
    told = open(sums).read()
    assert '[["inc","x",3,3],["inc","x",-1,2],["inc","z",2]]' in told, told
    assert '[["inc","x",5,7],["inc","z",6,8]]' in told, told
    assert isolde.check(sums, 'ser', verify=True).holds('ser')
    for how, expected, same in (({}, 7, lambda t: (t.read('x', 7), t.write('x', 8))),
                                ({'done': False}, 7, lambda t: t.read_not('x', 7)),
                                ({'done': False}, None, lambda t: t.read('x', {})),
                                ({'done': False, 'found': None}, 7, lambda t: t.read('x', None))):
        both = []
        for swaps in True, False:
            made = isolde.HistoryBuilder()
            made.transaction('w').write('x', 7)
            transaction = made.transaction('a')
            if swaps:
                transaction.compare_and_set('x', expected, 8, **how)
            else:
                same(transaction)
            both.append(isolde.check(made.finish(), 'ser').certificate('ser'))
        assert both[0] == both[1], both
    # A session keeps its recorder, and what is dropped in a transaction ends in order.
    session = isolde.Recorder(os.path.join(folder, 'i.jsonl')).session('a')
    session.begin().write('x', 1)
    del session
    proof = lost.certificate('si')
    assert isolde.verify(path, isolde.check(path, 'ser').certificate('ser')).proves
print(isolde.__version__)
'''

ENDLESS = '''
import sys, time
import isolde
print('working', flush=True)
begin = time.monotonic()
try:
    isolde.check(sys.argv[1], 'ser')
except KeyboardInterrupt:
    print('interrupted', flush=True)
'''


def hard_history(folder):
    """One that takes minutes to check."""
    hard = os.path.join(folder, 'hard.jsonl')
    run([os.path.join(BUILD, 'isolde'), 'gen', '--workload', 'general', '--keys', '100', '--values',
         '4', '--sessions', '200', '--ops', '8', '--txns', '4000', '--no-times', '--out', hard],
        folder)
    return hard


def check_interrupt(python, folder):
    """Ctrl-C ends a check that would take long."""
    with subprocess.Popen([python, '-c', ENDLESS, hard_history(folder)], cwd=folder, text=True,
                          stdout=subprocess.PIPE, env=alone()) as process:
        assert process.stdout.readline() == 'working\n'
        time.sleep(1)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == 'interrupted\n'
        assert process.wait() == 0
        assert time.monotonic() - begin < 20


def test_python(folder):
    need_python()
    source = copied(folder)
    with_library = wheel(source, folder, ISOLDE_LIBRARY=os.path.join(BUILD, 'libisolde.so'))
    assert 'linux' in with_library, with_library
    python = environment_with(with_library, folder)
    version = version_here()
    assert run([python, '-c', USE, HISTORY], folder) == version + '\n'
    check_interrupt(python, folder)

    # From the sdist, which finds the library that is installed.
    shutil.rmtree(os.path.join(folder, 'venv'))
    run([PYTHON, 'setup.py', '-q', 'sdist', '-d', folder], source)
    sdist = os.path.join(folder, f'isolde-{version}.tar.gz')
    shutil.rmtree(os.path.join(folder, 'wheels'))
    plain = wheel(sdist, folder)
    assert plain.endswith('-py3-none-any.whl'), plain
    python = environment_with(plain, folder)
    environment = environment_of(installed(folder))
    assert run([python, '-c', USE, HISTORY], folder, **environment) == version + '\n'
    # In place of one that the machine may have.
    with open(os.path.join(folder, 'libisolde.so.' + version.rpartition('.')[0]), 'wb'):
        absent = run([python, '-c', 'import isolde'], folder, code=1, LD_LIBRARY_PATH=folder)
    assert 'ImportError: cannot load the library of Isolde' in absent, absent


def test_pytest(folder):
    need_python()
    package = wheel(copied(folder), folder, ISOLDE_LIBRARY=os.path.join(BUILD, 'libisolde.so'))
    python = environment_with(package, folder, '--system-site-packages')
    shutil.copy(path('examples', 'test_engine.py'), folder)
    pytest = [python, '-B', '-m', 'pytest', '-p', 'no:cacheprovider', '-q', '--tb=short']
    shown = run([*pytest, 'test_engine.py'], folder)
    assert '2 passed' in shown, shown
    for example in ("{'alice': 100", 'TABLE task', 'TABLE item', 'TABLE stock'):
        shown = run([python, '-c', block(example, 'recording')], folder)
        assert 'strict-serializable  holds' in shown, shown
    with open(os.path.join(folder, 'tasks.jsonl'), encoding='utf-8') as file:
        tasks = file.read()
    assert '["delete",2],["delete",3]]' in tasks and ',[[1,10]]]]' in tasks, tasks
    with open(os.path.join(folder, 'items.jsonl'), encoding='utf-8') as file:
        items = file.read()
    assert (',[[17,{"qty":3}]]],["r",17,{"qty":3,"state":"open","note":null}],'
            '["w",17,{"qty":2,"state":"open","note":null}]]' in items), items
    assert '"ops":[["r",17,{"note":null}]]' in items, items
    with open(os.path.join(folder, 'stock.jsonl'), encoding='utf-8') as file:
        stock = file.read()
    where = '{"columns":{"state":"open"}}'
    assert (f'[["count",{where},2],["sum",{where},"qty",8],["min",{where},"qty",3],'
            '["exists",{"keys":[4,2305843009213693951]},false]]' in stock), stock
    shown = run([python, '-c', 'import isolde\n' + block("'customer'", 'library')], folder)
    assert re.search('serializable +violated', shown), shown
    assert re.search('snapshot-isolation +holds', shown), shown
    shown = run([python, '-c', 'import isolde\n' + block("'sent'", 'library')], folder)
    assert re.search('snapshot-isolation +violated', shown), shown
    assert re.search('read-committed +holds', shown), shown
    shown = run([python, '-c', 'import isolde\n' + block("'on call'", 'library')], folder)
    assert re.search('serializable +violated', shown), shown
    assert re.search('snapshot-isolation +holds', shown), shown
    check_tinystore([*pytest, 'test_tinystore.py'], folder)


TYPED = '''
from typing import Any, Dict
import isolde
history: isolde.History = isolde.parse('')
report: isolde.Report = isolde.check(history, ['ser'], seconds=1.5)
document: Dict[str, Any] = report.json()
count: int = history.transactions + len(isolde.levels())
text: str = report.render('text') + isolde.levels()[0].name
'''
UNTYPED = '''
report.render(5)
history.transactions + 'x'
isolde.check(history, 5)
report.rendr('text')
'''


def test_mypy(folder):
    if shutil.which('mypy') is None:
        print('mypy is not installed')
        sys.exit(SKIP)
    need_python()
    source = copied(folder)
    mypy = ['mypy', '--strict', '--python-executable', PYTHON, '--cache-dir',
            os.path.join(folder, 'cache')]
    run([*mypy, 'isolde'], source)
    # Who uses it is told what is wrong, which needs its marker py.typed.
    package = wheel(source, folder, ISOLDE_LIBRARY=os.path.join(BUILD, 'libisolde.so'))
    mypy[3] = environment_with(package, folder)
    with open(os.path.join(folder, 'use.py'), 'w', encoding='utf-8') as file:
        file.write(TYPED)
    run([*mypy, 'use.py'], folder)
    with open(os.path.join(folder, 'use.py'), 'a', encoding='utf-8') as file:
        file.write(UNTYPED)
    said = run([*mypy, 'use.py'], folder, code=1)
    first = TYPED.count('\n') + 2
    wrong = [int(line) for line in re.findall(r'(?m)^use[.]py:([0-9]+): error:', said)]
    assert sorted(set(wrong)) == list(range(first, first + 4)), said


def check_tinystore(pytest, folder):
    store = os.path.join(folder, 'tinystore.py')

    def copy_store():
        shutil.copy(path('examples', 'tinystore.py'), store)

    copy_store()
    shutil.copy(path('examples', 'test_tinystore.py'), folder)
    check_shown(block('3 failed'), run(pytest, folder, code=1))
    with open(store, encoding='utf-8') as file:
        text = file.read()
    with open(store, 'w', encoding='utf-8') as file:
        file.write(text.replace('def commit(self):\n',
                                'def commit(self):\n' + block('for key in self.written:\n')))
    check_shown(block('fractured read'), run(pytest, folder, code=1))
    copy_store()
    fix('tinystore.py', folder)
    check_shown(block('3 passed'), run(pytest, folder))


def decoy(folder):
    """One that the machine has, which is not the one to test."""
    package = os.path.join(folder, 'isolde')
    os.mkdir(package)
    with open(os.path.join(package, '__init__.py'), 'w', encoding='utf-8') as file:
        file.write('raise AssertionError("this is that of the machine")\n')
    about = os.path.join(folder, f'isolde-{version_here()}.dist-info')
    os.mkdir(about)
    with open(os.path.join(about, 'METADATA'), 'w', encoding='utf-8') as file:
        file.write(f'Metadata-Version: 2.1\nName: isolde\nVersion: {version_here()}\n')
    os.environ['PYTHONPATH'] = folder


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as of_machine:
        decoy(of_machine)
        globals()['test_' + sys.argv[4]](folder)


main()
