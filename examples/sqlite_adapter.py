#!/usr/bin/env python3
"""An adapter for `isolde run --db exec:...`: SQLite through Python's own library.

    isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation deferred \\
      --workload lost-update --keys 4 --sessions 4 --txns 500 --out history.jsonl

Isolde starts the program once for itself and once for each session. Each line on standard input
is a request, each line on standard output its answer; docs/adapters.md is the protocol.
"""
import json
import sqlite3
import sys

BEGIN = {'deferred': 'BEGIN DEFERRED', 'immediate': 'BEGIN IMMEDIATE'}
WHERE = ' WHERE k BETWEEN ? AND ? AND v BETWEEN ? AND ?'
ANY = [-2**61, 2**61]


def bounds(request):
    return request.get('keys', ANY) + request.get('values', ANY)


class Adapter:
    def __init__(self, path):
        self.path = path
        self.database = None

    def connection(self):
        if self.database is None:
            self.database = sqlite3.connect(self.path, timeout=5, isolation_level=None)
            self.database.execute('PRAGMA journal_mode=WAL')
            self.database.execute('PRAGMA synchronous=OFF')  # no test of what a crash leaves
        return self.database

    def hello(self, _):
        return {'version': 1, 'name': f'SQLite {sqlite3.sqlite_version} in Python',
                'operations': ['read', 'write', 'append', 'read-list', 'compare-and-set',
                               'select', 'delete', 'delete-selected'],
                'isolations': [
                    {'name': 'deferred', 'promise': 'serializable', 'note': 'BEGIN DEFERRED'},
                    {'name': 'immediate', 'promise': 'serializable', 'note': 'BEGIN IMMEDIATE'}]}

    def create(self, request):
        database = self.connection()
        if request['reset']:
            self.destroy(request)
        try:
            database.execute('CREATE TABLE isolde_register (k INTEGER PRIMARY KEY, v INTEGER)')
            database.execute('CREATE TABLE isolde_list (k INTEGER PRIMARY KEY, v TEXT)')
        except sqlite3.OperationalError as error:  # somebody's tables are there
            return {'outcome': 'failed', 'message': f'{error}; --force-reset removes it'}
        return {}

    def destroy(self, _):
        self.connection().execute('DROP TABLE IF EXISTS isolde_register')
        self.connection().execute('DROP TABLE IF EXISTS isolde_list')
        return {}

    def open(self, _):
        self.connection()
        return {}

    def close(self, _):
        return {}

    def begin(self, request):
        self.connection().execute(BEGIN[request['isolation']])
        return {}

    def read(self, request):
        row = self.database.execute('SELECT v FROM isolde_register WHERE k = ?',
                                    (request['key'],)).fetchone()
        return {'value': row[0] if row else None}

    def write(self, request):
        self.database.execute('INSERT INTO isolde_register VALUES (?, ?) ON CONFLICT (k) '
                              'DO UPDATE SET v = excluded.v', (request['key'], request['value']))
        return {}

    def read_list(self, request):
        row = self.database.execute('SELECT v FROM isolde_list WHERE k = ?',
                                    (request['key'],)).fetchone()
        return {'values': json.loads(row[0]) if row else []}

    def append(self, request):
        self.database.execute('INSERT INTO isolde_list VALUES (?, json_array(?)) ON CONFLICT (k) '
                              "DO UPDATE SET v = json_insert(v, '$[#]', ?)",
                              (request['key'], request['value'], request['value']))
        return {}

    def compare_and_set(self, request):
        # In one statement, so that nothing comes between.
        key, value, expected = request['key'], request['value'], request['expected']
        if expected is None:
            done = self.database.execute('INSERT INTO isolde_register VALUES (?, ?) '
                                         'ON CONFLICT DO NOTHING', (key, value))
        else:
            done = self.database.execute('UPDATE isolde_register SET v = ? WHERE k = ? AND v = ?',
                                         (value, key, expected))
        return {'applied': done.rowcount == 1}

    def select(self, request):
        return {'rows': self.database.execute('SELECT k, v FROM isolde_register' + WHERE,
                                              bounds(request)).fetchall()}

    def delete(self, request):
        done = self.database.execute('DELETE FROM isolde_register WHERE k = ?', (request['key'],))
        return {'deleted': done.rowcount == 1}

    def delete_selected(self, request):
        return {'rows': self.database.execute('DELETE FROM isolde_register' + WHERE +
                                              ' RETURNING k, v', bounds(request)).fetchall()}

    def commit(self, _):
        self.database.execute('COMMIT')
        return {'outcome': 'committed'}

    def abort(self, _):
        self.database.execute('ROLLBACK')
        return {'outcome': 'aborted'}

    def answer(self, request):
        try:
            return getattr(self, request['do'].replace('-', '_'))(request)
        except sqlite3.OperationalError as error:
            if self.database is not None and self.database.in_transaction:
                self.database.execute('ROLLBACK')
            # Of what was sent to commit, only this answer says that nothing has committed.
            commits = request['do'] in ('commit', 'compare-and-set')
            is_certain = not commits or 'locked' in str(error)
            return {'outcome': 'aborted' if is_certain else 'unknown', 'message': str(error)}


def main():
    adapter = Adapter(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({'id': request['id'], **adapter.answer(request)}), flush=True)


main()
