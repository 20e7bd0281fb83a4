# Two histories beside each other.
$ isolde compare $DEMO/pg-repeatable-read-write-skew.jsonl $DEMO/pg-serializable.jsonl
| A  $DEMO/pg-repeatable-read-write-skew.jsonl: PostgreSQL 15.20 REPEATABLE READ
| B  $DEMO/pg-serializable.jsonl: PostgreSQL 15.20 SERIALIZABLE
|
|                                               A                B
|   transactions                                48               150
|   committed                                   38               89
|   committed in a second                       161.0            137.6
|   aborted                                     20.8 %           40.7 %
|   outcome unknown                             0.0 %            0.0 %
|
|   A: Write skew occurs. Dirty reads, lost updates, fractured reads and stale reads: not seen
|     in 38 transactions.
|   B: No anomaly was found in 89 transactions.
|
|   strict-serializable                         violated         holds
|   per-key-strict-serializable                 violated         holds
|   strong-session-serializable                 violated         holds
|   serializable                                violated         holds
|   repeatable-read                             violated         holds
|   the same at 33 levels
|
| Occurs in A only: write skew
| Occurs in B only: none
| Occurs in both:   none
= 0
$ isolde compare $DATA/lost-update.jsonl $DATA/lost-update.jsonl
| A  $DATA/lost-update.jsonl
| B  $DATA/lost-update.jsonl
|
|                                               A                B
|   transactions                                3                3
|   committed                                   3                3
|   committed in a second                       -                -
|   aborted                                     0.0 %            0.0 %
|   outcome unknown                             0.0 %            0.0 %
|
|   A: Lost updates occur. Dirty reads and fractured reads: not seen in 3 transactions.
|   B: Lost updates occur. Dirty reads and fractured reads: not seen in 3 transactions.
|
| The same verdict at 38 levels.
|
| Occurs in A only: none
| Occurs in B only: none
| Occurs in both:   lost updates
= 0
# What is not decided is told, and so is what cannot be read.
$ printf '{"isolde":1,"kind":"history"}\n' > nothing.jsonl; isolde compare $DATA/lost-update.jsonl nothing.jsonl | tail -8
|   read-committed                              holds            unknown
|   strong-session-read-uncommitted             holds            unknown
|   read-uncommitted                            holds            unknown
|   the same at 14 levels
|
| Occurs in A only: lost updates
| Occurs in B only: none
| Occurs in both:   none
= 0
$ isolde compare $DATA/lost-update.jsonl nothing.jsonl > /dev/null
= 2
$ isolde compare $DATA/lost-update.jsonl missing.jsonl
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
$ isolde compare $DATA/lost-update.jsonl
! isolde: b is required (see isolde --help)
= 3
