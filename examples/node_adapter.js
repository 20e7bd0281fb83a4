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

const TABLES = ['isolde_register', 'isolde_list'];
const SCHEMA = [
  'CREATE TABLE isolde_register (k BIGINT PRIMARY KEY, v BIGINT)',
  'CREATE TABLE isolde_list (k BIGINT PRIMARY KEY, v VARCHAR)',  // '3,1': oldest first
];
const WRITE =
    'INSERT INTO isolde_register VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v';
const APPEND = 'INSERT INTO isolde_list VALUES (?, ?) ' +
    'ON CONFLICT (k) DO UPDATE SET v = isolde_list.v || \',\' || excluded.v';

// What is particular to each database: all(connection, text, values) gives rows as arrays.
const DATABASES = {
  duckdb: {
    sessions: 'many',
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
      values.forEach(
          (value, i) => typeof value === 'bigint' ? statement.bindBigInt(i + 1, value) :
                                                    statement.bindVarchar(i + 1, value));
      return (await statement.runAndReadAll()).getRows();
    },
    close(connection) {
      connection.closeSync();
    },
    isRefusal: (error) => /^(TransactionContext|Constraint) Error/.test(error.message),
  },
  libsql: {
    sessions: 'one',
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
      connection.exec('PRAGMA synchronous=OFF');  // no test of what a crash leaves
      return connection;
    },
    all(connection, text, values) {
      const statement = connection.prepare(text);
      return statement.reader ? statement.raw(true).all(...values) :
                                (statement.run(...values), []);
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
      commit: ({session}) => this.run(session, 'COMMIT').then(() => ({outcome: 'committed'})),
      abort: ({session}) => this.run(session, 'ROLLBACK').then(() => ({outcome: 'aborted'})),
    };
  }

  hello() {
    return {
      version: 1,
      name: this.name,
      sessions: this.database.sessions,
      operations: ['read', 'write', 'append', 'read-list', 'compare-and-set'],
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

  async create({reset}) {
    if (reset) await this.destroy();
    try {
      for (const text of SCHEMA) await this.run(undefined, text);
    } catch (error) {  // somebody's tables are there
      return {outcome: 'failed', message: `${error.message}; --force-reset removes it`};
    }
    return {};
  }

  async destroy() {
    for (const table of TABLES) await this.run(undefined, `DROP TABLE IF EXISTS ${table}`);
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
    return {value: rows.length > 0 ? rows[0][0] : null};
  }

  async readList({session, key}) {
    const rows = await this.query(session, 'SELECT v FROM isolde_list WHERE k = ?', key);
    return {values: rows.length > 0 ? rows[0][0].split(',').map(BigInt) : []};
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
