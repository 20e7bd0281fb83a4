# Runs on an embedded database, and what cannot be run.
$ isolde run --db sqlite: --workload mini --keys 10 --sessions 2 --txns 50 --out a.jsonl | grep -E "holds$|promises" | sed 's/, which did not put it to the test//'
|   sqlite at deferred promises serializable: kept in this history.
|   serializable                                holds, promised  holds            holds
|   per-key-strict-serializable                 holds
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            holds
|   parallel-snapshot-isolation                 holds            holds            holds
|   prefix-consistency                          holds            holds            holds
|   sequential                                                   holds
|   linearizable                                                                  holds
|   transactional-causal                                         holds            holds
|   causal                                                       holds
|   read-atomic                                 holds            holds            holds
|   monotonic-atomic-view                       holds            holds            holds
|   read-committed                              holds            holds            holds
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            holds
= 0
$ isolde check --level sser a.jsonl | grep holds
|   strict-serializable  holds
= 0
$ isolde run --db sqlite: --workload mini --sessions 2 --txns 50 --out a.jsonl
! isolde: a.jsonl exists; choose another file, or replace it with --force
= 3
$ isolde run --db sqlite: --workload mini --txns 50 --no-record | grep -c committed
| 1
= 0
$ isolde run --workload mini --out b.jsonl
! isolde: say which database: --db DSN (isolde databases) or --server KIND (isolde server)
= 3
$ isolde run --db sqlite: --server postgres --workload mini --out b.jsonl
! isolde: --db and --server cannot be given together; give one of them (see isolde run --help)
= 3
$ isolde run --db sqlite: --workload mini
! isolde: say where the history goes: --out HISTORY, or --no-record
= 3
$ isolde run --db oracle://localhost --workload mini --out b.jsonl 2>&1 | sed 's/;.*//'
| isolde: unknown database 'oracle'
= 0
$ isolde run --db localhost --workload mini --out b.jsonl
! isolde: the data source name has no scheme; expected SCHEME://HOST:PORT/..., SCHEME:PATH or exec:COMMAND, see isolde databases
= 3
$ for dsn in 'host=h user=u password=s3cr3t dbname=x' 'postgres:host=h user=u password=s3cr3t' 'postgres://host=h user=u'; do isolde run --db "$dsn" --workload mini --no-record; done; isolde databases 'host=h dbname=x'
! isolde: NAME=VALUE pairs are no data source name; write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, for example postgres://me@localhost:5432/mine
! isolde: NAME=VALUE pairs stand behind postgres: where a server belongs; write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, for example postgres://me@localhost:5432/mine
! isolde: NAME=VALUE pairs stand behind postgres: where a server belongs; write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, for example postgres://me@localhost:5432/mine
! isolde: NAME=VALUE pairs are no data source name; write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=VALUE, for example postgres://me@localhost:5432/mine
= 3
$ isolde run --db redis --workload mini --no-record
! isolde: redis is the name of a database; its data source name is redis://USER:PASSWORD@HOST:PORT/NUMBER, rediss:// with TLS, or redis://%2Fpath%2Fof.sock/NUMBER
= 3
$ isolde run --db sqlite: --workload nothing --out b.jsonl
! isolde: no workload 'nothing'; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added
= 3
$ isolde run --db sqlite: --workload tpcc --keys 5 --out b.jsonl
! isolde: workload tpcc takes no --keys; see isolde workloads tpcc
= 3
$ isolde run --db sqlite: --isolation strict --workload mini --out b.jsonl
! isolde: unknown isolation 'strict' of sqlite; expected one of deferred, serializable, read-uncommitted
= 3
$ isolde run --db sqlite:?nothing=1 --workload mini --out b.jsonl
! isolde: sqlite has no parameter 'nothing'; it has upsert, tables, index, journal, synchronous
= 3
$ isolde run --db redis://127.0.0.1:1 --workload mini --out b.jsonl
! isolde: no Redis at 127.0.0.1:1: Connection refused
= 4
$ isolde run --db postgres://nobody@127.0.0.1:1/none --workload mini --out b.jsonl
! isolde: postgres://nobody@127.0.0.1:1/none: connection to server at "127.0.0.1", port 1 failed: Connection refused. Is the server running on that host and accepting TCP/IP connections?
= 4
$ isolde run --db etcd://127.0.0.1:1 --workload mini --out b.jsonl 2>&1 | sed 's/ after.*//'
| isolde: http://127.0.0.1:1: etcd: Failed to connect to 127.0.0.1 port 1
= 0
$ isolde run --db sqlite: --workload mini --nemesis kill --out b.jsonl
! isolde: faults other than cut hit only servers that --server has started
= 3
$ isolde run --db sqlite: --workload mini --nemesis earthquake --out b.jsonl
! isolde: unknown fault 'earthquake'; expected pause, kill, cut, partition, failover or clock, for example pause:every=5s,for=2s;kill
= 3
$ isolde run --db sqlite: --workload mini --nemesis cut --out b.jsonl
! isolde: connections to sqlite cannot be cut
= 3
$ isolde run --server oracle --workload mini --out b.jsonl
! isolde: unknown kind of server 'oracle'; expected one of postgres, postgres-replica, mariadb, mariadb-replica, galera, redis, redis-replica, etcd, etcd-cluster
= 3
$ isolde run --db sqlite:./kept.db --workload mini --sessions 2 --txns 50 --keep-data --out b.jsonl > /dev/null
= 0
$ isolde run --db sqlite:./kept.db --workload mini --sessions 2 --txns 50 --out c.jsonl
! isolde: tables of an earlier run exist (isolde_register); --force-reset drops them
= 3
$ isolde run --db sqlite:./kept.db --workload mini --sessions 2 --txns 50 --force-reset --out c.jsonl > /dev/null
= 0
$ isolde databases SQLite | sed -n 3p
|   embedded, SQL, transactions, lists, compare-and-set, increments, conditions on rows, rows with columns, aggregates, savepoints
= 0
# Names of what speaks the protocol of one of them, and whose promises those are.
$ for name in mysql valkey sqlite; do isolde databases $name | grep '^  or '; done
|   or mysql://: what speaks its protocol is taken to promise the same, unless --promise says otherwise
|   or rediss://, valkey://, valkeys://: what speaks its protocol is taken to promise the same, unless --promise says otherwise
= 1
$ isolde databases mariadb | sed -n '3p; /^With/,$p'
|   server, SQL, transactions, lists, compare-and-set, increments, conditions on rows, rows with columns, aggregates, savepoints, skips locked rows, several endpoints, connections can be cut
| With --param engine=rocksdb
|   server, SQL, transactions, lists, compare-and-set, increments, conditions on rows, rows with columns, aggregates, several endpoints, connections can be cut
|
|   --isolation, the first unless told otherwise:
|     repeatable-read             promises snapshot-isolation
|       REPEATABLE READ: reads from a snapshot, conflicting writes are refused
|     read-committed              promises read-committed
|       READ COMMITTED: each statement sees what was committed before it
= 0
$ isolde run --db mariadb://nobody@127.0.0.1:1/none?engine=rocksdb --isolation serializable --workload mini --out no.jsonl
! isolde: unknown isolation 'serializable' of mariadb with engine=rocksdb (the level serializable is promised nowhere); expected one of repeatable-read, read-committed
= 3
$ isolde run --db mariadb://nobody@127.0.0.1:1/none?engine=rocksdb --workload inventory --out no.jsonl
! isolde: workload inventory needs savepoints, which mariadb with engine=rocksdb does not have
= 3
$ isolde run --db mariadb://nobody@127.0.0.1:1/none --workload inventory --out no.jsonl 2>&1 | grep -o 'connect to server'
| connect to server
= 0
$ isolde run --db lmdb: --workload list-append --savepoints 0.2 --out no.jsonl
! isolde: --savepoints needs savepoints, which lmdb does not have
= 3
$ isolde run --db sqlite: --workload list-append --param upsert=1 --savepoints 0.5 --rollbacks 0.2 --keys 10 --sessions 1 --txns 200 --level serializable --certificate back.proof --out back.jsonl | grep -oE "[0-9]+ rolled back by the workload|  serializable  holds, promised"
| 56 rolled back by the workload
|   serializable  holds, promised
= 0
$ isolde verify back.proof back.jsonl | head -1
| proved: serializable holds, by an order of 200 transactions
= 0
$ isolde databases lmdb
| lmdb
|   LMDB, embedded
|   embedded, transactions, lists, compare-and-set
|
|   --db lmdb:PATH?sync=yes|no&map_mib=SIZE (no path: a temporary folder)
|
|   --isolation, the first unless told otherwise:
|     serializable                promises strict-serializable
|       every transaction is a write transaction: one after the other
|     snapshot-upgrade            promises strict-serializable
|       reads a snapshot; the first write aborts when anything was committed since, else it becomes a write transaction
|     read-then-write             promises read-committed
|       reads a snapshot, then writes in a write transaction without looking again; loses updates
= 0
$ isolde databases oracle 2>&1 | sed 's/;.*//'
| isolde: unknown database 'oracle'
= 0
# The commands of README.md and docs/running.md.
$ isolde run --db rocksdb: --isolation pessimistic --workload lost-update --keys 4 --sessions 8 --txns 2000 --out run.jsonl | grep -E "^RocksDB .*pessimistic|read-committed  "
| RocksDB 7.8.3 at isolation pessimistic, workload lost-update, seed 0
|   read-committed                              holds, promised  holds            holds
= 0
$ isolde run --db sqlite: --workload mini --txns 2000 --level serializable --certificate proof.jsonl --out sqlite.jsonl | grep -E "^ *serializable|promises" | sed 's/, which did not put it to the test//'
|   sqlite at deferred promises serializable: kept in this history.
|   serializable  holds, promised
|   serializable: proof.jsonl
= 0
$ isolde verify proof.jsonl sqlite.jsonl | sed 's/by an order.*//'
| proved: serializable holds,
= 0
$ isolde databases | grep -v :
| sqlite      SQLite, embedded
| rocksdb     RocksDB, embedded, through its transactions
| lmdb        LMDB, embedded
| wiredtiger  WiredTiger, embedded
| berkeleydb  Berkeley DB, embedded
| postgres    PostgreSQL through libpq
| mariadb     MariaDB, single, with replicas or a Galera cluster, through MariaDB Connector/C
| firebird    Firebird, embedded or a server, through libfbclient
| redis       Redis through hiredis
| etcd        etcd through its JSON gateway, with the transactions of its client library
| exec        Any database, through a program of yours
= 0
# JUnit has what was run among the properties of the suite, and the report is not there.
$ isolde run --db sqlite: --workload mini --sessions 2 --txns 50 --level serializable --junit - --out junit.jsonl | grep -E 'testcase|"(database|isolation|workload|seed|committed)"'
|       <property name="database" value="sqlite:" />
|       <property name="isolation" value="deferred" />
|       <property name="workload" value="mini" />
|       <property name="seed" value="0" />
|       <property name="committed" value="50" />
|     <testcase name="serializable" classname="isolde.junit_jsonl">
|     </testcase>
|     <testcase name="run to its end" classname="isolde.junit_jsonl" />
= 0
# Without a history the document says what went wrong.
$ isolde run --db redis://127.0.0.1:1 --workload mini --junit - --out none.jsonl
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="0" errors="1" time="TIME">
|   <testsuite name="none.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
|     <testcase name="can be checked" classname="isolde.none_jsonl">
|       <error message="no Redis at 127.0.0.1:1: Connection refused" type="not checked" />
|     </testcase>
|   </testsuite>
| </testsuites>
! isolde: no Redis at 127.0.0.1:1: Connection refused
= 4

