# The commands that README.md shows.
$ isolde check $DEMO/pg-repeatable-read-write-skew.jsonl | grep -A15 'Let:'
|   Let:
|     T1 = c:2, line 6, from 13.972 ms to 24.446 ms
|          r(bob.checking)=initial r(bob.savings)=initial w(bob.savings)=3
|     T2 = b:0, line 7, from 484.499 us to 25.164 ms
|          r(bob.checking)=initial r(bob.savings)=initial w(bob.checking)=4
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of bob.checking, which T2 replaced by 4.
|     T2 < T1 (rw), because T2 read the initial value of bob.savings, which T1 replaced by 3.
|     T1 < T2 < T1, a contradiction.
|   So T1 did not see T2's write of bob.checking and T2 did not see T1's write of bob.savings:
|     neither can have come first.
|   Notation: T1 < T2, T1 must come before T2; c:2, session c's transaction 2, counted from 0;
|     G2-item, the type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
= 0
$ isolde check $DEMO/pg-repeatable-read-write-skew.jsonl >out.txt
= 0
$ isolde check --level snapshot-isolation --certificate proof.jsonl $DEMO/mariadb-repeatable-read-lost-update.jsonl
| $DEMO/mariadb-repeatable-read-lost-update.jsonl: native, 4 sessions, 48 transactions, 102 operations, 4 keys
| recorded from MariaDB 10.11.19 REPEATABLE READ
|
|   In short: Lost updates occur.
|   At least 5 updates were lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: read with SELECT ... FOR UPDATE what the transaction goes on to change, or
|     compute inside of the UPDATE (SET n = n + 1), or set innodb_snapshot_isolation=ON (from
|     10.6.18 and 10.11.8 on; the default since 11.6.2), which refuses the second change with
|     error 1020, and run the transaction again.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 1213; one that waits for too long
|     gets error 1205: lock rows in one order everywhere (ORDER BY the key), commit soon, roll
|     back, and run again what ends with error 1213, 1205 or 1020.
|
|   snapshot-isolation  violated        lost update (G-single)
|
| Why not snapshot-isolation:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = a:4, line 17, from 53.724 ms to 63.527 ms
|          r(stock.plums)=3 w(stock.plums)=7
|     T2 = b:5, line 18, from 60.402 ms to 73.295 ms
|          r(stock.plums)=3 w(stock.plums)=8
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read stock.plums = 3, which T2 read as well and replaced by 8.
|     T2 < T1 (rw), because T2 read stock.plums = 3, which T1 read as well and replaced by 7.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of stock.plums without
|     having seen it.
|   Notation: T1 < T2, T1 must come before T2; a:4, session a's transaction 4, counted from 0;
|     G-single, the type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   48 transactions took effect
|   overlapping transactions met 26 times on a key that one of them wrote
|   24 reads saw another session's write
|   25 versions were replaced
|
| Certificates:
|   snapshot-isolation: proof.jsonl
= 1
$ isolde verify proof.jsonl $DEMO/mariadb-repeatable-read-lost-update.jsonl
| proved: snapshot-isolation is violated, by an argument of 2 steps
= 0

# A build by hand needs what ./dev build installs.
$ for package in $(sed -n '/^BUILD_PACKAGES=/,/"$/p' $ROOT/dev | tr -d '"' | sed 's/^BUILD_PACKAGES=//'); do tr '`\n' '  ' < $ROOT/README.md | grep -qF " $package " || echo "$package"; done
= 0
