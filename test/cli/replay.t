# A minimised violation as a script, for each kind of database, and played.
$ isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl --level snapshot-isolation --out small.jsonl | grep ' after '
|   after   3 transactions with 5 operations
|   version, or a value was read without a lock and written back after a computation.
= 0
$ isolde replay small.jsonl --script - --for mariadb
| -- Replay of small.jsonl in MariaDB at isolation repeatable-read.
| --
| -- Open 2 windows of mariadb on one database for tests: sessions A and B. Paste each step into the
| -- window of its session, in this order. If a step waits, leave it and go on in another
| -- window. When the database refuses a step, its transaction is over: type
| -- ROLLBACK there, and leave out the transaction's other steps.
| --
| -- recorded: what the read returned in the history. expected: what it returns when the
| -- transactions run one after the other, in the order in which they end here. Where the
| -- two differ, there is an arrow.
| --
| -- session A   a in the history
| -- session B   b in the history
| -- key 0       stock.plums
|
| -- At the beginning, in each window
| SET SESSION TRANSACTION ISOLATION LEVEL repeatable read;
|
| -- Set-up, in one window
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT) ENGINE=InnoDB;
| INSERT INTO isolde_register (k, v) VALUES (0, NULL);
|
| -- 1. session A: begins transaction 1
| START TRANSACTION;
|
| -- 2. session A: w(stock.plums, 3)
| UPDATE isolde_register SET v = 3 WHERE k = 0;
|
| -- 3. session A: commits
| COMMIT;
|
| -- 4. session A: begins transaction 2
| START TRANSACTION;
|
| -- 5. session A: r(stock.plums)
| SELECT v FROM isolde_register WHERE k = 0;
| --    recorded and expected: 3
|
| -- 6. session B: begins transaction 1
| START TRANSACTION;
|
| -- 7. session B: r(stock.plums)
| SELECT v FROM isolde_register WHERE k = 0;
| --    recorded: 3, expected: 7  <--
|
| -- 8. session A: w(stock.plums, 7)
| UPDATE isolde_register SET v = 7 WHERE k = 0;
|
| -- 9. session A: commits
| COMMIT;
|
| -- 10. session B: w(stock.plums, 8)
| UPDATE isolde_register SET v = 8 WHERE k = 0;
|
| -- 11. session B: commits
| COMMIT;
|
| -- Clean-up, in one window
| DROP TABLE isolde_register;
= 0
$ isolde replay small.jsonl --script - --for mariadb --isolation read-committed --param snapshot_isolation=on --param upsert=1 | grep -v '^--'
|
| SET SESSION TRANSACTION ISOLATION LEVEL read committed;
| SET SESSION innodb_snapshot_isolation = ON;
|
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT) ENGINE=InnoDB;
|
| START TRANSACTION;
|
| INSERT INTO isolde_register (k, v) VALUES (0, 3) ON DUPLICATE KEY UPDATE v = VALUES(v);
|
| COMMIT;
|
| START TRANSACTION;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| START TRANSACTION;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| INSERT INTO isolde_register (k, v) VALUES (0, 7) ON DUPLICATE KEY UPDATE v = VALUES(v);
|
| COMMIT;
|
| INSERT INTO isolde_register (k, v) VALUES (0, 8) ON DUPLICATE KEY UPDATE v = VALUES(v);
|
| COMMIT;
|
| DROP TABLE isolde_register;
= 0
$ isolde replay small.jsonl --script - | grep -v '^--'
|
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT);
| INSERT INTO isolde_register (k, v) VALUES (0, NULL);
|
| BEGIN ISOLATION LEVEL read committed;
|
| UPDATE isolde_register SET v = 3 WHERE k = 0;
|
| COMMIT;
|
| BEGIN ISOLATION LEVEL read committed;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| BEGIN ISOLATION LEVEL read committed;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| UPDATE isolde_register SET v = 7 WHERE k = 0;
|
| COMMIT;
|
| UPDATE isolde_register SET v = 8 WHERE k = 0;
|
| COMMIT;
|
| DROP TABLE isolde_register;
= 0
$ isolde replay small.jsonl --script - --for sqlite --isolation serializable | grep -v '^--'
|
| PRAGMA busy_timeout=10000;
| PRAGMA synchronous=off;
| PRAGMA journal_mode=wal;
|
| CREATE TABLE isolde_register (k INTEGER NOT NULL PRIMARY KEY, v BIGINT);
| INSERT INTO isolde_register (k, v) VALUES (0, NULL);
|
| BEGIN IMMEDIATE;
|
| UPDATE isolde_register SET v = 3 WHERE k = 0;
|
| COMMIT;
|
| BEGIN IMMEDIATE;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| BEGIN IMMEDIATE;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| UPDATE isolde_register SET v = 7 WHERE k = 0;
|
| COMMIT;
|
| UPDATE isolde_register SET v = 8 WHERE k = 0;
|
| COMMIT;
|
| DROP TABLE isolde_register;
= 0
$ isolde replay small.jsonl --script - --for firebird | grep -v '^--'
|
| SET LIST ON;
|
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT);
| COMMIT;
| SET TERM ^ ;
| EXECUTE BLOCK AS BEGIN INSERT INTO isolde_register (k, v) VALUES (0, NULL); END^
| SET TERM ; ^
| COMMIT;
|
| SET TRANSACTION READ WRITE NO WAIT ISOLATION LEVEL SNAPSHOT;
|
| UPDATE isolde_register SET v = 3 WHERE k = 0;
|
| COMMIT;
|
| SET TRANSACTION READ WRITE NO WAIT ISOLATION LEVEL SNAPSHOT;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| SET TRANSACTION READ WRITE NO WAIT ISOLATION LEVEL SNAPSHOT;
|
| SELECT v FROM isolde_register WHERE k = 0;
|
| UPDATE isolde_register SET v = 7 WHERE k = 0;
|
| COMMIT;
|
| UPDATE isolde_register SET v = 8 WHERE k = 0;
|
| COMMIT;
|
| DROP TABLE isolde_register;
| COMMIT;
= 0
$ isolde replay small.jsonl --script - --for redis --isolation multi
| Replay of small.jsonl in redis at isolation multi.
|
| A client for each of sessions A and B; one step after the other.
|
| recorded: what the read returned in the history. expected: what it returns when the
| transactions run one after the other, in the order in which they end here. Where the
| two differ, there is an arrow.
|
| session A   a in the history
| session B   b in the history
|
| 1. session A: begins transaction 1
| 2. session A: w(stock.plums, 3)
| 3. session A: commits
| 4. session A: begins transaction 2
| 5. session A: r(stock.plums)
|    recorded and expected: 3
| 6. session B: begins transaction 1
| 7. session B: r(stock.plums)
|    recorded: 3, expected: 7  <--
| 8. session A: w(stock.plums, 7)
| 9. session A: commits
| 10. session B: w(stock.plums, 8)
| 11. session B: commits
= 0
$ isolde replay small.jsonl --script script.sql --for postgres --isolation serializable; grep -c BEGIN script.sql
| 3
= 0
# Lists, an intermediate read, an unknown outcome, strings as values.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","status":"indeterminate","ops":[["append","l",1],["append","l","b"]]}' '{"session":"b","ops":[["r","l",[1]],["r","m",null]]}' > list.jsonl
= 0
$ isolde replay list.jsonl --script - --for postgres | sed -n '/^-- session A /,$p'
| -- session A   a in the history
| -- session B   b in the history
| -- key 0       l
| -- key 1       m
| -- value 2     b
|
| -- Set-up, in one window
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT);
| CREATE TABLE isolde_list (k BIGINT NOT NULL PRIMARY KEY, v TEXT);
| INSERT INTO isolde_register (k, v) VALUES (1, NULL);
| INSERT INTO isolde_list (k, v) VALUES (0, '');
|
| -- 1. session A: begins transaction 1
| BEGIN ISOLATION LEVEL read committed;
|
| -- 2. session A: append(l, 1)
| UPDATE isolde_list SET v = v || ',' || 1 WHERE k = 0;
|
| -- 3. session B: begins transaction 1
| BEGIN ISOLATION LEVEL read committed;
|
| -- 4. session B: r(l)
| SELECT v FROM isolde_list WHERE k = 0;
| --    recorded: ',1', expected: ''  <--
|
| -- 5. session B: r(m)
| SELECT v FROM isolde_register WHERE k = 1;
| --    recorded and expected: NULL
|
| -- 6. session B: commits
| COMMIT;
|
| -- 7. session A: append(l, b)
| UPDATE isolde_list SET v = v || ',' || 2 WHERE k = 0;
|
| -- 8. session A: commits (in the history the outcome is unknown)
| COMMIT;
|
| -- Clean-up, in one window
| DROP TABLE isolde_register;
| DROP TABLE isolde_list;
= 0
# Played: SQLite refuses, RocksDB without validation does it again.
$ isolde replay small.jsonl --db sqlite: --attempts 2 --step-wait 5s
| small.jsonl on SQLite 3.40.1 at isolation deferred
|
|   session A  a in the history
|   session B  b in the history
|
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  w(stock.plums, 3)
|     3  A  commit
|     4  A  begin
|     5  A  r(stock.plums)     recorded 3, now 3
|     6  B  begin
|     7  B  r(stock.plums)     recorded 3, now 3
|     8  A  w(stock.plums, 7)
|     9  A  commit
|    10  B  w(stock.plums, 8)  aborted: database is locked (517)
|    11  B  commit             left out, the transaction is over
|
| Not reproduced in 2 attempts: parallel-snapshot-isolation holds in what was recorded.
|   In 2 attempts the database aborted transactions:
|     2 times: database is locked (517)
= 0
$ isolde replay small.jsonl --db rocksdb: --isolation pessimistic --step-wait 5s --out again.jsonl --script script.txt | sed '/^$/,$!d; /^Times are of/,$d'
|
|   session A  a in the history
|   session B  b in the history
|
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  w(stock.plums, 3)
|     3  A  commit
|     4  A  begin
|     5  A  r(stock.plums)     recorded 3, now 3
|     6  B  begin
|     7  B  r(stock.plums)     recorded 3, now 3
|     8  A  w(stock.plums, 7)
|     9  A  commit
|    10  B  w(stock.plums, 8)
|    11  B  commit
|
| Reproduced at attempt 1: snapshot-isolation is violated (lost update), because parallel-snapshot-isolation is violated, by an argument of 2 steps. The proof is verified.
| History: again.jsonl
|
| Lost update (G-single)
|
= 0
$ isolde check again.jsonl --level snapshot-isolation --certificate again.proof > /dev/null
= 1
$ isolde verify again.proof again.jsonl
| proved: snapshot-isolation is violated, by an argument of 2 steps
= 0
$ grep -c session script.txt
| 14
= 0
$ isolde replay small.jsonl --db lmdb: --attempts 2 | grep Not
| Not reproduced in 2 attempts: parallel-snapshot-isolation holds in what was recorded.
= 0
# The verdict on what was played, in the forms that check has.
$ isolde replay small.jsonl --db rocksdb: --isolation pessimistic --step-wait 5s --json > out.json; echo $?; python3 -c 'import json; r=json.load(open("out.json")); print(r["file"], {k: v["verdict"] for k, v in r["levels"].items()}, r["promise"])'
| 1
| small.replayed.jsonl {'parallel-snapshot-isolation': 'violated'} {'level': 'read-committed', 'verdict': None, 'reason': 'the level was not asked for'}
= 0
$ isolde replay small.jsonl --db rocksdb: --isolation pessimistic --step-wait 5s --junit r.xml --sarif r.sarif --html r.html --svg r.svg --edn r.edn --dot r.dot | grep Reproduced; grep -o 'testcase name="[^"]*"' r.xml; grep -o '"uri": *"[^"]*replayed[^"]*"' r.sarif | sort -u; grep -c '<svg' r.svg; grep -c digraph r.dot; grep -o ':valid? [a-z]*' r.edn; grep -c 'small.replayed.jsonl' r.html
| Reproduced at attempt 1: snapshot-isolation is violated (lost update), because parallel-snapshot-isolation is violated, by an argument of 2 steps. The proof is verified.
| testcase name="parallel-snapshot-isolation"
| "uri": "small.replayed.jsonl"
| 1
| 1
| :valid? false
| 1
= 0
$ sed 's/minimised for snapshot-isolation/minimised for serializable/' small.jsonl | isolde replay - --db rocksdb: --isolation pessimistic --step-wait 5s | grep -o 'Reproduced.*because'
| Reproduced at attempt 1: serializable is violated (lost update), because
= 0
$ isolde replay small.jsonl --db rocksdb: --isolation pessimistic --step-wait 5s --github --out told.jsonl | grep -o '^::error file=told.jsonl,line=3,title=Not parallel-snapshot-isolation'
| ::error file=told.jsonl,line=3,title=Not parallel-snapshot-isolation
= 0
$ isolde replay small.jsonl --db sqlite: --attempts 2 --step-wait 5s --junit not.xml --svg not.svg > out; echo $?; grep -E -o '(testsuite name|testcase name|failures)="[^"]*"' not.xml; ls not.svg 2>&1 | sed 's/.*: //'
| 0
| failures="0"
| testsuite name="small.replayed.jsonl"
| failures="0"
| testcase name="parallel-snapshot-isolation"
| No such file or directory
= 0
$ isolde replay small.jsonl --db postgres://nobody@127.0.0.1:1/none --junit down.xml 2> err; echo $?; grep -o 'type="not checked"' down.xml
| 4
| type="not checked"
= 0
$ printf 'a: begin\na: w(x, 1)\na: commit\n' > one.steps; isolde replay one.steps --db sqlite: --out one.jsonl --json | grep -o '"file":"[^"]*"\|"workload":"[^"]*"'; isolde replay one.steps --db sqlite: --junit - | grep -o '[a-z]* at deferred promises.*<'
| "file":"one.jsonl"
| "workload":"steps of one.steps"
| sqlite at deferred promises serializable: kept in this history, which did not put it to the test<
= 0
$ isolde replay small.jsonl --script x.sql --json
! isolde: nothing is played without --db or --server, so there is no verdict to report
= 3
$ isolde replay small.jsonl --db sqlite: --script - --json
! isolde: --script - has standard output for itself; give a file in place of -
= 3
$ isolde replay small.jsonl --db sqlite: --json --junit -
! isolde: --json and --junit - cannot share standard output; give one of them, or files in place of -
= 3
$ isolde replay small.jsonl --db sqlite: --out x.jsonl --junit x.jsonl
! isolde: x.jsonl is written twice; choose another file for one of them
= 3
# What cannot be replayed.
$ isolde replay $DEMO/pg-serializable.jsonl --db sqlite:
! isolde: $DEMO/pg-serializable.jsonl: no level is violated; there is nothing to reproduce
= 3
$ isolde replay $DEMO/pg-repeatable-read-write-skew.jsonl --level si --db sqlite:
! isolde: $DEMO/pg-repeatable-read-write-skew.jsonl: snapshot-isolation holds; there is no violation to reproduce
= 3
$ isolde replay small.jsonl --level ser,si --db sqlite:
! isolde: --level takes one level here, not 'ser,si'
= 3
$ isolde gen --workload mini --txns 300 --seed 1 --out large.jsonl > /dev/null; isolde replay large.jsonl --script -
! isolde: large.jsonl: the history has 308 transactions with 692 operations; at most 200 with 2000 are replayed, so reduce it with isolde minimize first
= 3
$ printf '%s\n' '{"isolde":2,"kind":"history"}' '{"session":"a","ops":[["w","x",{"n":1}]]}' > rows.jsonl; isolde replay rows.jsonl --script -
! isolde: rows.jsonl: the history has rows with columns or conditions beyond ranges, and cannot be replayed, nor played as steps, because steps select by ranges of keys and values
= 3
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","ops":[["select",{"keys":[1,9]},[]],["select",{"keys":[1,9]},[[3,30]]]]}' '{"session":"b","ops":[["w",3,30],["w","x","foo"]]}' > rows.jsonl
= 0
$ isolde replay rows.jsonl --script - --for lmdb
! isolde: rows.jsonl: the history selects rows by conditions, which lmdb cannot do
= 3
$ isolde replay rows.jsonl --level ser --server redis
! isolde: rows.jsonl: the history selects rows by conditions, which redis cannot do
= 3
$ isolde replay rows.jsonl --script - --for steps
! isolde: rows.jsonl: cannot be written as steps: select(keys 1 to 9): a condition on keys needs keys that are numbers, and x is none
= 3
$ printf '%s\n' '{"isolde":2,"kind":"history"}' '{"session":"a","ops":[["delete",1]]}' > gone.jsonl; isolde replay gone.jsonl --script - --for lmdb
! isolde: gone.jsonl: the history deletes rows, which lmdb cannot do
= 3
# A phantom comes again where reads see what nobody has committed, and not elsewhere.
$ isolde replay rows.jsonl --level ser --db sqlite: --isolation read-uncommitted --step-wait 5s --out seen.jsonl | sed '/^$/,$!d; /^Times are of/,$d'
|
|   session A  a in the history
|   session B  b in the history
|
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  select(keys 1 to 9)  recorded [], now []
|     3  B  begin
|     4  B  w(3, 30)
|     5  B  w(x, foo)
|     6  B  commit
|     7  A  select(keys 1 to 9)  recorded [3=30], now [3=30]
|     8  A  commit
|
| Reproduced at attempt 1: serializable is violated (phantom read), by a single read. The proof is verified.
| History: seen.jsonl
|
| Phantom read (PMP)
|
= 0
$ isolde replay rows.jsonl --level ser --db sqlite: --attempts 2 --step-wait 5s | sed '/^$/,$!d'
|
|   session A  a in the history
|   session B  b in the history
|
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  select(keys 1 to 9)  recorded [], now []
|     3  B  begin
|     4  B  w(3, 30)
|     5  B  w(x, foo)
|     6  B  commit
|     7  A  select(keys 1 to 9)  recorded [3=30], now []
|     8  A  commit
|
| Not reproduced in 2 attempts: serializable holds in what was recorded.
|   In 2 attempts no step had to wait, and all reads returned what the level allows.
= 0
$ isolde replay rows.jsonl --script - --for sqlite | sed -n '/^-- key/,/CREATE/p; /select/,/--    /p'
| -- key 0       x
| -- value 1     foo
|
| -- At the beginning, in each window
| PRAGMA busy_timeout=10000;
| PRAGMA synchronous=off;
| PRAGMA journal_mode=wal;
|
| -- Set-up, in one window
| CREATE TABLE isolde_register (k INTEGER NOT NULL PRIMARY KEY, v BIGINT);
| -- 2. session A: select(keys 1 to 9)
| SELECT k, v FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v IS NOT NULL;
| --    recorded: [], expected: [3=30]  <--
| -- 7. session A: select(keys 1 to 9)
| SELECT k, v FROM isolde_register WHERE k BETWEEN 1 AND 9 AND v IS NOT NULL;
| --    recorded and expected: [3=30]
= 0
$ sed 's/,\["w","x","foo"\]//' rows.jsonl > plain.jsonl; isolde replay plain.jsonl --script - --for steps
| # The steps of plain.jsonl, for isolde run --steps
| a: begin
| a: select(keys 1 to 9)  # recorded []
| b: begin
| b: w(3, 30)
| b: commit
| a: select(keys 1 to 9)  # recorded [3=30]
| a: commit
= 0
$ isolde replay small.jsonl
! isolde: say what to do: play it on a database (--db DSN or --server KIND), write the script (--script FILE), or both
= 3
$ isolde replay small.jsonl --db sqlite: --for postgres
! isolde: --db and --for cannot be given together; give one of them (see isolde replay --help)
= 3
$ NAME=sqlite: isolde replay small.jsonl --script - --db-env NAME --for postgres
! isolde: --db-env and --for cannot be given together; give one of them (see isolde replay --help)
= 3
$ isolde replay small.jsonl --script - --db-file name --for postgres
! isolde: --db-file and --for cannot be given together; give one of them (see isolde replay --help)
= 3
$ isolde replay small.jsonl --db sqlite: --isolation strict
! isolde: unknown isolation 'strict' of sqlite; expected one of deferred, serializable, read-uncommitted
= 3
$ isolde replay small.jsonl --script - --for oracle 2>&1 | sed 's/;.*//'
| isolde: unknown database 'oracle'
= 0
$ isolde replay small.jsonl --script - --for postgres --isolation strict
! isolde: unknown isolation 'strict' of postgres; expected one of read-committed, repeatable-read, serializable
= 3
$ isolde replay small.jsonl --script - --for redis --isolation strict
! isolde: unknown isolation 'strict' of redis; expected one of watch, multi
= 3
$ isolde replay small.jsonl --script - --for postgres --param journal=wal
! isolde: postgres has no parameter 'journal'; it has upsert, tables, for_update, index, sslmode, sslrootcert, sslcert, sslkey
= 3
$ isolde replay small.jsonl --db sqlite: --out small.jsonl
! isolde: small.jsonl is what is read, which is never overwritten; choose another file to write
= 3
$ isolde replay small.jsonl --db sqlite: --step-wait soon
! isolde: --step-wait: 'soon' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde replay --help)
= 3
$ isolde replay small.jsonl --db postgres://nobody@127.0.0.1:1/none 2>&1 | sed 's/ failed.*//'
| isolde: postgres://nobody@127.0.0.1:1/none: connection to server at "127.0.0.1", port 1
= 0
$ isolde replay missing.jsonl --script -
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
# Nothing is left behind, in the database and beside it.
$ isolde run --db sqlite:./kept.db --workload mini --sessions 2 --txns 50 --keep-data --out kept.jsonl > /dev/null
= 0
$ isolde replay small.jsonl --db sqlite:./kept.db
! isolde: tables of an earlier run exist (isolde_register); --force-reset drops them
= 3
$ isolde replay small.jsonl --db sqlite:./kept.db --force-reset --attempts 1 | grep Not
| Not reproduced in 1 attempt: parallel-snapshot-isolation holds in what was recorded.
= 0
$ ls
| again.jsonl
| again.proof
| down.xml
| err
| gone.jsonl
| kept.db
| kept.jsonl
| large.jsonl
| list.jsonl
| not.xml
| one.jsonl
| one.steps
| out
| out.json
| plain.jsonl
| r.dot
| r.edn
| r.html
| r.sarif
| r.svg
| r.xml
| rows.jsonl
| script.sql
| script.txt
| seen.jsonl
| small.jsonl
| told.jsonl
= 0
# The commands that docs/explanations.md shows.
$ isolde minimize $DEMO/pg-repeatable-read-write-skew.jsonl --level serializable --out skew.jsonl | grep ' after '
|   after   2 transactions with 4 operations
|   saw the other's change; run one after the other, the second would have seen it.
= 0
$ isolde replay skew.jsonl --script - --for postgres --isolation repeatable-read
| -- Replay of skew.jsonl in PostgreSQL at isolation repeatable-read.
| --
| -- Open 2 windows of psql on one database for tests: sessions A and B. Paste each step into the
| -- window of its session, in this order. If a step waits, leave it and go on in another
| -- window. When the database refuses a step, its transaction is over: type
| -- ROLLBACK there, and leave out the transaction's other steps.
| --
| -- recorded: what the read returned in the history. expected: what it returns when the
| -- transactions run one after the other, in the order in which they end here. Where the
| -- two differ, there is an arrow.
| --
| -- session A   c in the history
| -- session B   b in the history
| -- key 0       bob.checking
| -- key 1       bob.savings
|
| -- Set-up, in one window
| CREATE TABLE isolde_register (k BIGINT NOT NULL PRIMARY KEY, v BIGINT);
| INSERT INTO isolde_register (k, v) VALUES (0, NULL), (1, NULL);
|
| -- 1. session B: begins transaction 1
| BEGIN ISOLATION LEVEL repeatable read;
|
| -- 2. session B: r(bob.savings)
| SELECT v FROM isolde_register WHERE k = 1;
| --    recorded: NULL, expected: 3  <--
|
| -- 3. session A: begins transaction 1
| BEGIN ISOLATION LEVEL repeatable read;
|
| -- 4. session A: r(bob.checking)
| SELECT v FROM isolde_register WHERE k = 0;
| --    recorded and expected: NULL
|
| -- 5. session A: w(bob.savings, 3)
| UPDATE isolde_register SET v = 3 WHERE k = 1;
|
| -- 6. session A: commits
| COMMIT;
|
| -- 7. session B: w(bob.checking, 4)
| UPDATE isolde_register SET v = 4 WHERE k = 0;
|
| -- 8. session B: commits
| COMMIT;
|
| -- Clean-up, in one window
| DROP TABLE isolde_register;
= 0
$ isolde replay skew.jsonl --db sqlite: --attempts 2 --step-wait 5s
| skew.jsonl on SQLite 3.40.1 at isolation deferred
|
|   session A  c in the history
|   session B  b in the history
|
| Attempt 1, in the order of the script:
|     1  B  begin
|     2  B  r(bob.savings)      recorded null, now null
|     3  A  begin
|     4  A  r(bob.checking)     recorded null, now null
|     5  A  w(bob.savings, 3)
|     6  A  commit
|     7  B  w(bob.checking, 4)  aborted: database is locked (517)
|     8  B  commit              left out, the transaction is over
|
| Not reproduced in 2 attempts: serializable holds in what was recorded.
|   In 2 attempts the database aborted transactions:
|     1 time: database is locked (5)
|     1 time: database is locked (517)
= 0