# A run of nothing shows nothing.
$ isolde run --db rocksdb: --workload mini --txns 0 --out nothing.jsonl --no-progress | grep -A20 -e 'In short' -e Unknown -e promises | grep -v -e Time -e '  unknown' | sed 's/, which did not put it to the test//'
|   In short: Nothing was decided: no transaction took effect.
|   rocksdb at pessimistic promises read-committed: not decided.
|
|                                               plain              session order      real time
|
|   Not applicable: the history has no start and end times.
| --
|   Unknown, because no transaction took effect.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Evidence:
|   0 transactions took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|
| Strongest that holds: none
| Weakest violated:     none
|
= 0
$ isolde run --db rocksdb: --workload mini --txns 200 --out other.jsonl --no-progress --level read-uncommitted | grep promises | sed 's/, which did not put it to the test//'
|   rocksdb at pessimistic promises read-committed, which was not checked, because only other levels were asked for.
= 0

# Names as people type them, and what the makers of a database promise, or the user says.
$ isolde run --db sqlite: --isolation Serializable --workload lost-update --keys 2 --sessions 2 --txns 20 --promise SNAPSHOT_ISOLATION --out p1.jsonl | grep promise | sed 's/, which did not put it to the test//'
|   sqlite at serializable is held by --promise to snapshot-isolation: kept in this history.
|   snapshot-isolation                          holds, promised  holds            holds
= 0
$ head -1 p1.jsonl | grep -o '"promise.*"user"'; isolde check p1.jsonl | grep promise | sed 's/, which did not put it to the test//'
| "promise":"snapshot-isolation","promised_by":"user"
|   sqlite at serializable is held by --promise to snapshot-isolation: kept in this history.
|   snapshot-isolation                          holds, promised  holds            holds
= 0
$ isolde run --db sqlite: --workload lost-update --keys 2 --sessions 2 --txns 20 --promise none --out p2.jsonl | grep promises
|   sqlite at deferred promises none of these levels: by --promise none.
= 0
$ isolde run --db sqlite: --workload rmw --txns 20 --promise none --level promised --out p3.jsonl
! isolde: --level promised: nothing is promised here: by --promise none
= 3
$ isolde run --db sqlite: --workload rmw --txns 20 --promise best --out p3.jsonl
! isolde: unknown level 'best'; isolde levels lists them all
= 3
$ isolde run --db sqlite: --isolation serialisable --workload rmw --txns 20 --out p3.jsonl
! isolde: unknown isolation 'serialisable' of sqlite (did you mean serializable?); expected one of deferred, serializable, read-uncommitted
= 3

