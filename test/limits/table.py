"""The table of hard inputs. A row is one run of `isolde check` or another command, or several on the
same input.

To add a row, add it to READING, to ENGINE, or to a list of its own that ROWS takes in. What a row
promises besides its exit codes is the same for all (limits_test.py).
"""
import dataclasses
from typing import Callable, Optional

import engine_inputs as engine
import inputs
from inputs import MB

OK, VIOLATED, UNKNOWN, BAD_INPUT = 0, 1, 2, 3


@dataclasses.dataclass
class Row:
    name: str
    make: Callable  # make(path, size)
    size: int  # given to make
    codes: tuple  # exit codes, each of which is right
    memory: Optional[int] = None  # --memory in MB
    timeout: Optional[float] = None  # --timeout in seconds
    options: tuple = ()
    anon: Optional[int] = None  # at most so much anonymous memory in MB, whatever the limit is
    seconds: Optional[float] = None  # and at most so long, whatever the limit is
    standard_input: bool = False
    stalls: bool = False  # its end never comes
    full: Optional['Row'] = None  # what takes its place with ISOLDE_FULL=1
    full_only: bool = False
    says: str = ''  # its output has this text
    command: str = 'check'

    def larger(self, size, **changes):
        """The same with a size for ISOLDE_FULL=1, and limits to go with it."""
        return dataclasses.replace(self, full=dataclasses.replace(self, size=size, **changes))


def limited(name, make, size, memory, codes=(UNKNOWN,), **more):
    return Row(name, make, size, codes, memory, **more)


# One line, one value, one step: what grows at once.
GIANTS = [
    limited('native line', inputs.native_line, 200 * MB, 60).larger(1000 * MB, memory=200),
    limited('native line at a timeout', inputs.native_line, 200 * MB, None, timeout=0.3)
    .larger(1000 * MB),
    limited('native short events', inputs.native_short_events, 100 * MB, 60),
    limited('native string', inputs.native_string, 200 * MB, 60).larger(1000 * MB, memory=200),
    limited('violated, a value of 50 MB', inputs.native_dirty_read, 50 * MB, 150, (VIOLATED,),
            timeout=3, options=('--level', 'rc')),
    limited('native nesting', inputs.native_deep, 64 * MB, 60, (UNKNOWN, BAD_INPUT)),
    limited('native without an end', inputs.native_unclosed, 100 * MB, 60, (UNKNOWN, OK)),
    limited('EDN vector', inputs.jepsen_vector, 64 * MB, 60).larger(500 * MB, memory=200),
    limited('EDN map', inputs.jepsen_one_map, 64 * MB, 60, (UNKNOWN, OK)).larger(500 * MB),
    limited('EDN value', inputs.jepsen_one_value, 64 * MB, 60).larger(500 * MB, memory=200),
    limited('EDN string', inputs.jepsen_string, 64 * MB, 60, (UNKNOWN, BAD_INPUT, OK)),
    limited('EDN nesting', inputs.jepsen_deep, 64 * MB, 60, (UNKNOWN, BAD_INPUT)),
    limited('dbcop JSON nesting', inputs.dbcop_json_deep, 64 * MB, 60, (UNKNOWN, BAD_INPUT)),
    # To find that out takes a look at its beginning.
    limited('one line in no format', inputs.sparse, 500 * MB, 60, (BAD_INPUT,), anon=30),
    limited('Elle JSON array', inputs.elle_json_array, 64 * MB, 60).larger(500 * MB, memory=200),
]

# Small files that unpack to large ones.
PACKED = [
    limited('zstd bomb', inputs.zstd_bomb, 2000 * MB, 100),
    limited('zstd bomb of many frames', inputs.zstd_many_frames, 1000 * MB, 100),
    limited('zstd bomb on standard input', inputs.zstd_bomb, 2000 * MB, 100,
            standard_input=True),
    limited('gzip bomb', inputs.gzip_bomb, 2000 * MB, 100),
    limited('gzip history', inputs.gzip_history, 500 * MB, 100),
    limited('zstd bomb at a timeout', inputs.zstd_bomb, 20000 * MB, 1500, timeout=0.3),
    limited('text on standard input', inputs.native_events, 200 * MB, 60, standard_input=True),
    Row('a pipe that stalls', inputs.native, 2000, (UNKNOWN,), timeout=0.3, standard_input=True,
        stalls=True),
    Row('a pipe that stalls, late', inputs.native_events, 8 * MB, (UNKNOWN,), timeout=0.5,
        standard_input=True, stalls=True),
]

