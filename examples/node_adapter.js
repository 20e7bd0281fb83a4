#!/usr/bin/env node
// An adapter for `isolde run --db exec:...`: DuckDB or libSQL through their npm packages.
//
//     npm install @duckdb/node-api libsql
//     isolde run --db 'exec:node node_adapter.js duckdb' --workload write-skew --keys 4 \
//       --sessions 4 --txns 500 --out history.jsonl
//     isolde run --db 'exec:node node_adapter.js libsql accounts.db' --workload lost-update \
//       --keys 4 --sessions 4 --txns 500 --out history.jsonl
//
// Each line on standard input is a request, each line on standard output its answer;
// docs/adapters.md is the protocol. DuckDB lives in one process with all its sessions; for
// libSQL Isolde starts a process for each session, because its calls do not return before they
// are done.
'use strict';
const fs = require('node:fs');
const readline = require('node:readline');

// Values have 64 bits, JavaScript's numbers 53: integers are BigInt on the way in and out.
const parse = (line) => JSON.parse(
    line.replace(/(?<=[:[,]\s*)-?\d+(?=\s*[,\]}])/g, '"#$&"'),
    (_, value) => /^#-?\d+$/.test(value) ? BigInt(value.slice(1)) : value);
const print = (answer) => process.stdout.write(
    JSON.stringify(answer, (_, value) => typeof value === 'bigint' ? `#${value}` : value)
        .replace(/"#(-?\d+)"/g, '$1') +
    '\n');

const SAVEPOINTS = ['savepoint', 'roll-back-to-savepoint'];
const TABLES = ['isolde_register', 'isolde_list'];
const SCHEMA = [
  'CREATE TABLE isolde_register (k BIGINT PRIMARY KEY, v BIGINT)',
  'CREATE TABLE isolde_list (k BIGINT PRIMARY KEY, v VARCHAR)',  // '3,1': oldest first
];
const WRITE =
    'INSERT INTO isolde_register VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v';
const INCREMENT = 'INSERT INTO isolde_register VALUES (?, ?) ' +
    'ON CONFLICT (k) DO UPDATE SET v = isolde_register.v + excluded.v RETURNING v';
const APPEND = 'INSERT INTO isolde_list VALUES (?, ?) ' +
    'ON CONFLICT (k) DO UPDATE SET v = isolde_list.v || \',\' || excluded.v';

// Rows with columns: tables by their numbers, with the stamp of each row and the one before.
const MOST_TABLES = 10;
const tableName = ({table}) => `isolde_t${table}`;
const marks = (values) => values.map(() => '?').join(', ');

const tableSchema = ({columns}, number, hasReferences) => {
  const parts = ['id BIGINT PRIMARY KEY', 'stamp BIGINT NOT NULL', 'was BIGINT'];
  for (const {name, least, refers_to: other} of columns) {
    parts.push(
        `${name} BIGINT` + (least === undefined ? '' : ` CHECK (${name} >= ${least})`) +
        (other === undefined || !hasReferences ? '' : ` REFERENCES isolde_t${other} (id)`));
  }
  return `CREATE TABLE isolde_t${number} (${parts.join(', ')})`;
};

// The condition of a request, and its parameters.
const conditionOf = ({where}) => {
  const tests = [];
  const values = [];
  for (const [name, test] of Object.entries(where)) {
    const column = name === 'key' ? 'id' : name;
    tests.push(`${column} IS ${test === null ? '' : 'NOT '}NULL`);
    for (const [bound, operator] of [['min', '>='], ['max', '<=']]) {
      if (test?.[bound] === undefined) continue;
      tests.push(`${column} ${operator} ?`);
      values.push(test[bound]);
    }
    if (test?.in) {
      tests.push(`${column} IN (${marks(test.in)})`);
      values.push(...test.in);
    }
  }
  return [tests.length > 0 ? ` WHERE ${tests.join(' AND ')}` : '', values];
};

