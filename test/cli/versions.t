# Two updates of the same value: by values one may have seen the other, by versions it has not.
$ isolde check --level ser --certificate plain.jsonl $DATA/versions.jsonl
| $DATA/versions.jsonl: native, 4 sessions, 5 transactions, 10 operations, 2 keys
|
|   In short: No anomaly that serializable forbids was found in 5 transactions.
|
|   serializable  holds
|
| Evidence:
|   5 transactions took effect
|   transactions of different sessions met 6 times on a key that one of them wrote
|   1 read saw another session's write
|   3 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Certificates:
|   serializable: plain.jsonl
= 0
$ isolde check --level ser --trust-versions --certificate trusting.jsonl $DATA/versions.jsonl
| $DATA/versions.jsonl: native, 4 sessions, 5 transactions, 10 operations, 2 keys
|
|   In short: Lost updates occur.
|   At least 1 update was lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, lock what is read before it is
|     changed, or compute inside of the statement that changes it, or use an isolation that
|     refuses the second change, such as snapshot isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   serializable  violated        lost update (G-single), with versions trusted
|
| Why not serializable:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = a:0, line 3
|          r(x)=1@17 w(x)=1@18
|     T2 = b:0, line 4
|          r(x)=1@17 w(x)=1@19
|   Then:
|     T1 < T2 (rw), because T1 read x = 1@17, which T2 read as well and replaced by 1@19.
|     T2 < T1 (rw), because T2 read x = 1@17, which T1 read as well and replaced by 1@18.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|     it.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   5 transactions took effect
|   transactions of different sessions met 6 times on a key that one of them wrote
|   3 reads saw another session's write
|   3 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Certificates:
|   serializable: trusting.jsonl
= 1
$ isolde check --level ser,rc --trust-versions $DATA/versions.jsonl | grep -E '^  [a-z-]+ +(holds|violated)'
|   serializable    violated        lost update (G-single), with versions trusted
|   read-committed  holds           with versions trusted
= 0
# The assumption is said wherever it counts, and a verifier accepts it only when asked to.
$ isolde check --json --level ser --trust-versions $DATA/versions.jsonl | tr ',' '\n' | grep trusted
| "versions":"trusted"
= 0
$ isolde check --level ser --trust-versions --junit by.xml --sarif by.sarif --edn by.edn --github $DATA/versions.jsonl >/dev/null; grep -c 'ersions' by.xml by.sarif by.edn
| by.xml:5
| by.sarif:11
| by.edn:3
= 0
$ isolde verify trusting.jsonl $DATA/versions.jsonl
| refused: the proof trusts the versions that the history tells; give --trust-versions to accept that
= 1
$ isolde verify --trust-versions trusting.jsonl $DATA/versions.jsonl
| proved: serializable is violated, by an argument of 2 steps, with versions trusted
= 0
$ isolde verify --trust-versions plain.jsonl $DATA/versions.jsonl
| proved: serializable holds, by an order of 5 transactions
= 0
$ isolde explain trusting.jsonl $DATA/versions.jsonl
| serializable is violated, by an argument of 2 steps, with versions trusted.
|
|   In short: Lost updates occur.
|   At least 1 update was lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, lock what is read before it is
|     changed, or compute inside of the statement that changes it, or use an isolation that
|     refuses the second change, such as snapshot isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
| Lost update (G-single)
|
| Let:
|   T1 = a:0, line 3
|        r(x)=1@17 w(x)=1@18
|   T2 = b:0, line 4
|        r(x)=1@17 w(x)=1@19
| Then:
|   T1 < T2 (rw), because T1 read x = 1@17, which T2 read as well and replaced by 1@19.
|   T2 < T1 (rw), because T2 read x = 1@17, which T1 read as well and replaced by 1@18.
|   T1 < T2 < T1, a contradiction.
| Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|   it.
| Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-single, the
|   type of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Lost update: two transactions both wrote an item, and the one that came second had read it
|   before the other one's change, which it overwrote without having seen it.
| Where to look: usually no check for write conflicts is made at commit, or it looks at the wrong
|   version, or a value was read without a lock and written back after a computation.
= 0
$ head -1 trusting.jsonl | tr ',' '\n' | grep versions
| "versions":"trusted"}
= 0
$ python3 $ROOT/tools/verify.py trusting.jsonl $DATA/versions.jsonl
| refused: it trusts the versions that the history tells
= 1
$ python3 $ROOT/tools/verify.py --trust-versions trusting.jsonl $DATA/versions.jsonl
| accepted: serializable violated
= 0
$ python3 $ROOT/tools/verify.py --trust-versions plain.jsonl $DATA/versions.jsonl
| accepted: serializable holds
= 0
# Without its word the proof is about another history.
$ sed 's/,"versions":"trusted"//' trusting.jsonl >forged.jsonl; isolde verify --trust-versions forged.jsonl $DATA/versions.jsonl
| not proved: serializable is violated, by an argument of 2 steps: the certificate is about another history (the digests differ)
= 1
$ sed 's/"versions":"trusted"/"versions":"known"/' trusting.jsonl >forged.jsonl; isolde verify --trust-versions forged.jsonl $DATA/versions.jsonl
! isolde: forged.jsonl:1: versions of a proof are "trusted" or absent
= 3
# And other versions are other histories.
$ sed 's/"version":19/"version":99/g' $DATA/versions.jsonl >other.jsonl; isolde verify plain.jsonl other.jsonl; isolde verify --trust-versions trusting.jsonl other.jsonl
| proved: serializable holds, by an order of 5 transactions
| not proved: serializable is violated, by an argument of 2 steps, with versions trusted: the certificate is about another history (the digests differ)
= 1
# Versions that contradict values are a mistake of the recorder; without trust they mean nothing.
$ sed 's/"a","ops":\[\["r","x",1/"a","ops":[["r","x",2/' $DATA/versions.jsonl >wrong.jsonl; isolde check --level ser --trust-versions wrong.jsonl
! isolde: wrong.jsonl: versions contradict values: a:0 r(x)=2 of version 17, but setup:0 w(x)=1 of version 17; this is a mistake of the recorder and no anomaly of the database; check without trusting versions
= 3
$ sed 's/"version":19/"version":18/g' $DATA/versions.jsonl >twice.jsonl; isolde check --level ser --trust-versions twice.jsonl; isolde check --level ser twice.jsonl | grep holds
|   serializable  holds
! isolde: twice.jsonl: versions contradict values: a:0 w(x)=1 of version 18 and b:0 w(x)=1 of version 18 are two transactions; this is a mistake of the recorder and no anomaly of the database; check without trusting versions
= 0
$ sed '/"b"/s/"version":17/"version":7/' $DATA/versions.jsonl >unknown.jsonl; isolde check --level ser --trust-versions unknown.jsonl
! isolde: unknown.jsonl: versions contradict values: b:0 r(x)=1 of version 7, which no transaction wrote, and each that wrote the value has another version; this is a mistake of the recorder and no anomaly of the database; check without trusting versions
= 3
# Parts of a history keep their versions.
$ isolde minimize --level ser $DATA/versions.jsonl
| $DATA/versions.jsonl: serializable holds; there is no violation to reduce it to
= 1
$ isolde minimize --level ser --trust-versions --out part.jsonl --certificate part.cert $DATA/versions.jsonl | head -3; cat part.jsonl; isolde verify --trust-versions part.cert part.jsonl
| $DATA/versions.jsonl: serializable is violated, by an argument of 2 steps, with versions trusted.
|
|   before  5 transactions with 10 operations
| {"isolde":2,"kind":"history","notes":["minimised for serializable: 3 of 5 transactions, each with a part of its operations"]}
| {"session":"setup","id":"setup:0","ops":[["w","x",1,{"version":17}]]}
| {"session":"a","id":"a:0","ops":[["r","x",1,{"version":17}],["w","x",1,{"version":18}]]}
| {"session":"b","id":"b:0","ops":[["r","x",1,{"version":17}],["w","x",1,{"version":19}]]}
| proved: serializable is violated, by an argument of 2 steps, with versions trusted
= 0
$ isolde minimize --from trusting.jsonl --out again.jsonl $DATA/versions.jsonl >/dev/null; cmp part.jsonl again.jsonl
= 0
# Formats.
$ isolde convert --to native-binary $DATA/versions.jsonl copy.isob; isolde convert --to native copy.isob copy.jsonl; cmp copy.jsonl $DATA/versions.jsonl
= 0
$ isolde check --level ser --trust-versions copy.isob | grep -E '^  serializable'
|   serializable  violated        lost update (G-single), with versions trusted
= 0
$ sed 's/"isolde":2/"isolde":1/' $DATA/versions.jsonl | grep -v '"c"' >early.jsonl; isolde check early.jsonl
! isolde: early.jsonl:2: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
= 3
$ printf '%s\n' '{"isolde":2,"kind":"history","versions":"order"}' '{"session":1,"ops":[["w",1,2,{"version":"a"}]]}' >named.jsonl; isolde check named.jsonl
! isolde: named.jsonl: version "a" is not an integer of 62 bits, and the header says that versions are ordered
= 3
$ for op in '["append","l",1,{"version":1}]' '["r","x",null,{"version":1}]' '["r","x",[1],{"version":1}]' '["r","x",1,{"version":null}]' '["r","x",1,{"revision":1}]' '["w","x",1,17]' '["w","x",1,{"version":1},2]' '["delete","x",1]' '["r","x",{"version":1}]'; do printf '%s\n' '{"isolde":2,"kind":"history"}' "{\"session\":1,\"ops\":[$op]}" >op.jsonl; isolde stats op.jsonl | head -1; done
| op.jsonl: native
! isolde: op.jsonl:2: an operation has more than three parts; expected [kind, key, value]
! isolde: op.jsonl:2: a version belongs to a write of a register, or to a read that returned a value of one
! isolde: op.jsonl:2: only reads and writes of registers have versions, and rows of selections
! isolde: op.jsonl:2: null cannot be a version
! isolde: op.jsonl:2: expected {"version":v} behind a value, {"lock":"share"} or {"lock":"update"} behind what was read, or both in one
! isolde: op.jsonl:2: an operation has more than three parts; expected [kind, key, value]
! isolde: op.jsonl:2: an operation has more than four parts; expected [kind, key, value, {"version":v}] or [kind, key, value, {"lock":mode}]
! isolde: op.jsonl:2: a deletion does not have two parts; expected ["delete", key]
= 0
$ isolde run --workload rmw --db sqlite:file.db --record-versions --out sqlite.jsonl
! isolde: --record-versions: sqlite does not tell which version of a register or row it reads or writes
= 3
