# A deletion is a write: of two clients one overwrote what it had not seen.
$ isolde check $DATA/lost-deletion.jsonl | sed -n '/Let:/,/contradiction/p'
|   Let:
|     T1 = b:0, line 3
|          r(x)=1 d(x)
|     T2 = c:0, line 4
|          r(x)=1 w(x)=2
|   Then:
|     T1 < T2 (rw), because T1 read x = 1, which T2 read as well and replaced by 2.
|     T2 < T1 (rw), because T2 read x = 1, which T1 read as well and deleted.
|     T1 < T2 < T1, a contradiction.
= 0

# Who saw the deletion half: y as it left it, and x as it was before.
$ isolde check --level rc,ra $DATA/deletion-half-seen.jsonl | sed -n '/Let:/,/contradiction/p'
|   Let:
|     T1 = a:0, line 2
|          w(x)=1 w(y)=1
|     T2 = d:0, line 5
|          r(y)=2 r(x)=1
|     T3 = b:0, line 3
|          d(x) w(y)=2
|   Then:
|     T1 < T3 (av), because T2 read y = 2 from T3, although T1 wrote y = 1 and T2 read x = 1 from
|       T1.
|     T3 < T1 (av), because T2 read x = 1 from T1, although T3 deleted x and T2 read y = 2 from
|       T3.
|     T1 < T3 < T1, a contradiction.
= 0

# What found nothing may have seen the beginning or any deletion.
$ isolde check --level ssser --certificate c.jsonl $DATA/deleted-and-back.jsonl | head -1; isolde verify c.jsonl $DATA/deleted-and-back.jsonl; python3 $ROOT/tools/verify.py c.jsonl $DATA/deleted-and-back.jsonl
| $DATA/deleted-and-back.jsonl: native, 4 sessions, 5 transactions, 9 operations, 1 key
| proved: strong-session-serializable holds, by an order of 5 transactions
| accepted: strong-session-serializable holds
= 0

# Both formats keep it.
$ isolde convert --to native-binary $DATA/deleted-and-back.jsonl x.isolde; isolde convert --to native x.isolde x.jsonl; diff x.jsonl $DATA/deleted-and-back.jsonl
= 0

# Old readers would take what was deleted for never written.
$ sed 's/"isolde":2/"isolde":1/' $DATA/lost-deletion.jsonl | isolde check -
! isolde: -:3: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
= 3
