#!/usr/bin/env python3
"""What real databases do at their isolation levels, as facts that runs of Isolde must show.

    facts.py ISOLDE list               names of the facts, one a line
    facts.py ISOLDE NAME               runs one; exit code 0: shown, 1: not, 77: packages missing
    facts.py ISOLDE NAME --scale 20    with 20 times the transactions

A fact says which levels must hold and which must be violated, and by which anomaly. What must be
violated happens by chance, so such a run is repeated with other seeds, a few times. An isolation
setting that no fact is about keeps its promise, which is the name other-isolations. Every proof
goes through `isolde verify`. Servers are private ones that the run itself starts.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import proofs

SKIP = 77
OTHERS = 'other-isolations'
ATTEMPTS = 5


class Fact:
    def __init__(self, target, isolation, workload, holds=(), violated=(), anomaly=None):
        self.target = target          # arguments that choose the database
        self.isolation = isolation
        self.workload = workload
        self.holds = holds
        self.violated = violated
        self.anomaly = anomaly        # pattern for the type or reason of a violated level


def server(kind, *settings):
    arguments = ['--server', kind]
    for setting in settings:
        arguments += ['--set', setting]
    return arguments


RMW = ['--workload', 'lost-update', '--keys', '4', '--sessions', '6', '--txns', '2000']
SKEW = ['--workload', 'write-skew', '--keys', '8', '--sessions', '6', '--txns', '2000']
MINI = ['--workload', 'mini', '--keys', '20', '--sessions', '8', '--txns', '2000']
LISTS = ['--workload', 'list-append', '--keys', '5', '--sessions', '8', '--txns', '2000']
# Conditions on keys, and on values, with and without an index.
PHANTOM = ['--workload', 'phantom', '--keys', '3', '--sessions', '6', '--txns', '2000']
ON_CALL = ['--workload', 'on-call', '--keys', '3', '--sessions', '6', '--txns', '2000']
BY_VALUE = ['--by-value', '1']
# At weak isolations the session guarantees take long: each absent row has many sources.
FEW_ROWS = ['--workload', 'phantom', '--keys', '3', '--sessions', '4', '--txns', '250']
MANY_AT_ROWS = ['--workload', 'phantom', '--keys', '3', '--sessions', '12', '--txns', '300', '--timeout',
                '20s']
FORK = ['--workload', 'long-fork', '--keys', '2', '--ops', '2', '--sessions', '16',
        '--txns', '5000']
LWT = ['--workload', 'lwt', '--keys', '5', '--sessions', '6', '--txns', '2000']
# Rows with columns. As FEW_ROWS where the isolation is weak.
SHOP = ['--workload', 'inventory', '--keys', '12', '--sessions', '6', '--txns', '1500']
SMALL_SHOP = ['--workload', 'inventory', '--keys', '6', '--sessions', '5', '--txns', '150']
BANK = ['--workload', 'smallbank', '--keys', '10', '--sessions', '6', '--txns', '1500']
# Three transactions have to overlap before an order is missing.
CROWDED_BANK = ['--workload', 'smallbank', '--keys', '4', '--sessions', '16', '--txns', '3000']
ROOMS = ['--workload', 'booking', '--sessions', '6', '--txns', '1000']
UPSERT = ['--workload', 'upsert', '--sessions', '6', '--txns', '1000']
SCANS = ['--workload', 'ycsb-e', '--sessions', '6', '--txns', '1000']
RANGES = ['--workload', 'blindw-pred', '--sessions', '6', '--txns', '500']
SUMS = ['--workload', 'bank-sum', '--sessions', '6', '--txns', '300']
COUNTS = ['--workload', 'on-call-count', '--sessions', '6', '--txns', '300', '--timeout', '20s']
TENANTS = ['--workload', 'tenants', '--sessions', '12', '--txns', '1000']
QUEUE = ['--workload', 'task-queue', '--sessions', '6', '--txns', '1000']
NAMES = ['--workload', 'usernames', '--sessions', '6', '--txns', '1000']
COUNTER = ['--workload', 'counter', '--sessions', '6', '--txns', '500', '--timeout', '20s']
ADDED = ['--workload', 'bank-added', '--sessions', '6', '--txns', '500', '--timeout', '20s']
TPCC = ['--workload', 'tpcc-tables', '--sessions', '6', '--txns', '500']
INDEX = ['--param', 'index=1']
VERSIONS = ['--record-versions']
STRONG = ('strict-serializable', 'serializable', 'snapshot-isolation')

FACTS = {
    'sqlite-serializable': Fact(['--db', 'sqlite:'], 'serializable', MINI, STRONG),
    'sqlite-deferred': Fact(['--db', 'sqlite:'], 'deferred', LISTS, STRONG),
    'rocksdb-pessimistic': Fact(['--db', 'rocksdb:'], 'pessimistic', RMW, ('read-committed',),
                                ('snapshot-isolation', 'serializable'), 'lost.update'),
    'rocksdb-pessimistic-snapshot': Fact(
        ['--db', 'rocksdb:'], 'pessimistic-snapshot', SKEW, ('snapshot-isolation',),
        ('serializable',), 'write.skew|G2-item'),
    'rocksdb-get-for-update': Fact(['--db', 'rocksdb:'], 'pessimistic-get-for-update', MINI,
                                   STRONG),
    'rocksdb-optimistic': Fact(['--db', 'rocksdb:'], 'optimistic', RMW, ('read-committed',),
                               ('snapshot-isolation',), 'lost.update'),
    'rocksdb-write-prepared': Fact(['--db', 'rocksdb:', '--param', 'policy=prepared'],
                                   'pessimistic-snapshot',
                                   RMW, ('snapshot-isolation',)),
    'lmdb-serializable': Fact(['--db', 'lmdb:'], 'serializable', MINI, STRONG),
    'wiredtiger-read-committed': Fact(['--db', 'wiredtiger:'], 'read-committed', RMW,
                                      ('read-committed',), ('snapshot-isolation',),
                                      'lost.update'),
    # Its transactions take so little time that on a busy machine few of them overlap.
    'wiredtiger-snapshot': Fact(['--db', 'wiredtiger:'], 'snapshot', [*SKEW[:-1], '20000'],
                                ('snapshot-isolation',), ('serializable',),
                                'write.skew|G2-item'),
    'berkeleydb-serializable': Fact(['--db', 'berkeleydb:'], 'serializable', MINI, STRONG),
    'berkeleydb-read-committed': Fact(['--db', 'berkeleydb:'], 'read-committed', RMW,
                                      ('read-committed',), ('snapshot-isolation',),
                                      'lost.update'),
    # MyRocks: its own manual calls REPEATABLE READ snapshot isolation.
    'mariadb-myrocks': Fact(
        server('mariadb', 'plugin_load_add=ha_rocksdb') + ['--param', 'engine=rocksdb'],
        'repeatable-read', SKEW, ('snapshot-isolation',), ('serializable',),
        'write.skew|G2-item'),
    'mariadb-myrocks-read-committed': Fact(
        server('mariadb', 'plugin_load_add=ha_rocksdb') + ['--param', 'engine=rocksdb'],
        'read-committed', RMW, ('read-committed',), ('snapshot-isolation',), 'lost.update'),
    'firebird-snapshot': Fact(['--db', 'firebird:'], 'snapshot', SKEW, ('snapshot-isolation',),
                              ('serializable',), 'write.skew|G2-item'),
    # Long runs show that it is not serializable (docs/databases.md).
    'firebird-table-stability': Fact(['--db', 'firebird:'], 'snapshot-table-stability', MINI,
                                     ('snapshot-isolation',)),
    'postgres-read-committed': Fact(server('postgres'), 'read-committed', RMW,
                                    ('read-committed',), ('snapshot-isolation',),
                                    'lost.update'),
    'postgres-repeatable-read': Fact(server('postgres'), 'repeatable-read', SKEW,
                                     ('snapshot-isolation', 'strong-snapshot-isolation'),
                                     ('serializable',), 'write.skew|G2-item'),
    'postgres-serializable': Fact(server('postgres'), 'serializable', SKEW, ('serializable',)),
    'postgres-lists': Fact(server('postgres'), 'serializable', LISTS, ('serializable',)),
    # Half of the sessions are on a replica. With a synchronous one a long fork shows at once.
    'postgres-replica': Fact(
        server('postgres-replica', 'synchronous_standby_names=*'), 'repeatable-read', FORK,
        ('read-committed', 'parallel-snapshot-isolation'),
        ('snapshot-isolation', 'strong-snapshot-isolation'), 'long.fork|G-nonadjacent'),
    'postgres-replica-killed': Fact(
        server('postgres-replica') + ['--nemesis', 'kill:every=500ms,for=100ms',
                                      '--duration', '2s'],
        'read-committed', MINI, ('read-committed',)),
    'mariadb-replica': Fact(server('mariadb-replica'), 'serializable', MINI,
                            ('serializable',), ('strict-serializable',)),
    'redis-replica': Fact(server('redis-replica'), 'watch', MINI, ('serializable',)),
    'mariadb-repeatable-read': Fact(server('mariadb'), 'repeatable-read', RMW, (),
                                    ('snapshot-isolation',), 'lost.update'),
    'mariadb-snapshot-isolation': Fact(
        server('mariadb') + ['--param', 'snapshot_isolation=on'], 'repeatable-read', RMW,
        ('snapshot-isolation',)),
    'mariadb-serializable': Fact(server('mariadb'), 'serializable', SKEW, ('serializable',)),
    'galera-repeatable-read': Fact(server('galera'), 'repeatable-read', RMW, (),
                                   ('snapshot-isolation',), 'lost.update'),
    'galera-serializable': Fact(server('galera'), 'serializable', SKEW, (),
                                ('serializable',), 'write.skew|G2-item'),
    'galera-stale-reads': Fact(server('galera'), 'repeatable-read',
                               ['--workload', 'blindw-rw', '--keys', '5', '--ops', '1',
                                '--sessions', '6', '--txns', '5000'], (),
                               ('strict-serializable', 'strong-snapshot-isolation'), None),
    'redis-watch': Fact(server('redis'), 'watch', MINI, STRONG),
    'redis-multi': Fact(server('redis'), 'multi', RMW, (), ('snapshot-isolation',),
                        'lost.update'),
    'redis-compare-and-set': Fact(server('redis'), 'watch', LWT, STRONG),
    'etcd-serializable-snapshot': Fact(server('etcd'), 'serializable-snapshot', MINI, STRONG),
    'etcd-cluster': Fact(server('etcd-cluster'), 'serializable-snapshot', MINI, STRONG),
    'etcd-read-committed': Fact(server('etcd'), 'read-committed', RMW, (),
                                ('snapshot-isolation',), 'lost.update'),
    'sqlite-inventory': Fact(['--db', 'sqlite:'], 'deferred', SHOP, STRONG),
    'postgres-inventory': Fact(server('postgres'), 'serializable', SHOP, ('serializable',)),
    'postgres-inventory-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', SHOP + INDEX, ('snapshot-isolation',),
        ('serializable',)),
    'postgres-inventory-read-committed': Fact(
        server('postgres'), 'read-committed', SMALL_SHOP, ('read-committed',),
        ('snapshot-isolation',)),
    'mariadb-inventory': Fact(server('mariadb'), 'serializable', SHOP + INDEX,
                              ('serializable',)),
    'mariadb-inventory-repeatable-read': Fact(
        server('mariadb'), 'repeatable-read', SMALL_SHOP, (), ('snapshot-isolation',)),
    'firebird-inventory': Fact(['--db', 'firebird:', '--param', 'auto_undo=0'], 'snapshot', SHOP,
                               ('snapshot-isolation',), ('serializable',)),
    'sqlite-task-queue': Fact(['--db', 'sqlite:'], 'serializable', QUEUE + INDEX, STRONG),
    # Rows are inserted, updated, selected by conditions and deleted, and each tells its version.
    'postgres-inventory-versions': Fact(
        server('postgres'), 'read-committed', SMALL_SHOP + VERSIONS, ('read-committed',),
        ('snapshot-isolation',)),
    'postgres-task-queue': Fact(server('postgres'), 'serializable', QUEUE + INDEX,
                                ('serializable',)),
    'mariadb-task-queue': Fact(server('mariadb'), 'serializable', QUEUE, ('serializable',)),
    'postgres-usernames': Fact(server('postgres'), 'serializable', NAMES, ('serializable',)),
    'postgres-usernames-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', NAMES, ('snapshot-isolation',),
        ('serializable',)),
    'mariadb-usernames': Fact(server('mariadb'), 'serializable', NAMES + INDEX,
                              ('serializable',)),
    'firebird-usernames': Fact(['--db', 'firebird:', '--param', 'auto_undo=0'], 'snapshot',
                               NAMES, ('snapshot-isolation',), ('serializable',)),
    'sqlite-smallbank': Fact(['--db', 'sqlite:'], 'serializable', BANK, STRONG),
    'postgres-smallbank': Fact(server('postgres'), 'serializable', BANK, ('serializable',)),
    # The paper's only dangerous structure: a balance between savings and a check.
    'postgres-smallbank-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', CROWDED_BANK, ('snapshot-isolation',),
        ('serializable',), 'G2-item'),
    'mariadb-smallbank': Fact(server('mariadb'), 'serializable', BANK + INDEX,
                              ('serializable',)),
    'sqlite-booking': Fact(['--db', 'sqlite:'], 'serializable', ROOMS, STRONG),
    'postgres-booking': Fact(server('postgres'), 'serializable', ROOMS + INDEX,
                             ('serializable',)),
    'postgres-booking-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', ROOMS, ('snapshot-isolation',),
        ('serializable',), 'G2'),
    'mariadb-booking': Fact(server('mariadb'), 'serializable', ROOMS + INDEX,
                            ('serializable',)),
    'sqlite-upsert': Fact(['--db', 'sqlite:'], 'serializable', UPSERT, STRONG),
    # Nothing stronger: it does not track what a refused insert has met, as its manual says, so
    # once in a while such a run is not serializable (docs/databases.md).
    'postgres-upsert': Fact(server('postgres'), 'serializable', UPSERT,
                            ('snapshot-isolation',)),
    'postgres-upsert-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', UPSERT, ('snapshot-isolation',),
        ('serializable',)),
    'mariadb-upsert': Fact(server('mariadb'), 'serializable', UPSERT + INDEX,
                           ('serializable',)),
    # No increment is lost, but reads may see some of a transaction's.
    'postgres-counter': Fact(server('postgres'), 'read-committed', COUNTER, ('read-committed',),
                             ('snapshot-isolation',)),
    'postgres-bank-added': Fact(server('postgres'), 'serializable', ADDED, ('serializable',)),
    'redis-counter': Fact(server('redis'), 'multi', COUNTER, ('read-committed',),
                          ('snapshot-isolation',)),
    'sqlite-bank-added': Fact(['--db', 'sqlite:'], 'serializable', ADDED, STRONG),
    # With auto_undo=1 changes stay after rollbacks (docs/findings/firebird-kept-rollback.md).
    'firebird-bank-added': Fact(['--db', 'firebird:', '--param', 'auto_undo=0'], 'snapshot',
                                ADDED, ('snapshot-isolation',)),
    'sqlite-ycsb-e': Fact(['--db', 'sqlite:'], 'serializable', SCANS, STRONG),
    'postgres-ycsb-e': Fact(server('postgres'), 'serializable', SCANS, ('serializable',)),
    'postgres-ycsb-e-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', SCANS, ('snapshot-isolation',),
        ('serializable',), 'G2'),
    'mariadb-ycsb-e': Fact(server('mariadb'), 'serializable', SCANS, ('serializable',)),
    'sqlite-tpcc-tables': Fact(['--db', 'sqlite:'], 'serializable', TPCC + INDEX, STRONG),
    'postgres-tpcc-tables': Fact(server('postgres'), 'serializable', TPCC + INDEX,
                                 ('serializable',)),
    'postgres-tpcc-tables-read-committed': Fact(
        server('postgres'), 'read-committed', TPCC, ('read-committed',),
        ('snapshot-isolation',)),
    'mariadb-tpcc-tables': Fact(server('mariadb'), 'serializable', TPCC + INDEX,
                                ('serializable',)),
    'sqlite-tenants': Fact(['--db', 'sqlite:'], 'serializable', TENANTS, STRONG),
    'postgres-tenants': Fact(server('postgres'), 'serializable', TENANTS + INDEX,
                             ('serializable',)),
    'postgres-tenants-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', TENANTS, ('snapshot-isolation',),
        ('serializable',), 'G2'),
    'mariadb-tenants': Fact(server('mariadb'), 'serializable', TENANTS + INDEX,
                            ('serializable',)),
    'sqlite-blindw-pred': Fact(['--db', 'sqlite:'], 'serializable', RANGES, STRONG),
    'postgres-blindw-pred': Fact(server('postgres'), 'serializable', RANGES + INDEX,
                                 ('serializable',)),
    'postgres-blindw-pred-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', RANGES, ('snapshot-isolation',),
        ('serializable',), 'G2'),
    'mariadb-blindw-pred': Fact(server('mariadb'), 'serializable', RANGES + INDEX,
                                ('serializable',)),
    'sqlite-bank-sum': Fact(['--db', 'sqlite:'], 'serializable', SUMS, STRONG),
    'postgres-bank-sum': Fact(server('postgres'), 'serializable', SUMS + INDEX,
                              ('serializable',)),
    # Two withdrawals that each sum up the owner's accounts.
    'postgres-bank-sum-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', SUMS, ('snapshot-isolation',),
        ('serializable',), 'phantom|skew|G2'),
    'postgres-bank-sum-read-committed': Fact(
        server('postgres'), 'read-committed', SUMS + ['--timeout', '20s'], ('read-committed',),
        ('snapshot-isolation',)),
    'mariadb-bank-sum': Fact(server('mariadb'), 'serializable', SUMS, ('serializable',)),
    'mariadb-bank-sum-repeatable-read': Fact(
        server('mariadb'), 'repeatable-read', SUMS + ['--timeout', '20s'], (),
        ('snapshot-isolation',)),
    'sqlite-on-call-count': Fact(['--db', 'sqlite:'], 'serializable', COUNTS, STRONG),
    'postgres-on-call-count': Fact(server('postgres'), 'serializable', COUNTS,
                                   ('serializable',)),
    'postgres-on-call-count-repeatable-read': Fact(
        server('postgres'), 'repeatable-read', COUNTS, ('snapshot-isolation',),
        ('strict-serializable',), 'phantom|skew|G2'),
    'mariadb-on-call-count': Fact(server('mariadb'), 'serializable', COUNTS + INDEX,
                                  ('serializable',)),
    'firebird-on-call-count': Fact(
        ['--db', 'firebird:', '--param', 'auto_undo=0'], 'snapshot', COUNTS,
        ('snapshot-isolation',), ('strict-serializable',)),
    'sqlite-phantom': Fact(['--db', 'sqlite:'], 'deferred', PHANTOM, STRONG),
    'firebird-phantom': Fact(['--db', 'firebird:'], 'snapshot', PHANTOM, ('snapshot-isolation',),
                             ('serializable',), 'G2|skew'),
    # Statements find rows that go meanwhile, and rows in two versions; neither ends the run.
    'firebird-phantom-read': Fact(['--db', 'firebird:'], 'read-committed', FEW_ROWS,
                                  ('read-committed',), ('read-atomic',), None),
    # A row that was deleted and inserted again unseen is within the promise.
    'postgres-phantom': Fact(server('postgres'), 'repeatable-read', PHANTOM,
                             ('snapshot-isolation', 'strong-snapshot-isolation'),
                             ('serializable',), 'phantom|skew'),
    'postgres-phantom-read': Fact(server('postgres'), 'read-committed', FEW_ROWS,
                                  ('read-committed',), ('read-atomic',), 'PMP'),
    'postgres-phantom-serializable': Fact(server('postgres'), 'serializable', PHANTOM,
                                          ('serializable',)),
    'postgres-phantom-versions': Fact(
        server('postgres'), 'repeatable-read', FEW_ROWS + VERSIONS, ('snapshot-isolation',),
        ('serializable',)),
    'postgres-on-call-index': Fact(
        server('postgres') + ['--param', 'index=1'], 'serializable', ON_CALL + BY_VALUE,
        ('serializable',)),
    'mariadb-phantom': Fact(server('mariadb'), 'repeatable-read', MANY_AT_ROWS, (),
                            ('serializable',), 'phantom|skew'),
    'mariadb-on-call-index': Fact(
        server('mariadb') + ['--param', 'index=1'], 'serializable', ON_CALL + BY_VALUE,
        ('serializable',)),
    'postgres-cut-connections': Fact(
        server('postgres') + ['--nemesis', 'cut:every=20ms', '--duration', '2s'], 'serializable',
        MINI,
        ('serializable',)),
    'postgres-killed': Fact(
        server('postgres') + ['--nemesis', 'kill:every=1s,for=200ms', '--duration', '4s'],
        'serializable', MINI, ('serializable',)),
    'mariadb-cut-connections': Fact(
        server('mariadb') + ['--nemesis', 'cut:every=20ms', '--duration', '2s'], 'serializable',
        MINI, ('serializable',)),
    'redis-cut-connections': Fact(
        server('redis') + ['--nemesis', 'cut:every=20ms', '--duration', '2s'], 'watch', MINI,
        STRONG),
    'etcd-cut-connections': Fact(
        server('etcd') + ['--nemesis', 'cut:every=20ms', '--duration', '2s'],
        'serializable-snapshot', MINI, STRONG),
    # A replica that is parted from its primary shows what was there before.
    'redis-replica-partition': Fact(
        server('redis-replica') + ['--nemesis', 'partition:every=300ms,for=300ms',
                                   '--duration', '1500ms'],
        'watch', MINI, ('serializable',), ('strict-serializable',), 'stale'),
    'mariadb-replica-partition': Fact(
        server('mariadb-replica') + ['--nemesis', 'partition:every=500ms,for=300ms',
                                     '--duration', '2s'],
        'serializable', MINI, ('serializable',), ('strict-serializable',), 'stale'),
    'postgres-replica-partition': Fact(
        server('postgres-replica') + ['--nemesis', 'partition:every=500ms,for=300ms',
                                      '--duration', '2s'],
        'read-committed', MINI, ('read-committed',), ('strict-serializable',)),
    # The one that is parted is not served, and the others go on.
    # What the replica did not have when it took the primary's place is lost. Levels in between
    # may take long to decide.
    'redis-replica-failover': Fact(
        server('redis-replica') + ['--nemesis', 'failover:every=400ms,for=200ms', '--duration',
                                   '1s', '--timeout', '15s'],
        'watch', ['--workload', 'lost-update', '--keys', '4', '--sessions', '2', '--txns', '2000'],
        ('read-committed',), ('strict-serializable',)),
    'etcd-partition': Fact(
        server('etcd-cluster') + ['--nemesis', 'partition:every=700ms,for=500ms',
                                  '--duration', '2500ms'],
        'serializable-snapshot', MINI, STRONG),
    'galera-partition': Fact(
        server('galera') + ['--nemesis', 'partition:every=4s,for=4s', '--duration', '12s'],
        'read-committed', MINI, ('read-committed',)),
    'postgres-clock': Fact(
        server('postgres') + ['--nemesis', 'clock:every=500ms,for=700ms,by=1h', '--duration',
                              '3s'], 'serializable', MINI, ('serializable',)),
    'redis-paused': Fact(server('redis') + ['--nemesis', 'pause:every=300ms,for=200ms',
                                             '--duration', '2s'], 'watch', MINI, STRONG),
}


class Failure(Exception):
    pass


def settings(isolde):
    """Of all databases that `isolde databases` names: database, its choice if any, isolation."""
    def says(*words):
        return subprocess.run([isolde, *words], capture_output=True, text=True, check=True).stdout
    drivers = re.findall(r'^(\w+) ', says('databases'), re.M)
    assert 'exec' in drivers, drivers
    for database in drivers:
        if database == 'exec':  # adapters tell their isolations themselves
            continue
        first, *others = says('databases', database).split('\nWith --param ')
        assert ' promises ' in first, first
        for choice, part in (('', first), *((each.split('\n', 1)) for each in others)):
            for isolation in re.findall(r'^    ([a-z-]+) +promises', part, re.M):
                yield database, choice, isolation


def show_others(isolde, scale):
    """Every isolation setting that no fact is about keeps what its driver says that it promises."""
    servers = re.findall(r'^(\S+)', subprocess.run([isolde, 'server'], capture_output=True, text=True,
                                                   check=True).stdout, re.M)
    all_settings = list(settings(isolde))
    choices = {choice for _, choice, _ in all_settings if choice}
    about = {(fact.target[1].rstrip(':'), *(choices.intersection(fact.target) or ['']), fact.isolation)
             for fact in FACTS.values()}
    skipped = 0
    for database, choice, isolation in all_settings:
        if (database, choice, isolation) in about:
            continue
        if choice:  # what its server needs for it nobody tells
            raise Failure(f'no fact of {database} with {choice} at {isolation}')
        target = server(database) if database in servers else ['--db', database + ':']
        try:
            show(isolde, Fact(target, isolation, RMW), scale)
        except SystemExit as end:
            skipped = end.code
    if skipped:
        sys.exit(skipped)


def scaled(workload, scale):
    result = list(workload)
    at = result.index('--txns') + 1
    result[at] = str(int(int(result[at]) * scale))
    return result


def told(line):
    """Rows of a transaction that may have a version: operations, and rows of selections."""
    for op in line.get('ops', []):
        rows = op[2] if op[0] == 'select' else [op[1:]] if op[0] in ('r', 'w') else []
        yield from ((op, row) for row in rows if row[-1] is not None)


def has_version(row):
    return isinstance(row[-1], dict) and 'version' in row[-1]


def without_versions(line):
    ops = []
    for op in line.get('ops', []):
        if op[0] == 'select':
            op = [*op[:2], [row[:-1] if has_version(row) else row for row in op[2]]]
        ops.append(op[:-1] if op[0] in ('r', 'w') and has_version(op) else op)
    return {**line, 'ops': ops} if ops else line


def with_wrong_version(lines):
    """One row that was found has the version that another transaction has made of it."""
    made = {}
    for number, line in enumerate(lines):
        for op, row in told(line):
            if op[0] == 'w' and has_version(row):
                made.setdefault(row[0], []).append((number, row[-1]))
    for number, line in enumerate(lines):
        for op, row in told(line):
            others = [version for at, version in made.get(row[0], ())
                      if at != number and version != row[-1]]
            if op[0] == 'select' and has_version(row) and others:
                row[-1] = others[0]
                return lines
    raise Failure('no row has two versions')


def put(path, lines):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in lines)


def check_versions(isolde, history, report):
    """Every row has a version, and they change no verdict, whether they are trusted or absent."""
    with open(history, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        # Who was aborted may have got no answer.
        if line.get('status') != 'aborted' and not all(has_version(row) for _, row in told(line)):
            raise Failure(f'a row without a version: {line}')
    plain, wrong = history + '.plain', history + '.wrong'
    put(plain, [without_versions(line) for line in lines])
    for path, options in ((plain, []), (history, ['--trust-versions'])):
        done = subprocess.run([isolde, 'check', '--json', '--no-progress', *options,
                               '--certificate', path + '.proof', path],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise Failure(f'exit code {done.returncode}: {done.stderr.strip()}')
        checked = json.loads(done.stdout)
        for name, level in report['levels'].items():
            verdict = checked['levels'][name]['verdict']
            if verdict != level['verdict']:
                raise Failure(f'{name} {options}: {verdict}, but before {level["verdict"]}')
        if refusal := proofs.refused(isolde, checked, path, *options, both=True):
            raise Failure(refusal)
    put(wrong, with_wrong_version(lines))
    done = subprocess.run([isolde, 'check', '--trust-versions', wrong], capture_output=True,
                          text=True, check=False)
    if done.returncode != 3 or 'versions contradict values' not in done.stderr:
        raise Failure(f'exit code {done.returncode} of a contradiction: {done.stderr.strip()}')


def run(isolde, fact, folder, seed, scale):
    """One run: the report, with every proof verified."""
    history = os.path.join(folder, f'history-{seed}.jsonl')
    proof = os.path.join(folder, f'proof-{seed}')
    command = [isolde, 'run', *fact.target, '--isolation', fact.isolation,
               *scaled(fact.workload, scale), '--seed', str(seed), '--out', history,
               '--certificate', proof, '--json', '--no-progress']
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print('$', 'isolde', *command[1:])
    if done.returncode == 4 and 'install the package' in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)
    if done.returncode not in (0, 1, 2):
        raise Failure(f'exit code {done.returncode}: {done.stderr.strip()}')
    report = json.loads(done.stdout)
    promise = report['run']['promise']['verdict']
    expected = {'holds': (0,), 'violated': (1,), 'unknown': (2,)}.get(promise, (0, 2))
    if done.returncode not in expected:
        raise Failure(f'exit code {done.returncode}, but the promise is {promise}')
    if refusal := proofs.refused(isolde, report, history):
        raise Failure(refusal)
    if '--record-versions' in fact.workload:
        check_versions(isolde, history, report)
    return report


def missing(fact, report):
    """What is still to be seen of the violations; raises when something wrong was seen."""
    levels = report['levels']
    for name in fact.holds:
        if levels[name]['verdict'] != 'holds':
            raise Failure(f'{name}: {levels[name]["verdict"]}, {levels[name]["reason"]}')
    rest = [name for name in fact.violated if levels[name]['verdict'] != 'violated']
    if rest or not fact.anomaly:
        return rest
    # One level shows one of the anomalies, and which one it shows first is chance.
    words = ' '.join(json.dumps(level) for level in levels.values()
                     if level['verdict'] == 'violated')
    return [] if re.search(fact.anomaly, words, re.IGNORECASE) else [f'an anomaly {fact.anomaly}']


def show(isolde, fact, scale):
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, ATTEMPTS + 1):
            report = run(isolde, fact, folder, seed, scale)
            generated = report['run']
            print(f'{generated["version"]}: {generated["committed"]} committed,'
                  f' {generated["aborted"]} aborted, {report["seconds"]}')
            if generated['stopped']:
                raise Failure(f'stopped early: {generated["stopped"]}')
            rest = missing(fact, report)
            if not fact.holds and not fact.violated and report['run']['promise']['verdict'] != 'holds':
                raise Failure(f'the promise: {report["run"]["promise"]}')
            if '--nemesis' in fact.target and generated['faults'] == 0:
                rest.append('a fault')
            if not rest:
                return
            print('not seen with this seed:', ', '.join(rest))
        raise Failure('not seen: ' + ', '.join(rest))


def main(arguments):
    isolde, name = arguments[:2]
    scale = float(arguments[arguments.index('--scale') + 1]) if '--scale' in arguments else 1
    if name == 'list':
        print('\n'.join([OTHERS, *FACTS]))
        return 0
    try:
        if name == OTHERS:
            show_others(isolde, scale)
        else:
            show(isolde, FACTS[name], scale)
    except Failure as failure:
        print('FAILED:', failure)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