# A data source name that nobody sees.
$ MY_DSN=sqlite: isolde run --db-env MY_DSN --workload lost-update --keys 2 --txns 20 --out e1.jsonl | grep -c promises; printf 'sqlite:\r\n' > dsn.txt; isolde run --db-file dsn.txt --workload lost-update --keys 2 --txns 20 --out e2.jsonl | grep -c promises
| 1
| 1
= 0
$ isolde run --db-env NOT_SET --workload rmw --out e3.jsonl; isolde run --db-file dsn.none --workload rmw --out e3.jsonl; : > dsn.empty; isolde run --db-file dsn.empty --workload rmw --out e3.jsonl; isolde run --db-file dsn.txt --db sqlite: --workload rmw --out e3.jsonl
! isolde: --db-env: the environment variable NOT_SET is not set
! isolde: --db-file: dsn.none cannot be read: No such file or directory; check the path
! isolde: --db-file: dsn.empty has no first line
! isolde: --db and --db-file cannot be given together; give one of them (see isolde run --help)
= 3
# Schemes are the same in either case.
$ isolde databases try SQLite: | head -1 | grep -o "at isolation.*:"; isolde databases try EXEC:false --param a=1
| at isolation deferred:
! isolde: --param is for data source names; exec: takes a command
= 3
# Of a fault that is wrong, what was given is quoted.
$ isolde run --server redis --workload mini --out e4.jsonl --nemesis pause:every=5q
! isolde: fault 'pause:every=5q': every: '5q' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h
= 3
# So it is where each operation is tried.
$ MY_DSN=sqlite: isolde databases try --db-env MY_DSN --param journal=wal | tail -1; printf 'sqlite:\r\n' > dsn.txt; isolde databases try --db-file dsn.txt --isolation serializable | sed -n 1p | grep -o "at isolation.*:"; isolde databases try --db sqlite: | tail -1
| Nothing is wrong. What isolation it gives, isolde run tells.
| at isolation serializable:
| Nothing is wrong. What isolation it gives, isolde run tells.
= 0
$ isolde databases try; isolde databases try sqlite: --db-env MY_DSN; isolde databases try --db-file dsn.txt --server redis; isolde databases try --db-env NOT_SET
! isolde: say which database: --db DSN (isolde databases) or --server KIND (isolde server)
! isolde: dsn and --db-env cannot be given together; give one of them (see isolde databases try --help)
! isolde: --db-file and --server cannot be given together; give one of them (see isolde databases try --help)
! isolde: --db-env: the environment variable NOT_SET is not set
= 3

