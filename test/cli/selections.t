# Selections: what a condition left out counts at serializable, but not at repeatable read.
$ isolde check --level ser,rr $DATA/phantom.jsonl
| $DATA/phantom.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Phantoms occur. Dirty reads: not seen in 2 transactions.
|   That means: what each transaction looked for and did not find is there all the same: two
|     clients book one room for one night, each having found it free.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use a serializable isolation, or
|     let a unique or an exclusion constraint refuse the second row, or before looking change
|     one row that all have in common, such as the room's, or take a lock on its name; rows
|     that are not there yet cannot be locked.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   serializable     violated        phantom (G2)
|   repeatable-read  holds
|
| Why not serializable:
|
|   Phantom (G2)
|
|   Let:
|     T1 = a:0, line 2
|          select(keys 1 to 9) -> nothing; left out 1, 2
|          w(1)=10
|     T2 = b:0, line 3
|          select(keys 1 to 9) -> nothing; left out 1, 2
|          w(2)=20
|   Then:
|     T1 < T2 (rw), because T1 selected keys 1 to 9 and key 2 was not among them, but T2 wrote key
|       2 = 20.
|     T2 < T1 (rw), because T2 selected keys 1 to 9 and key 1 was not among them, but T1 wrote key
|       1 = 10.
|     T1 < T2 < T1, a contradiction.
|   So T1 did not see T2's write of key 2 and T2 did not see T1's write of key 1: neither can have
|     come first.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G2, the type of
|     the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Phantom: a transaction selected rows by a condition and missed one that, given everything else
|     that was seen, must have existed.
|   Where to look: usually only rows that exist are locked or tracked, and not the places where
|     the condition would find new ones.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check --level ser --certificate proof.jsonl $DATA/phantom.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)' && isolde verify proof.jsonl $DATA/phantom.jsonl
|   serializable  violated        phantom (G2)
| proved: serializable is violated, by a cycle
= 0
$ isolde stats $DATA/phantom.jsonl
| $DATA/phantom.jsonl: native
| sessions      2, 1 to 1 transactions each
| transactions  2: 2 committed, 0 aborted, 0 indeterminate
| operations    4: 0 reads, 2 writes, 0 list reads, 0 appends, 0 reads without a result
|               2 selections returned 0 rows (among the reads) and left out 4
|               2.0 per transaction, at most 2; 0 reads saw the initial value
| keys          2 registers, 0 lists
| times         not recorded
= 0
# A row that the condition does not select is a violation at every level but read uncommitted.
$ isolde check --level ser,rr,lin,mr,rc,ru --certificate row $DATA/unselected-row.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   serializable      violated        row outside of the condition (unselected-row)
|   repeatable-read   violated        row outside of the condition (unselected-row)
|   linearizable      violated        row outside of the condition (unselected-row)
|   monotonic-reads   violated        row outside of the condition (unselected-row)
|   read-committed    violated        row outside of the condition (unselected-row)
|   read-uncommitted  holds
= 0
$ for level in serializable linearizable; do isolde verify row.$level.jsonl $DATA/unselected-row.jsonl; done
| proved: serializable is violated, by a single read
| proved: linearizable is violated, by a single read
= 0
# Both native formats keep them.
$ isolde convert --to native-binary $DATA/phantom.jsonl x.isolde && isolde convert --to native x.isolde - | cmp - $DATA/phantom.jsonl
= 0
# What a selection cannot be.
$ { cat $DATA/phantom.jsonl; echo '{"session":"c","ops":[["append",5,1]]}'; } | isolde check --level ser -
! isolde: -: a selection covers key 5, which is a list; selections are of registers
= 3
$ { cat $DATA/phantom.jsonl; echo '{"session":"c","ops":[["select",{"key":[1,9]},[]]]}'; } | isolde check --level ser -
! isolde: -:4: unknown condition of a selection; expected "keys", "columns", "values" or "equal"
= 3