// What SET says, and its parameters; `table` where the names of columns alone are ambiguous.
const assignmentsOf = ({stamp, set, add}, table = '') => [
    [
      `was = ${table}stamp`, 'stamp = ?', ...Object.keys(set).map((name) => `${name} = ?`),
      ...Object.keys(add).map((name) => `${name} = ${table}${name} + ?`)
    ].join(', '),
    [stamp, ...Object.values(set), ...Object.values(add)],
];

const insertionOf = (request) => {
  const values = [request.key, request.stamp, ...Object.values(request.columns)];
  const names = ['id', 'stamp', ...Object.keys(request.columns)].join(', ');
  return [`INSERT INTO ${tableName(request)} (${names}) VALUES (${marks(values)})`, values];
};

// A row as answers have it.
const answered = ({id, stamp, was, ...columns}) => ({key: id, stamp, was, columns});

// What is particular to each database: all(connection, text, values) gives rows by their
// columns.
const DATABASES = {
  duckdb: {
    sessions: 'many',
    // Its foreign keys refuse most changes of rows that others refer to.
    hasReferences: false,
    hasSavepoints: false,
    isolations: [{name: 'snapshot', promise: 'snapshot-isolation', begin: 'BEGIN TRANSACTION'}],
    async load(path) {
      const duckdb = require('@duckdb/node-api');
      this.instance = await duckdb.DuckDBInstance.create(path || ':memory:');
      return `DuckDB ${duckdb.version().replace(/^v/, '')} in Node.js`;
    },
    connect() {
      return this.instance.connect();
    },
    async all(connection, text, values) {
      const statement = await connection.prepare(text);
      values.forEach((value, i) => {
        if (value === null) return statement.bindNull(i + 1);
        return typeof value === 'bigint' ? statement.bindBigInt(i + 1, value) :
                                           statement.bindVarchar(i + 1, value);
      });
      return (await statement.runAndReadAll()).getRowObjects();
    },
    close(connection) {
      connection.closeSync();
    },
    isRefusal: (error) => /^(TransactionContext|Constraint) Error/.test(error.message),
  },
  libsql: {
    sessions: 'one',
    hasReferences: true,
    hasSavepoints: true,
    isolations: [
      {name: 'deferred', promise: 'serializable', begin: 'BEGIN DEFERRED'},
      {name: 'immediate', promise: 'serializable', begin: 'BEGIN IMMEDIATE'},
      {name: 'concurrent', promise: 'serializable', begin: 'BEGIN CONCURRENT'},
    ],
    load(path) {
      if (!path) throw new Error('usage: node_adapter.js libsql FILE');
      this.path = path;
      const connection = this.connect();
      const version = connection.prepare('SELECT sqlite_version()').raw(true).get()[0];
      const about = require.resolve('libsql').replace(/[^/]*$/, 'package.json');
      const libsql = JSON.parse(fs.readFileSync(about)).version;
      if (!this.knows(connection, 'BEGIN CONCURRENT')) this.isolations.pop();
      connection.close();
      return `libSQL ${libsql} (SQLite ${version}) in Node.js`;
    },
    knows(connection, begin) {
      try {
        connection.exec(begin);
        connection.exec('ROLLBACK');
        return true;
      } catch {
        return false;
      }
    },
    connect() {
      const connection = new (require('libsql'))(this.path, {timeout: 5000});
      connection.defaultSafeIntegers(true);
      connection.exec('PRAGMA journal_mode=WAL');
      connection.exec('PRAGMA foreign_keys=ON');
      connection.exec('PRAGMA synchronous=OFF');  // no test of what a crash leaves
      return connection;
    },
    all(connection, text, values) {
      const statement = connection.prepare(text);
      return statement.reader ? statement.all(...values) : (statement.run(...values), []);
    },
    close(connection) {
      connection.close();
    },
    isRefusal: (error) => /^SQLITE_BUSY/.test(error.code),
  },
};

