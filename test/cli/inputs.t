# Standard input, empty histories, cut off input, unknown outcomes.
$ isolde check --level ser - <$DATA/serial.jsonl
| -: native, 2 sessions, 3 transactions, 4 operations, 1 key
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
$ isolde check $DATA/empty.jsonl
| $DATA/empty.jsonl: native, 0 sessions, 0 transactions, 0 operations, 0 keys
|
|   In short: Nothing was decided: no transaction took effect.
|
|                                               plain            session order    real time
|   serializable                                unknown          unknown          not-applicable
|   repeatable-read                             unknown
|   snapshot-isolation                          unknown          unknown          not-applicable
|   parallel-snapshot-isolation                 unknown          unknown          not-applicable
|   prefix-consistency                          unknown          unknown          not-applicable
|   sequential                                                   unknown
|   transactional-causal                                         unknown          not-applicable
|   causal                                                       unknown
|   read-atomic                                 unknown          unknown          not-applicable
|   monotonic-atomic-view                       unknown          unknown          not-applicable
|   read-committed                              unknown          unknown          not-applicable
|   writes-follow-reads                                          unknown
|   monotonic-writes                                             unknown
|   monotonic-reads                                              unknown
|   read-your-writes                                             unknown
|   read-uncommitted                            unknown          unknown          not-applicable
|
|   Not applicable: the history has no start and end times.
|
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
= 2
$ isolde check --level ser $DATA/truncated.jsonl
| $DATA/truncated.jsonl: native, 1 session, 1 transaction, 1 operation, 1 key
|
|   In short: Nothing was decided: the input is cut off; what is there holds.
|
|   serializable  unknown         the input is cut off; what is there holds
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Left out or assumed:
|   line 3 is cut off and left out; the recorder seems to have stopped while writing it
= 2
$ isolde check --level ser $DATA/indeterminate.jsonl
| $DATA/indeterminate.jsonl: native, 3 sessions, 4 transactions (2 with unknown outcome), 4 operations, 1 key
|
|   In short: No anomaly that serializable forbids was found in 2 transactions.
|
|   serializable  holds
|
| Evidence:
|   2 transactions took effect, 1 of them with unknown outcome, by what others read
|   of the other 2, 1 with unknown outcome shows no effect and 1 committed but tells of no key
|   transactions of different sessions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Left out or assumed:
|   1 transaction with unknown outcome that nothing must have read from: it may have happened
|     or not
|   1 read whose result the client never learned
= 0
# Viper: a value that nobody wrote is the initial one, a second one came from nowhere.
$ mkdir viper && printf '{"value": [["r", 1, 7, true], ["w", 1, 8, true]]}\n' >viper/J0.log
= 0
$ isolde check --level ser viper
| viper: viper, 1 session, 1 transaction, 2 operations, 1 key
|
|   In short: No anomaly that serializable forbids was found in 1 transaction, which could not
|     have shown any: no two transactions used a key that one of them wrote, so serializable
|     was not put to the test; more sessions at once on fewer keys would do that.
|
|   serializable  holds
|
| Evidence:
|   1 transaction took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|   no two transactions used a key that one of them wrote, so serializable was not put to the
|     test; more sessions at once on fewer keys would do that
|
| Left out or assumed:
|   the initial value of 1 key is not given; a value that was read there and that no
|     transaction wrote was taken as the initial one
= 0
$ printf '{"value": [["r", 1, 9, true]]}\n' >viper/J1.log
= 0
$ isolde check --level ser viper
| viper: viper, 2 sessions, 2 transactions, 3 operations, 1 key
|
|   In short: Reads of what nobody wrote (thin-air reads) occur.
|   That means: the recording lacks rows or clients that were there, or, if it is complete,
|     the database made the value up.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   serializable  violated        thin-air read (garbage-read)
|
| Why not serializable:
|
|   Thin-air read (garbage-read)
|
|   Let:
|     T1 = s1:0, J1.log, line 1
|          r(1)=9
|   Then: T1 read key 1 = 9, which no transaction wrote.
|   Notation: s1:0, session 1's first transaction.
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
|
| Left out or assumed:
|   the initial value of 1 key is not given; a value that was read there and that no
|     transaction wrote was taken as the initial one
= 1
# What is no text of ours, and what is cut off.
$ printf '\357\273\277{"isolde":1}\n' >marked.jsonl
= 0
$ isolde check marked.jsonl
! isolde: marked.jsonl@0: begins with a byte order mark (EF BB BF); expected text without one; save it as UTF-8 without BOM, or cut the first three bytes off with tail -c +4
= 3
$ printf 'BZh91AY&SY.' >packed.bz2
= 0
$ isolde check packed.bz2
! isolde: packed.bz2: is bzip2 data; unpack it first with bzip2 -d
= 3
$ printf '\037\213' >two.gz
= 0
$ isolde check two.gz
! isolde: two.gz@2: broken gzip data: it ends too early; unpack by hand what is there, or copy the file again
= 3
$ gzip -c $DATA/serial.jsonl | head -c 40 >cut.gz
= 0
$ isolde check cut.gz
! isolde: cut.gz@40: broken gzip data: it ends too early; unpack by hand what is there, or copy the file again
= 3

# A folder of histories is no history, but for check, which takes each: see folders.t.
$ mkdir several; cp $DATA/serial.jsonl $DATA/write-skew.jsonl several; isolde stats several
! isolde: several: is a directory, and each native history in it is a single file; name the file, for example several/serial.jsonl
= 3

# The first line is missing, and something else is there.
$ sed 1d $DATA/serial.jsonl >headless.jsonl; isolde check headless.jsonl; isolde check --format native headless.jsonl
! isolde: headless.jsonl: looks like a native history without its first line, which must be {"isolde":1,"kind":"history"}, with 2 for 1 where it has more than reads, writes and appends
! isolde: headless.jsonl:1: the first line is not a header; it must be {"isolde":1,"kind":"history"}
= 3
