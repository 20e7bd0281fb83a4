# Violations that one or two reads show by themselves.
$ isolde check --level rc $DATA/aborted-read.jsonl
| $DATA/aborted-read.jsonl: native, 2 sessions, 2 transactions (1 aborted), 2 operations, 1 key
|
|   In short: Dirty reads (aborted reads, G1a) occur.
|   That means: a client acts or builds on a change that is undone later or not complete, for
|     example ships what was never paid.
|   What helps: if the database promises read-committed, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation of read
|     committed or above.
|
|   read-committed  violated        aborted read (G1a)
|
| Why not read-committed:
|
|   Aborted read (G1a)
|
|   Let:
|     T1 = B:0, line 3
|          r(x)=1
|     T2 = A:0, line 2, aborted
|          w(x)=1
|   Then: T1 read x = 1, which only the aborted T2 wrote.
|   Notation: B:0, session B's first transaction; G1a, the type of the anomaly in the terms of
|     Adya and Elle.
|
|   Aborted read: a transaction saw a value whose only writers were rolled back (a dirty read).
|   Where to look: usually changes are visible to others until a rollback undoes them, or the
|     rollback was reported for a transaction that had committed.
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/intermediate-read.jsonl
| $DATA/intermediate-read.jsonl: native, 2 sessions, 2 transactions, 3 operations, 1 key
|
|   In short: Dirty reads (intermediate reads, G1b) occur.
|   That means: a client acts or builds on a change that is undone later or not complete, for
|     example ships what was never paid.
|   What helps: if the database promises read-committed, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation of read
|     committed or above.
|
|   read-committed  violated        intermediate read (G1b)
|
| Why not read-committed:
|
|   Intermediate read (G1b)
|
|   Let:
|     T1 = B:0, line 3
|          r(x)=1
|     T2 = A:0, line 2
|          w(x)=1 w(x)=2
|   Then: T1 read x = 1, which T2 replaced by 2 before it ended.
|   Notation: B:0, session B's first transaction; G1b, the type of the anomaly in the terms of
|     Adya and Elle.
|
|   Intermediate read: a transaction saw a value that its writer replaced before it committed (a
|     dirty read).
|   Where to look: usually changes are visible to others before their transaction commits, or are
|     applied one by one.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/future-read.jsonl
| $DATA/future-read.jsonl: native, 1 session, 1 transaction, 2 operations, 1 key
|
|   In short: Future reads occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        future read
|
| Why not read-committed:
|
|   Future read
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=1 w(x)=1
|   Then: T1 read x = 1, which it wrote itself only later.
|   Notation: A:0, session A's first transaction.
|
|   Future read: a transaction read a value before it wrote that value itself.
|   Where to look: usually statements ran in a different order than they were sent, or a
|     transaction was retried after it had taken effect.
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/unwritten-read.jsonl
| $DATA/unwritten-read.jsonl: native, 1 session, 1 transaction, 1 operation, 1 key
|
|   In short: Reads of what nobody wrote (thin-air reads) occur.
|   That means: the recording lacks rows or clients that were there, or, if it is complete,
|     the database made the value up.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        thin-air read (garbage-read)
|
| Why not read-committed:
|
|   Thin-air read (garbage-read)
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=7
|   Then: T1 read x = 7, which no transaction wrote.
|   Notation: A:0, session A's first transaction.
|
|   Thin-air read: a transaction read a value that no transaction of the history ever wrote.
|   Where to look: usually the data existed before the recording began, an unrecorded client wrote
|     it, its writer took it back to a savepoint, which no history tells, or the value was changed
|     in transit; otherwise it is corrupted.
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/other-type.jsonl
| $DATA/other-type.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: Reads of what nobody wrote (thin-air reads) occur.
|   That means: the recording lacks rows or clients that were there, or, if it is complete,
|     the database made the value up.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        thin-air read (garbage-read)
|
| Why not read-committed:
|
|   Thin-air read (garbage-read)
|
|   Let:
|     T1 = B:0, line 3
|          r(x)=1
|   Then: T1 read x = 1, which no transaction wrote; A:0 wrote "1" as a string, which is another
|     value than 1 as a number.
|   Notation: B:0, session B's first transaction.
|
|   Thin-air read: a transaction read a value that no transaction of the history ever wrote.
|   Where to look: usually the data existed before the recording began, an unrecorded client wrote
|     it, its writer took it back to a savepoint, which no history tells, or the value was changed
|     in transit; otherwise it is corrupted.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/internal.jsonl
| $DATA/internal.jsonl: native, 1 session, 1 transaction, 2 operations, 1 key
|
|   In short: Reads that miss a write of their own transaction occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        not my own write (internal)
|
| Why not read-committed:
|
|   Not my own write (internal)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 r(x)=initial
|   Then: T1 read the initial value of x, although it had written x = 1 before.
|   Notation: A:0, session A's first transaction.
|
|   Not my own write: a transaction read an item that it had written, and did not see its own
|     write.
|   Where to look: usually the writes of a transaction wait in a buffer that its reads bypass, its
|     statements ran on different connections, or it was rolled back halfway and continued as a
|     new transaction.
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level si $DATA/non-repeatable-read.jsonl
| $DATA/non-repeatable-read.jsonl: native, 2 sessions, 2 transactions, 3 operations, 1 key
|
|   In short: Non-repeatable reads occur.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|   What helps: if the database promises snapshot-isolation, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation at which all
|     statements of a transaction read one snapshot.
|
|   snapshot-isolation  violated        non-repeatable read
|
| Why not snapshot-isolation:
|
|   Non-repeatable read
|
|   Let:
|     T1 = B:0, line 3
|          r(x)=initial r(x)=1
|     T2 = A:0, line 2
|          w(x)=1
|   Then: T1 read the initial value of x first and x = 1 from T2 later.
|   Notation: B:0, session B's first transaction.
|
|   Non-repeatable read: a transaction read one item twice and got versions that differ by what
|     other transactions wrote.
|   Where to look: usually each statement takes a snapshot of its own, or read locks are released
|     before the transaction ends.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/incompatible-order.jsonl
| $DATA/incompatible-order.jsonl: native, 4 sessions, 4 transactions, 4 operations, 1 key
|
|   In short: Reads of one list in incompatible orders occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        incompatible order
|
| Why not read-committed:
|
|   Incompatible order
|
|   Let:
|     T1 = D:0, line 5
|          r(x)=[2 1]
|     T2 = C:0, line 4
|          r(x)=[1 2]
|   Then: T1 read x = [2 1], and T2 read x = [1 2]; neither list continues the other.
|   Notation: D:0, session D's first transaction.
|
|   Incompatible order: two reads of one list show its elements in orders that no single list
|     passes through.
|   Where to look: usually two replicas took writes at the same time, as after a partition, and
|     both answered reads.
|
| Evidence:
|   4 transactions took effect
|   transactions of different sessions met 5 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level rc $DATA/duplicate-elements.jsonl
| $DATA/duplicate-elements.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: Duplicate elements occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        duplicate elements
|
| Why not read-committed:
|
|   Duplicate elements
|
|   Let:
|     T1 = B:0, line 3
|          r(x)=[1 1]
|     T2 = A:0, line 2
|          append(x, 1)
|   Then: T1 read x = [1 1], which holds 1 (appended by T2) more than once.
|   Notation: B:0, session B's first transaction.
|
|   Duplicate elements: a list holds an element more often than it was appended.
|   Where to look: usually a write was retried after an unclear answer, and the retry was not
|     recognised as a duplicate.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
