# Version, progress, colours, and options that never change a verdict.
$ isolde --version
| isolde 0.1.0
| databases: sqlite, rocksdb, lmdb, wiredtiger, berkeleydb, postgres, mariadb, firebird, redis, etcd, exec
| pictures: --svg, --html
= 0
$ isolde manual tcsh
! isolde: unknown form 'tcsh'; the known names are man, bash, zsh and fish
= 3
$ isolde manual | sed -n '/SH NAME/{n;p}'
| isolde \- tells which transaction isolation a database really gave
= 0
$ isolde check --progress --level ser $DATA/serial.jsonl 2>&1 >out.txt | grep -o 'loading.*'
| loading $DATA/serial.jsonl
= 0
$ isolde check --no-progress --threads 2 --seed 5 --timeout 60 --memory 2G --clock-error 10ms --level ser $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: No anomaly that serializable forbids was found in 3 transactions.
|
|   serializable  holds
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 0
$ NO_COLOR=1 isolde check --level ser $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: No anomaly that serializable forbids was found in 3 transactions.
|
|   serializable  holds
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 0
# The gap of 1.5 ms between write and read is no proof when clocks may be off by 2 ms.
$ isolde check --level sser $DATA/stale-read.jsonl >out.txt
= 1
$ isolde check --level sser --clock-error 2ms $DATA/stale-read.jsonl
| $DATA/stale-read.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: No anomaly that strict-serializable forbids was found in 2 transactions.
|
|   strict-serializable  holds           with clocks up to 2ms apart
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 0
# Names that are not known: those that come close, wherever there is a list.
$ isolde gen --workload bank-summ --out x
! isolde: no workload 'bank-summ' (did you mean bank-sum?); use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added
= 3
$ isolde gen --workload bank --sesions=4 --out x
! isolde: unknown option '--sesions' (did you mean --sessions?); see isolde gen --help
= 3
$ isolde gen --workload bank --sessions 4 --distributon zipf --out x
! isolde: unknown option '--distributon' (did you mean --distribution?); see isolde gen --help
= 3
$ isolde gen --workload bank --isolation serialisable --out x
! isolde: no store level 'serialisable' (did you mean serializable?); use strict-serializable, serializable, snapshot-isolation, read-committed
= 3
$ isolde gen --workload bank --fault lost-updat --out x
! isolde: no fault 'lost-updat' (did you mean lost-update?); use none, lost-update, aborted-read, intermediate-read, fractured-read, write-skew, stale-read, long-fork, thin-air-read, future-read, not-my-last-write, not-my-own-write, non-repeatable-read, session-violation, non-monotonic-read, causality-violation, read-skew, dirty-write, circular-flow
= 3
$ isolde gen --workload bank --distribution Zipfan:0.9 --out x; isolde gen --workload bank --distribution zipfian:much --out x
! isolde: no distribution 'Zipfan:0.9' (did you mean zipfian?); use uniform, zipfian[:THETA], hotspot[:ACCESSES,KEYS], exponential[:SPAN]
! isolde: no distribution 'zipfian:much'; use uniform, zipfian[:THETA], hotspot[:ACCESSES,KEYS], exponential[:SPAN]
= 3
$ isolde run --db sqlite: --param jornal=wal --workload bank --no-record; isolde run --db sqlite:?synchronous=ful --workload bank --no-record; isolde run --db etcd://127.0.0.1:1?reads=serialisable --workload mini --no-record
! isolde: sqlite has no parameter 'jornal' (did you mean journal?); it has upsert, tables, index, journal, synchronous
! isolde: parameter synchronous=ful is not one of off, normal, full (did you mean full?)
! isolde: parameter reads=serialisable is not one of linearizable, serializable (did you mean serializable?)
= 3
$ isolde run --server redis --nemesis partion --workload bank --no-record
! isolde: unknown fault 'partion' (did you mean partition?); expected pause, kill, cut, partition, failover or clock, for example pause:every=5s,for=2s;kill
= 3
$ isolde check --format nativ x
! isolde: unknown format 'nativ' (did you mean native or native-binary?); the formats are native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 3
$ cp $DATA/serial.jsonl given.jsonl; isolde check --level given.jsonl; isolde check --level ser
! isolde: argument history is missing; --level has taken 'given.jsonl'; write at least: isolde check history (see isolde check --help)
! isolde: argument history is missing; write at least: isolde check history (see isolde check --help)
= 3
$ isolde convert --to native given.jsonl; isolde convert --to native given.jsonl --out y.jsonl
! isolde: argument out is missing; write at least: isolde convert --to F in out (see isolde convert --help)
! isolde: unknown option '--out'; out is an argument, write isolde convert --to F in out (see isolde convert --help)
= 3
$ isolde run --db postgress: --no-record --workload bank
! isolde: unknown database 'postgress' (did you mean postgres or postgresql?); expected one of sqlite, rocksdb, lmdb, wiredtiger, berkeleydb, postgres, mariadb, firebird, redis, etcd, or exec:COMMAND, a program of yours that drives any other
= 3
$ isolde run --server postgrs --no-record --workload bank
! isolde: unknown kind of server 'postgrs' (did you mean postgres?); expected one of postgres, postgres-replica, mariadb, mariadb-replica, galera, redis, redis-replica, etcd, etcd-cluster
= 3
$ isolde recipes pg-commit-rase
! isolde: no recipe 'pg-commit-rase' (did you mean pg-commit-race?); isolde recipes lists them; a file of your own must end in .toml
= 3
$ isolde help chek; isolde help databases trie; isolde help check x
! isolde: unknown command 'chek' (did you mean check?); the known names are check, watch, publish, compare, verify, explain, minimize, replay, run, gen, convert, stats, levels, workloads, schedules, databases, survey, recipes, server, manual and help
! isolde: unknown command 'trie'; the known names are try
! isolde: check has no commands of its own, so no 'x' among them
= 3
$ for name in snapshot si bank postgres nothing; do isolde $name; done; touch history.jsonl; isolde history.jsonl
! isolde: unknown command 'snapshot' (did you mean isolde levels snapshot-isolation, isolde levels ansi-snapshot-isolation or isolde levels strong-snapshot-isolation?); isolde --help lists the commands
! isolde: unknown command 'si' (did you mean isolde levels snapshot-isolation?); isolde --help lists the commands
! isolde: unknown command 'bank' (did you mean isolde workloads bank?); isolde --help lists the commands
! isolde: unknown command 'postgres' (did you mean isolde server postgres or isolde databases postgres?); isolde --help lists the commands
! isolde: unknown command 'nothing'; the known names are check, watch, publish, compare, verify, explain, minimize, replay, run, gen, convert, stats, levels, workloads, schedules, databases, survey, recipes, server, manual and help
! isolde: unknown command 'history.jsonl' (did you mean isolde check history.jsonl?); isolde --help lists the commands
= 3
$ isolde run --db sqlite: --isolation si --workload mini --out x.jsonl
! isolde: unknown isolation 'si' of sqlite (the level snapshot-isolation is promised, and more, at deferred and serializable); expected one of deferred, serializable, read-uncommitted
= 3
$ isolde run --db sqlite: --isolation readcommitted --workload mini --out x.jsonl
! isolde: unknown isolation 'readcommitted' of sqlite (the level read-committed is promised, and more, at deferred and serializable); expected one of deferred, serializable, read-uncommitted
= 3
$ isolde run --db sqlite: --isolation "Read Committed" --workload mini --out x.jsonl
! isolde: unknown isolation 'Read Committed' of sqlite (the level read-committed is promised, and more, at deferred and serializable); expected one of deferred, serializable, read-uncommitted
= 3
$ isolde gen --isolation "Read Committed" --workload mini --out committed.jsonl && isolde gen --isolation rc --workload mini --out - | cmp - committed.jsonl
= 0
$ isolde chek x
! isolde: unknown command 'chek' (did you mean check?); the known names are check, watch, publish, compare, verify, explain, minimize, replay, run, gen, convert, stats, levels, workloads, schedules, databases, survey, recipes, server, manual and help
= 3
$ isolde check -- --not-an-option
! isolde: --not-an-option: cannot be read: No such file or directory; check the path
= 4
# help prints what --help does.
$ isolde help >a; isolde --help | cmp - a; for command in check 'databases try' databases help; do isolde help $command >a; isolde $command --help | cmp - a; done; head -2 a
| Print what --help prints, of a command or all
| Usage: isolde help [OPTIONS] [command...]
= 0