# Histories that are larger than the limit.
LARGE = [
    limited('native', inputs.native, 64 * MB, 50).larger(1000 * MB, memory=300),
    limited('native, one thread', inputs.native, 64 * MB, 50, options=('--threads', '1')),
    limited('native, long lines', inputs.native_long_lines, 64 * MB, 50),
    limited('native, many sessions', inputs.native_many_sessions, 64 * MB, 50),
    limited('native, lists', inputs.native_lists, 64 * MB, 50),
    limited('native-binary', inputs.native_binary, 64 * MB, 50),
    limited('watch, one group', inputs.native_binary, 64 * MB, 50, command='watch'),
    limited('watch, many keys', inputs.groups, 1000000, 90, command='watch',
            says='memory limit of'),
    limited('watch, a folder', inputs.group_folder, 1000000, 90, command='watch',
            says='memory limit of'),
    limited('watch at a timeout', inputs.groups, 1000000, None, command='watch', timeout=0.3),
    # A folder has no end.
    limited('watch, followed', inputs.group_folder, 200000, None, command='watch',
            options=('--follow',), timeout=1.5, says='time limit of'),
    limited('dbcop', inputs.dbcop, 64 * MB, 50, options=('--format', 'dbcop')),
    limited('dbcop-json', inputs.dbcop_json, 64 * MB, 50),
    limited('dbcop-hist', inputs.dbcop_hist, 64 * MB, 50),
    limited('plume', inputs.plume, 64 * MB, 50),
    limited('awdit', inputs.awdit, 64 * MB, 50),
    limited('viper', inputs.viper, 64 * MB, 50),
    limited('cobra', inputs.cobra, 64 * MB, 50, options=('--format', 'cobra')),
    limited('jepsen', inputs.jepsen, 64 * MB, 50),
    limited('elle-json', inputs.elle_json, 64 * MB, 50),
    limited('porcupine', inputs.porcupine, 64 * MB, 50),
    limited('porcupine-kv', inputs.porcupine_kv, 64 * MB, 50),
    limited('porcupine-kv, appends', inputs.porcupine_kv_appends, 64 * MB, 50),
    limited('vbox', inputs.vbox, 64 * MB, 50, options=('--format', 'vbox')),
]

# Files that are large while what they say is little, so that only what is mapped is large.
MAPPED = [
    limited('native events', inputs.native_events, 500 * MB, 60, (OK,)).larger(2000 * MB),
    limited('native events, one thread', inputs.native_events, 500 * MB, 60, (OK,),
            options=('--threads', '1')).larger(2000 * MB),
]

# Folders.
FOLDERS = [
    Row('300 sessions', inputs.viper_folder, 300, (OK,), anon=30, seconds=1),
    # The engine may need more than 100 MB for so many sessions.
    Row('10000 sessions', inputs.viper_folder, 10000, (OK, UNKNOWN), memory=100, seconds=5,
        options=('--level', 'ser')),
    Row('300 binary sessions', inputs.cobra_folder, 300, (OK,), anon=30, seconds=1),
    Row('a folder with a large text', inputs.with_member(inputs.viper_folder, 'notes.txt',
                                                         inputs.sparse),
        4000 * MB, (OK,), memory=50, anon=30, seconds=1),
    Row('a folder with a packed bomb', inputs.with_member(inputs.cobra_folder, 'T0.debug.zst',
                                                          inputs.zstd_bomb),
        4000 * MB, (OK,), memory=50, anon=30, seconds=1),
    Row('a folder of large sessions', inputs.large_members(inputs.viper, 'J%d.log', 4),
        64 * MB, (UNKNOWN,), memory=50),
    Row('a folder of bombs', inputs.large_members(inputs.zstd_session, 'J%d.log.zst', 8),
        2000 * MB, (UNKNOWN,), memory=100),
]

# Small inputs that are hard to decide. `gen` makes them: inputs.gen('--workload', ...), size 0.

def hard(name, make, size, memory=200, timeout=1, codes=(OK, UNKNOWN), **more):
    row = Row(name, make, size, codes, memory, timeout, **more)
    return row if timeout != 1 else row.larger(size, timeout=2)