class Adapter {
  constructor(database, name) {
    this.database = database;
    this.name = name;
    this.sessions = new Map();
    this.requests = {
      hello: () => this.hello(),
      create: (request) => this.create(request),
      destroy: () => this.destroy(),
      open: (request) => this.open(request),
      close: (request) => this.close(request),
      begin: (request) => this.begin(request),
      read: (request) => this.read(request),
      write: ({session, key, value}) => this.run(session, WRITE, key, value),
      'read-list': (request) => this.readList(request),
      append: ({session, key, value}) => this.run(session, APPEND, key, String(value)),
      'compare-and-set': (request) => this.compareAndSet(request),
      increment: ({session, key, by}) =>
          this.query(session, INCREMENT, key, by).then(([{v}]) => ({value: v})),
      'insert-row': (request) => this.insertRow(request),
      'try-insert-row': (request) => this.tryInsertRow(request),
      'select-rows': (request) => this.selectRows(request),
      'aggregate-rows': (request) => this.aggregateRows(request),
      'update-rows': (request) => this.updateRows(request),
      'delete-rows': (request) => this.deleteRows(request),
      'upsert-row': (request) => this.upsertRow(request),
      savepoint: ({session}) => this.run(session, 'SAVEPOINT isolde'),
      'roll-back-to-savepoint': ({session}) => this.run(session, 'ROLLBACK TO isolde'),
      commit: ({session}) => this.run(session, 'COMMIT').then(() => ({outcome: 'committed'})),
      abort: ({session}) => this.run(session, 'ROLLBACK').then(() => ({outcome: 'aborted'})),
    };
  }

  hello() {
    return {
      version: 1,
      name: this.name,
      sessions: this.database.sessions,
      operations: [
        'read', 'write', 'append', 'read-list', 'compare-and-set', 'increment', 'insert-row',
        'try-insert-row', 'select-rows', 'aggregate-rows', 'update-rows', 'delete-rows',
        'upsert-row', ...(this.database.hasSavepoints ? SAVEPOINTS : [])
      ],
      isolations: this.database.isolations.map(
          ({name, promise, begin}) => ({name, promise, note: begin})),
    };
  }

  // A session's connection; one for what is nobody's.
  async connection(session) {
    if (!this.sessions.has(session)) this.sessions.set(session, await this.database.connect());
    return this.sessions.get(session);
  }

  async query(session, text, ...values) {
    return this.database.all(await this.connection(session), text, values);
  }

  async run(...query) {
    await this.query(...query);
    return {};
  }

  async create({reset, tables}) {
    if (reset) await this.destroy();
    try {
      const {hasReferences} = this.database;
      const rows = (tables ?? []).map((table, i) => tableSchema(table, i, hasReferences));
      for (const text of [...SCHEMA, ...rows]) await this.run(undefined, text);
    } catch (error) {  // somebody's tables are there
      return {outcome: 'failed', message: `${error.message}; --force-reset removes it`};
    }
    return {};
  }

  async destroy() {
    const tables = [...TABLES];
    for (let table = 0; table < MOST_TABLES; ++table) tables.unshift(tableName({table}));
    for (const table of tables) await this.run(undefined, `DROP TABLE IF EXISTS ${table}`);
    return {};
  }

  async open({session}) {
    await this.connection(session);
    return {};
  }

  async close({session}) {
    this.database.close(await this.connection(session));
    this.sessions.delete(session);
    return {};
  }

  begin({session, isolation}) {
    const row = this.database.isolations.find(({name}) => name === isolation);
    return this.run(session, row.begin);
  }

  async read({session, key}) {
    const rows = await this.query(session, 'SELECT v FROM isolde_register WHERE k = ?', key);
    return {value: rows.length > 0 ? rows[0].v : null};
  }

  async readList({session, key}) {
    const rows = await this.query(session, 'SELECT v FROM isolde_list WHERE k = ?', key);
    return {values: rows.length > 0 ? rows[0].v.split(',').map(BigInt) : []};
  }

  // One statement, so that nothing comes between; it returns a row where it took effect.
  async compareAndSet({session, key, expected, value}) {
    const rows = expected === null ?
        await this.query(
            session,
            'INSERT INTO isolde_register VALUES (?, ?) ' +
                'ON CONFLICT DO NOTHING RETURNING k',
            key, value) :
        await this.query(
            session,
            'UPDATE isolde_register SET v = ? WHERE k = ? AND v = ? ' +
                'RETURNING k',
            value, key, expected);
    return {applied: rows.length > 0};
  }

