# The commands of docs/recording.md on the history that it shows.
$ sed -n '/^{"isolde":1,"kind":"history","ends":true}$/,/^{"event"/p' $ROOT/docs/recording.md > seeded.jsonl; sed 2d seeded.jsonl > unseeded.jsonl
= 0
$ isolde check --level strict-serializable seeded.jsonl
| seeded.jsonl: native, 3 sessions, 3 transactions, 6 operations, 2 keys
|
|   In short: No anomaly that strict-serializable forbids was found in 3 transactions.
|
|   strict-serializable  holds
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   3 reads saw another session's write
|   1 version was replaced
= 0
$ isolde check --level strict-serializable unseeded.jsonl
| unseeded.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Reads of what nobody wrote (thin-air reads) occur.
|   That means: the recording lacks rows or clients that were there, or, if it is complete,
|     the database made the value up.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   strict-serializable  violated        thin-air read (garbage-read)
|
| Why not strict-serializable:
|
|   Thin-air read (garbage-read)
|
|   Let:
|     T1 = a:0, line 2, from 0 ns to 3.000 us
|          r(alice)=100 w(alice)=70
|     Times are since the first start of the history.
|   Then: T1 read alice = 100, which no transaction wrote.
|   Notation: a:0, session a's first transaction.
|
|   Thin-air read: a transaction read a value that no transaction of the history ever wrote.
|   Where to look: usually the data existed before the recording began, an unrecorded client wrote
|     it, its writer took it back to a savepoint, which no history tells, or the value was changed
|     in transit; otherwise it is corrupted.
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 1