# Groups, for isolde watch; what they cannot tell is refused.
$ isolde run --db sqlite: --workload rw-register --keys 10 --sessions 2 --txns 50 --to native-binary --out g.isob | grep promises | sed 's/, which did not put it to the test//'; isolde watch --follow --timeout 100 g.isob | sed -n 3p; ls g.isob*
|   sqlite at deferred promises serializable: kept in this history.
|   strict-serializable  holds
| g.isob
= 0
$ isolde run --db sqlite: --workload mini --to json --out g2.isob; isolde run --db sqlite: --workload mini --to native-binary --no-record; isolde run --db sqlite: --workload bank-sum --to native-binary --out g2.isob; isolde run --db sqlite: --workload booking --to native-binary --out g2.isob
! isolde: cannot record format 'json'; histories are recorded as native or native-binary
! isolde: --to is for the file that is written; give --out FILE
! isolde: workload bank-sum has rows with columns, which are not recorded as native-binary; leave out --to, and convert the history
! isolde: workload booking has rows with columns, which are not recorded as native-binary; leave out --to, and convert the history
= 3
$ touch g3.isob.jsonl; isolde run --db sqlite: --workload mini --txns 20 --to native-binary --out g3.isob; isolde run --db sqlite: --workload mini --txns 20 --to native-binary --out g3.isob --force | grep -c promises; ls g3*
| 1
| g3.isob
! isolde: g3.isob.jsonl exists; choose another file, or replace it with --force
= 0

