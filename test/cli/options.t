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