# An option that would mean nothing with the others is refused, and not ignored.
$ isolde run --db sqlite: --workload mini --no-record --json --level rc
! isolde: --no-record makes no history for --level and --json; leave one or the other out
= 3
$ for o in '--certificate c' '--promise rc' '--html h' '--svg s' --github '--anomalies 2' --verify '--timeout 1s' --record-versions '--out o' --trust-versions; do isolde run --db sqlite: --workload mini --no-record $o; echo $?; done
| 3
| 3
| 3
| 3
| 3
| 3
| 3
| 3
| 3
| 3
| 3
! isolde: --no-record makes no history for --certificate; leave one or the other out
! isolde: --no-record makes no history for --promise; leave one or the other out
! isolde: --no-record makes no history for --html; leave one or the other out
! isolde: --no-record makes no history for --svg; leave one or the other out
! isolde: --no-record makes no history for --github; leave one or the other out
! isolde: --no-record makes no history for --anomalies; leave one or the other out
! isolde: --no-record makes no history for --verify; leave one or the other out
! isolde: --no-record makes no history for --timeout; leave one or the other out
! isolde: --no-record makes no history for --record-versions; leave one or the other out
! isolde: --no-record makes no history for --out; leave one or the other out
! isolde: --no-record makes no history for --trust-versions; leave one or the other out
= 0
$ isolde run --db sqlite: --workload mini --txns 10 --no-record --no-progress >none.txt; ls -d o c h s
! ls: cannot access 'o': No such file or directory
! ls: cannot access 'c': No such file or directory
! ls: cannot access 'h': No such file or directory
! ls: cannot access 's': No such file or directory
= 2
$ for c in 'run --workload mini --out o' 'databases try' survey 'replay x --script -'; do isolde $c --db sqlite: --set a=b; done
! isolde: --set is for the server that --server starts; there is none
! isolde: --set is for the server that --server starts; there is none
! isolde: --set is for the server that --server starts; there is none
! isolde: --set is for the server that --server starts; there is none
= 3
$ isolde server --set a=b
! isolde: --set is for a server; say of which kind
= 3
$ isolde run --db sqlite: --workload mini --out o --step-wait 1s; isolde replay x --for postgres; isolde minimize x --to native; isolde replay x --script - --attempts 3
! isolde: --step-wait is for steps; give --steps FILE
! isolde: --for is for the script; give --script FILE
! isolde: --to is for the file that is written; give --out FILE
! isolde: --attempts is for playing on a database; give --db DSN or --server KIND
= 3
$ isolde run --db sqlite: --steps x --out o --keys 3 --txns 9
! isolde: steps are played as they are; for --txns and --keys there has to be a workload
= 3
$ isolde run --db-file nosuch --workload mini --no-record; isolde run --db-file . --workload mini --no-record
! isolde: --db-file: nosuch cannot be read: No such file or directory; check the path
! isolde: --db-file: . cannot be read: Is a directory; check the path
= 4
