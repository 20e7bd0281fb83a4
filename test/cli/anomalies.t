# Several anomalies of one history, by type and keys.
$ isolde check --level si --anomalies 20 $DEMO/mariadb-repeatable-read-lost-update.jsonl | sed -n '/^Anomalies/,$p'
| Anomalies at snapshot-isolation: 5 found
|   2 x lost update (G-single), key stock.plums; the first: a:2, a:4, b:5
|   3 x lost update (G-single), key stock.limes; the first: b:0, c:0
|   Not searched: anomalies that share a read with one of these
= 0
$ isolde check --level si --anomalies 2 $DEMO/mariadb-repeatable-read-lost-update.jsonl | sed -n '/^Anomalies/,$p'
| Anomalies at snapshot-isolation: 2 found
|   2 x lost update (G-single), key stock.plums; the first: a:2, a:4, b:5
|   Not searched: more anomalies at snapshot-isolation: the limit of 2 was reached
|   Not searched: anomalies that share a read with one of these
= 0
$ isolde check --anomalies 20 $DEMO/pg-repeatable-read-write-skew.jsonl | sed -n '/^Anomalies/,$p'
| Anomalies at serializable: 4 found
|   2 x write skew (G2-item), keys bob.checking, bob.savings; the first: c:2, b:0
|   2 x write skew (G2-item), keys alice.checking, alice.savings; the first: b:3, a:5, d:5, b:5
|   Not searched: anomalies that share a read with one of these
|   Not searched: other levels
= 0
# In the report for machines.
$ isolde check --level si --anomalies 2 --json $DEMO/mariadb-repeatable-read-lost-update.jsonl | grep -o '"anomalies":{"level.*"seconds"'
| "anomalies":{"level":"snapshot-isolation","count":2,"groups":[{"type":"G-single","name":"lost update","keys":["stock.plums"],"count":2,"transactions":["a:2","a:4","b:5"]}],"not_searched":["more anomalies at snapshot-isolation: the limit of 2 was reached","anomalies that share a read with one of these"]},"seconds"
= 0
$ isolde check --level si --anomalies 2 --json $DEMO/mariadb-repeatable-read-lost-update.jsonl | python3 $ROOT/tools/check_report.py
| 1 valid
= 0
# Nothing to list.
$ isolde check --level ser --anomalies 5 $DATA/serial.jsonl
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
$ isolde check --level ser --anomalies 0 $DATA/serial.jsonl
! isolde: --anomalies: '0' is not a whole number from 1 to 1000000 (see isolde check --help)
= 3