# What speaks a database's protocol.
$ for dsn in postgresql://bob:s3cr3t@127.0.0.1:1/x mysql://bob:s3cr3t@127.0.0.1:1/x valkey://:s3cr3t@127.0.0.1:1; do isolde run --db $dsn --workload rmw --txns 3 --out w.jsonl 2>&1 | grep -c s3cr3t; done; isolde run --db postgres://bob:s3cr3t/x@h --workload rmw --out w.jsonl
| 0
| 0
| 0
! isolde: DSN: the port is not a number from 1 to 65535; in a user or password write / @ : ? as %2F %40 %3A %3F
= 3

# A client library of Firebird without an engine, as where Debian's package of it is not installed.
$ mkdir no-engine; printf 'Providers = Remote\nRemoteServicePort = 1\n' > no-engine/firebird.conf; FIREBIRD=$PWD/no-engine isolde run --db firebird:new.fdb --workload mini --no-record 2>&1 | sed 's/fdb: .*; no embedded/fdb: ...; no embedded/'
| isolde: firebird:new.fdb: ...; no embedded engine was found (Debian: firebird3.0-server-core)
= 0
# Checked while it goes on; docs/watching.md has more.
$ isolde run --db sqlite: --workload rw-register --txns 200 --sessions 2 --seed 3 --watch --out watched.isob | grep strict; ls watched.isob*
|   strict-serializable  holds
| watched.isob
= 0
$ for l in promised si,ser read-uncommitted repeatable-read; do isolde run --db sqlite: --workload rw-register --txns 200 --sessions 2 --seed 3 --watch --level $l --force --out watched.isob | grep holds; done
|   serializable  holds
|   strict-serializable holds, which implies it: an order of the 200 transactions that took
|   read-uncommitted  holds
|   strong-prefix-consistency holds, which implies it: an order of the 200 transactions that
|   repeatable-read  holds
|   strict-serializable holds, which implies it: an order of the 200 transactions that took
! isolde: --watch checks one level; leave out --watch, or the other levels
= 0
# That is told before anybody connects.
$ isolde run --db sqlite:/nowhere/at/all --workload rw-register --watch --level si,ser --out never.isob
! isolde: --watch checks one level; leave out --watch, or the other levels
= 3
$ isolde run --db sqlite: --workload list-append --txns 200 --sessions 2 --seed 3 --watch --out lists.isob | grep strict; for w in task-queue lwt counter phantom; do isolde run --db sqlite: --workload $w --watch --out w.isob; done; ls | grep w.isob
|   strict-serializable  holds
! isolde: workload task-queue has rows with columns, which are not checked in rounds; leave out --watch
! isolde: workload lwt has refused inserts, which are not checked in rounds; leave out --watch
! isolde: workload counter has increments, which are not checked in rounds; leave out --watch
! isolde: workload phantom has selections, which are not checked in rounds; leave out --watch
= 1
$ isolde run --db sqlite: --workload rw-register --watch --to native --out w.isob; isolde run --db sqlite: --workload rw-register --watch --level serializable --json --out w.isob; isolde run --db sqlite: --workload rw-register --watch --no-record
! isolde: --watch reads groups, which are native-binary; leave out --to
! isolde: --watch checks a level as the history comes, without --json; leave one or the other out
! isolde: --no-record makes no history for --watch; leave one or the other out
= 3
$ isolde run --db sqlite: --workload rw-register --exit-on-violation --out w.isob; isolde run --db sqlite: --workload rw-register --bundle b --out w.isob; isolde run --db sqlite: --workload rw-register --watch --certificate c --out w.isob; isolde run --db sqlite: --workload rw-register --watch --bundle w.isob --out w.isob
! isolde: --exit-on-violation is about --watch; give that, too
! isolde: --bundle is about --watch; give that, too
! isolde: --certificate is about the bundle; give --bundle too
! isolde: w.isob is written twice; choose another file for one of them
= 3

$ isolde run --db sqlite: --workload rw-register --txns 2000 --sessions 4 --watch --exit-on-violation --bundle bundle.jsonl --out run.isob | grep strict-serializable
|   strict-serializable  holds
= 0
