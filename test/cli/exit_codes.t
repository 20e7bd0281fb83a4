# 0: the level holds.
$ isolde check --level ser $DATA/serial.jsonl >out.txt
= 0
# 1: a requested level is violated.
$ isolde check --level ser,si $DATA/write-skew.jsonl >out.txt
= 1
# 2: the input does not carry what the level needs.
$ isolde check --level strict-serializable $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: None of the levels applies to this history.
|
|   strict-serializable  not-applicable  the history has no start and end times
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 2
# 3: usage errors and bad input.
$ isolde
! isolde: a command is missing; write isolde COMMAND (see isolde --help)
= 3
$ isolde nothing
! isolde: unknown command 'nothing'; the known names are check, watch, publish, compare, verify, explain, minimize, replay, run, gen, convert, stats, levels, workloads, schedules, databases, survey, recipes, server, manual and help
= 3
$ isolde check
! isolde: argument history is missing; write at least: isolde check history (see isolde check --help)
= 3
$ isolde check --level nothing $DATA/serial.jsonl
! isolde: unknown level 'nothing'; isolde levels lists them all
= 3
$ isolde check --clock-error soon $DATA/serial.jsonl
! isolde: --clock-error: 'soon' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde check --help)
= 3
$ for time in '' 0 soon; do isolde run --db sqlite: --workload mini --txns 10 --duration "$time" --out x.jsonl; echo $?; done; ls
| 3
| 3
| 3
| out.txt
! isolde: --duration: '' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde run --help)
! isolde: --duration: 0 is not between 1us and 1000000000s (see isolde run --help)
! isolde: --duration: 'soon' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde run --help)
= 0
$ isolde check --memory much $DATA/serial.jsonl
! isolde: --memory: 'much' is not a size; write for example 512M or 2G (see isolde check --help)
= 3
$ isolde check --timeout -1 $DATA/serial.jsonl
! isolde: --timeout: '-1' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde check --help)
= 3
$ isolde check --min-committed -1 $DATA/serial.jsonl
! isolde: --min-committed: '-1' is not a whole number from 0 to 2^64 - 1 (see isolde check --help)
= 3
$ isolde check --min-committed 99999999999999999999 $DATA/serial.jsonl
! isolde: --min-committed: '99999999999999999999' is not a whole number from 0 to 2^64 - 1 (see isolde check --help)
= 3
$ isolde check --threads 0 $DATA/serial.jsonl
! isolde: --threads: '0' is not a whole number from 1 to 1024 (see isolde check --help)
= 3
$ isolde check --format nothing $DATA/serial.jsonl
! isolde: unknown format 'nothing'; the formats are native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 3
$ isolde check --format plume $DATA/serial.jsonl
! isolde: $DATA/serial.jsonl:1: found '{"isolde":1,"kind":"hist...'; expected r(key,value,session,txn) or w(key,value,session,txn)
= 3
$ isolde check $DATA/bad-json.jsonl
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 3
$ isolde check $DATA/not-a-history.txt
! isolde: $DATA/not-a-history.txt: no format recognises this input; name one of them with --format: native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 3
$ isolde check --watch $DATA/serial.jsonl
! isolde: unknown option '--watch' (see isolde check --help)
= 3
# 4: environment errors.
$ isolde check missing.jsonl
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
$ isolde check --level ser --certificate nowhere/proof.jsonl $DATA/serial.jsonl >/dev/null
! isolde: nowhere/proof.jsonl: cannot write: No such file or directory
= 4
$ isolde check --dot nowhere/x.dot $DATA/write-skew.jsonl >/dev/null
! isolde: nowhere/x.dot: cannot write: No such file or directory
= 4
$ isolde levels >/dev/full
! isolde: cannot write to standard output
= 4
# Several histories: the worst, in the order 4, 3, 1, 2, 0.
$ isolde check --level ser $DATA/serial.jsonl $DATA/write-skew.jsonl >out.txt
= 1
$ isolde check --level ser $DATA/write-skew.jsonl $DATA/bad-json.jsonl >out.txt
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 3
$ isolde check --level ser $DATA/bad-json.jsonl missing.jsonl >out.txt
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
$ isolde check --level sser,ser $DATA/write-skew.jsonl $DATA/serial.jsonl >out.txt
= 1
# What is no history, and no command.
$ isolde check --level ser --certificate proof.jsonl $DATA/serial.jsonl > /dev/null; isolde check proof.jsonl
! isolde: proof.jsonl: is a certificate, not a history; isolde verify, isolde explain and isolde minimize --from take it, together with its history
= 3
$ isolde demo
! isolde: unknown command 'demo'; the demonstration is ./dev demo in a tree of the sources, and isolde --help lists the commands
= 3

$ for database in sqlite rocksdb; do TMPDIR=$PWD/absent isolde run --db $database: --workload mini --txns 10 --no-record; echo $?; done
| 4
| 4
! isolde: sqlite: the folder for temporary files (TMPDIR): No such file or directory
! isolde: the folder for temporary files (TMPDIR): No such file or directory
= 0

# An empty value is that of a variable that is not set: it counts as none, and says so.
$ isolde check --promise "" history.jsonl
! isolde: --promise has an empty value; give one, or leave the option out
= 3
$ isolde run --db sqlite: --isolation ""
! isolde: --isolation has an empty value; give one, or leave the option out
= 3

# No password is repeated, wherever it stands.
$ isolde run --db-env 'postgres://u:s3cr3t@h/x'
! isolde: --db-env: the environment variable postgres://u:***@h/x is not set
= 3
$ isolde run --db-file 'postgres://u:s3cr3t@h/x'
! isolde: --db-file: postgres://u:***@h/x cannot be read: No such file or directory; check the path
= 4
$ isolde run 'postgres://u:s3cr3t@h/x'
! isolde: unexpected 'postgres://u:***@h/x'; isolde run takes options only (see isolde run --help)
= 3
$ isolde run --db-file 'postgres://u:s3;c@r,3t@h/x'
! isolde: --db-file: postgres://u:***@h/x cannot be read: No such file or directory; check the path
= 4
$ isolde run --db-file 'postgres:x?user=u&password=s3,cr3t'
! isolde: --db-file: postgres:x?user=u&password=*** cannot be read: No such file or directory; check the path
= 4
$ isolde run --db-file "host=h password = 's3 \\' cr3t' dbname=x"
! isolde: --db-file: host=h password = *** dbname=x cannot be read: No such file or directory; check the path
= 4
$ isolde run --db-file 'host=h password=s3cr3t'
! isolde: --db-file: host=h password=*** cannot be read: No such file or directory; check the path
= 4
$ isolde check 'postgres://u:s3cr3t@h/x'
! isolde: postgres://u:***@h/x: cannot be read: No such file or directory; check the path
= 4