def predicates(isolation, txns):
    """Selections by columns, on a store that gives less than most levels ask for."""
    return inputs.gen('--workload', 'blindw-pred', '--isolation', isolation, '--txns', str(txns))


ENGINE = [
    hard('two values on ten keys', engine.repeated(10, 2), 20000)
    .larger(60000, memory=500, timeout=10),
    # Time has to end the making of variables: there is memory for all of them.
    hard('two values on ten keys, any memory', engine.repeated(10, 2, ops=6), 40000, None, 3,
         options=('--level', 'ser')),
    hard('two values on ten keys, times', engine.repeated(10, 2, times=True), 20000)
    .larger(60000, memory=500, timeout=10),
    hard('three values, three operations', engine.repeated(10, 3, ops=3), 20000)
    .larger(100000, memory=500, timeout=10),
    hard('ten values on ten keys', engine.repeated(10, 10), 20000)
    .larger(60000, memory=500, timeout=10),
    hard('one key', engine.repeated(1, 2), 20000).larger(100000, memory=500, timeout=10),
    hard('stale reads', engine.repeated(10, 2, stale=0.01), 20000)
    .larger(60000, memory=500, timeout=10),
    hard('stale reads, times', engine.repeated(10, 2, times=True, stale=0.01), 20000),
    hard('read committed of repeated values', engine.repeated(10, 2), 20000,
         options=('--level', 'rc')),
    hard('one value that all read', engine.one_value(1000, 30), 20000, memory=1000)
    .larger(60000, memory=2000, timeout=10),
    hard('conditions, snapshot isolation', predicates('snapshot-isolation', 2000), 0,
         memory=1000),
    hard('conditions, read committed', predicates('read-committed', 2000), 0, memory=1000),
    Row('conditions, snapshot isolation, five times', predicates('snapshot-isolation', 10000), 0,
        (OK, UNKNOWN), timeout=10, full_only=True),
    Row('conditions, read committed, five times', predicates('read-committed', 10000), 0,
        (OK, UNKNOWN), timeout=10, full_only=True),
    hard('a bank', engine.bank(), 974),
    hard('a bank without times', engine.bank(times=False), 974),
    hard('a bank, read committed', engine.bank(times=False), 974, options=('--level', 'rc')),
    hard('a bank, one level', engine.bank(), 974, codes=(VIOLATED, UNKNOWN),
         options=('--level', 'serializable')),
    hard('reads that exclude', engine.exclusions(4, 3), 20000),
    hard('aborted writers', engine.aborted, 40000, seconds=2),
    hard('exclusions and a read', engine.excluded_and_read, 60000, timeout=1,
         options=('--level', 'ser')),
    hard('reads of own elements', engine.own_elements, 100000, memory=400, timeout=30, codes=(OK,),
         seconds=1),
    hard('wide selections', engine.wide_selections, 20000, memory=400, timeout=1,
         options=('--level', 'rc')),
]

# Violations that take more room to tell than to find. Some explanations fit, others are left out.
TELLING = [
    hard('a long circle' + ', ' + name, engine.circle, 60000, memory=memory, timeout=30,
         codes=(VIOLATED,), options=('--level', 'ser', *options), says=says)
    for name, memory, options, says in (
        ('text', 62, (), 'not explained: memory limit of 62 MB reached'),
        ('JSON', 62, ('--json',), 'not explained: memory limit of 62 MB reached'),
        ('JSON without room for it', 110, ('--json',), 'not explained: memory limit of 110 MB'),
        ('JSON with room for it', 250, ('--json',), 'anti-dependency cycle'),
        ('annotations', 90, ('--github',), '::error'),
        ('documents', 90, ('--junit', '/dev/null', '--sarif', '/dev/null', '--edn', '/dev/null'),
         'serializable  violated'),
        ('page and picture', 120, ('--html', '/dev/null', '--svg', '/dev/null'),
         'serializable  violated'),
        ('certificate', 62, ('--certificate', '/dev/null'), 'not explained'))
] + [
    hard('a long circle at a timeout', engine.circle, 60000, memory=400, timeout=0.4,
         options=('--level', 'ser', '--json', '--sarif', '/dev/null'),
         codes=(VIOLATED, UNKNOWN)).larger(1000000, memory=3000, timeout=8),
]

ROWS = GIANTS + PACKED + LARGE + MAPPED + FOLDERS + ENGINE + TELLING
