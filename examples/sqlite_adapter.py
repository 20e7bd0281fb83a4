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


def table_name(request):
    return f"isolde_t{request['table']}"


def where(request):
    """The condition of a request on rows with columns, and its parameters."""
    tests, values = [], []
    for column, test in request['where'].items():
        column = 'id' if column == 'key' else column
        if test is None:
            tests.append(f'{column} IS NULL')
            continue
        tests.append(f'{column} IS NOT NULL')
        for bound, operator in (('min', '>='), ('max', '<=')):
            if bound in test:
                tests.append(f'{column} {operator} ?')
                values.append(test[bound])
        if 'in' in test:
            tests.append(f"{column} IN ({', '.join('?' * len(test['in']))})")
            values += test['in']
    return (' WHERE ' + ' AND '.join(tests) if tests else ''), values


def assignments(request, name=''):
    """What SET says: `was` is the stamp of the version before."""
    parts = [f'was = {name}stamp', 'stamp = ?']
    values = [request['stamp']]
    for column, value in request['set'].items():
        parts.append(f'{column} = ?')
        values.append(value)
    for column, value in request['add'].items():
        parts.append(f'{column} = {name}{column} + ?')
        values.append(value)
    return ', '.join(parts), values


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
            self.database.execute('PRAGMA foreign_keys=ON')
            self.database.row_factory = sqlite3.Row
        return self.database

    def hello(self, _):
        return {'version': 1, 'name': f'SQLite {sqlite3.sqlite_version} in Python',
                'operations': ['read', 'write', 'append', 'read-list', 'compare-and-set',
                               'increment', 'select', 'delete', 'delete-selected', 'insert-row',
                               'select-rows', 'update-rows', 'delete-rows', 'upsert-row',
                               'try-insert-row', 'aggregate-rows', 'savepoint',
                               'roll-back-to-savepoint'],
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
            for number, table in enumerate(request.get('tables', [])):
                self.create_table(number, table['columns'])
        except sqlite3.OperationalError as error:  # somebody's tables are there
            return {'outcome': 'failed', 'message': f'{error}; --force-reset removes it'}
        return {}

    def create_table(self, number, columns):
        text = 'id INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, was INTEGER'
        for column in columns:
            name = column['name']
            text += f', {name} INTEGER'
            if 'least' in column:
                text += f" CHECK ({name} >= {column['least']})"
            if 'refers_to' in column:
                text += f" REFERENCES isolde_t{column['refers_to']} (id)"
        self.database.execute(f'CREATE TABLE isolde_t{number} ({text})')

    def destroy(self, _):
        self.connection().execute('DROP TABLE IF EXISTS isolde_register')
        self.connection().execute('DROP TABLE IF EXISTS isolde_list')
        for number in reversed(range(10)):  # those that refer to others first
            self.database.execute(f'DROP TABLE IF EXISTS isolde_t{number}')
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

    def increment(self, request):
        rows = self.database.execute('INSERT INTO isolde_register VALUES (?, ?) ON CONFLICT (k) '
                                     'DO UPDATE SET v = v + excluded.v RETURNING v',
                                     (request['key'], request['by'])).fetchall()
        return {'value': rows[0][0]}

    def select(self, request):
        rows = self.database.execute('SELECT k, v FROM isolde_register' + WHERE, bounds(request))
        return {'rows': [list(row) for row in rows]}

    def delete(self, request):
        done = self.database.execute('DELETE FROM isolde_register WHERE k = ?', (request['key'],))
        return {'deleted': done.rowcount == 1}

    def delete_selected(self, request):
        rows = self.database.execute('DELETE FROM isolde_register' + WHERE + ' RETURNING k, v',
                                     bounds(request))
        return {'rows': [list(row) for row in rows]}

    def rows(self, text, values):
        """Rows with columns, as answers have them."""
        rows = []
        for row in self.database.execute(text, values):
            columns = dict(row)
            rows.append({'key': columns.pop('id'), 'stamp': columns.pop('stamp'),
                         'was': columns.pop('was', None), 'columns': columns})
        return rows

    def insert_text(self, request):
        names = ['id', 'stamp', *request['columns']]
        values = [request['key'], request['stamp'], *request['columns'].values()]
        return (f"INSERT INTO {table_name(request)} ({', '.join(names)}) "
                f"VALUES ({', '.join('?' * len(names))})"), values

    def insert_row(self, request):
        self.database.execute(*self.insert_text(request))
        return {}

    def try_insert_row(self, request):
        # In SQLite only the statement has failed; elsewhere take a savepoint first.
        try:
            return {**self.insert_row(request), 'inserted': True}
        except sqlite3.IntegrityError as error:
            if not str(error).startswith('UNIQUE') or not str(error).endswith('.id'):
                raise
            return {'inserted': False, 'met': 'key'}

    def select_rows(self, request):
        condition, values = where(request)
        columns = ', '.join(['id', 'stamp', *request['columns']])
        text = f'SELECT {columns} FROM {table_name(request)}{condition}'
        limit = request.get('limit')
        if limit:
            text += f' ORDER BY id LIMIT {limit}'
        rows = self.rows(text, values)  # no row is ever locked
        return {'rows': rows, 'whole': not limit or len(rows) < limit}

    def aggregate_rows(self, request):
        condition, values = where(request)
        table = table_name(request)
        compute = request['compute']  # count, exists, sum, min, max
        if compute == 'exists':
            text = f'SELECT EXISTS (SELECT 1 FROM {table}{condition})'
        else:
            text = f"SELECT {compute}({request.get('column', '*')}) FROM {table}{condition}"
        return {'value': self.database.execute(text, values).fetchone()[0]}

    def update_rows(self, request):
        changes, new = assignments(request)
        condition, values = where(request)
        return {'rows': self.rows(f'UPDATE {table_name(request)} SET {changes}{condition} '
                                  'RETURNING *', new + values)}

    def delete_rows(self, request):
        condition, values = where(request)
        return {'rows': self.rows(f'DELETE FROM {table_name(request)}{condition} RETURNING *',
                                  values)}

    def upsert_row(self, request):
        text, values = self.insert_text(request)
        changes, new = assignments(request, table_name(request) + '.')
        return {'row': self.rows(f'{text} ON CONFLICT (id) DO UPDATE SET {changes} RETURNING *',
                                 values + new)[0]}

    def savepoint(self, _):
        self.database.execute('SAVEPOINT isolde')
        return {}

    def roll_back_to_savepoint(self, _):
        self.database.execute('ROLLBACK TO isolde')
        return {}

    def commit(self, _):
        self.database.execute('COMMIT')
        return {'outcome': 'committed'}

    def abort(self, _):
        self.database.execute('ROLLBACK')
        return {'outcome': 'aborted'}

    def answer(self, request):
        try:
            return getattr(self, request['do'].replace('-', '_'))(request)
        except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
            if self.database is not None and self.database.in_transaction:
                self.database.execute('ROLLBACK')
            # Of what was sent to commit, only this answer says that nothing has committed.
            commits = request['do'] in ('commit', 'compare-and-set')
            is_certain = not commits or 'locked' in str(error)
            return {'outcome': 'aborted' if is_certain else 'unknown', 'message': str(error)}


def main():
    if len(sys.argv) != 2:
        print("usage: isolde run --db 'exec:python3 sqlite_adapter.py FILE' ...", file=sys.stderr)
        sys.exit(2)
    adapter = Adapter(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({'id': request['id'], **adapter.answer(request)}), flush=True)


main()