  async insertRow(request) {
    const [text, values] = insertionOf(request);
    return this.run(request.session, text, ...values);
  }

  // A statement that has failed ends the transaction in DuckDB, which has no savepoints; this
  // one does not fail.
  async tryInsertRow(request) {
    const [text, values] = insertionOf(request);
    const rows = await this.query(
        request.session, `${text} ON CONFLICT (id) DO NOTHING RETURNING id`, ...values);
    return rows.length > 0 ? {inserted: true} : {inserted: false, met: 'key'};
  }

  async changedRows(session, text, ...values) {
    return (await this.query(session, `${text} RETURNING *`, ...values)).map(answered);
  }

  async selectRows(request) {
    const [condition, values] = conditionOf(request);
    const {limit, columns} = request;
    const rows =
        (await this.query(
             request.session,
             `SELECT ${['id', 'stamp', ...columns].join(', ')} FROM ${tableName(request)}` +
                 condition + (limit ? ` ORDER BY id LIMIT ${limit}` : ''),
             ...values))
            .map(answered);  // no row is ever locked
    return {rows, whole: !limit || rows.length < limit};
  }

  async aggregateRows(request) {
    const [condition, values] = conditionOf(request);
    const {compute, column} = request;
    const from = `FROM ${tableName(request)}${condition}`;
    const result = compute === 'exists' ? `CAST(EXISTS (SELECT 1 ${from}) AS BIGINT) AS v` :
                                          `${compute}(${column ?? '*'}) AS v ${from}`;
    const [{v}] = await this.query(request.session, `SELECT ${result}`, ...values);
    return {value: v};
  }

  async updateRows(request) {
    const [changes, added] = assignmentsOf(request);
    const [condition, values] = conditionOf(request);
    const text = `UPDATE ${tableName(request)} SET ${changes}${condition}`;
    return {rows: await this.changedRows(request.session, text, ...added, ...values)};
  }

  async deleteRows(request) {
    const [condition, values] = conditionOf(request);
    const text = `DELETE FROM ${tableName(request)}${condition}`;
    return {rows: await this.changedRows(request.session, text, ...values)};
  }

  async upsertRow(request) {
    const [insertion, values] = insertionOf(request);
    const [changes, added] = assignmentsOf(request, `${tableName(request)}.`);
    const text = `${insertion} ON CONFLICT (id) DO UPDATE SET ${changes}`;
    const [row] = await this.changedRows(request.session, text, ...values, ...added);
    return {row};
  }

  // A transaction whose COMMIT was not sent has not committed. Of a COMMIT, and of a statement
  // that commits itself, only the database's own refusal says so.
  async answer(request) {
    try {
      return await this.requests[request.do](request);
    } catch (error) {
      try {
        await this.run(request.session, 'ROLLBACK');
      } catch {
        // The database has done so already.
      }
      const commits = ['commit', 'compare-and-set'].includes(request.do);
      const isCertain = !commits || this.database.isRefusal(error);
      return {
        outcome: isCertain ? 'aborted' : 'unknown',
        message: error.message.split('\n')[0]
      };
    }
  }
}

async function main() {
  const [product, path] = process.argv.slice(2);
  if (!Object.hasOwn(DATABASES, product ?? '')) {
    console.error(`usage: isolde run --db 'exec:node node_adapter.js ${
        Object.keys(DATABASES).join('|')} [PATH]' ...`);
    process.exit(2);
  }
  const database = DATABASES[product];
  const adapter = new Adapter(database, await database.load(path));
  for await (const line of readline.createInterface({input: process.stdin})) {
    const request = parse(line);
    adapter.answer(request).then((answer) => print({id: request.id, ...answer}));
  }
  process.exit(0);
}

main().catch((error) => {
  console.error(`node_adapter.js: ${error.message.split('\n')[0]}`);
  process.exit(1);
});
