# To the binary format and back gives the same history.
$ isolde convert --to native-binary $DATA/write-skew.jsonl x.isolde
= 0
$ isolde convert --to native x.isolde back.jsonl
= 0
$ cmp back.jsonl $DATA/write-skew.jsonl
= 0
$ isolde convert --to native x.isolde x.jsonl.gz && isolde check --level ser x.jsonl.gz | head -1
| x.jsonl.gz: native, 2 sessions, 2 transactions, 6 operations, 2 keys
= 0
$ isolde convert --to native --format plume $DATA/write-skew.jsonl y.jsonl
! isolde: $DATA/write-skew.jsonl:1: found '{"isolde":1,"kind":"hist...'; expected r(key,value,session,txn) or w(key,value,session,txn)
= 3
$ isolde convert --to nothing $DATA/write-skew.jsonl y.jsonl
! isolde: cannot write format 'nothing'; histories are written as native or native-binary
= 3
$ isolde convert --to native missing.jsonl y.jsonl
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
$ isolde convert --to native $DATA/serial.jsonl -
| {"isolde":1,"kind":"history"}
| {"session":"A","ops":[["w","x",1]]}
| {"session":"B","ops":[["r","x",1],["w","x",2]]}
| {"session":"A","ops":[["r","x",2]]}
= 0
# Whatever the process masks, a history is its owner's, unless others may read the one that it replaces.
$ umask 022; isolde convert --to native $DATA/serial.jsonl mine.jsonl; isolde minimize $DATA/lost-update.jsonl --level si --out less.jsonl >out; isolde gen --workload rmw --txns 5 --out made.jsonl; stat -c %a mine.jsonl less.jsonl made.jsonl
| 600
| 600
| 600
= 0
$ chmod 640 mine.jsonl; umask 022; isolde convert --force --to native $DATA/serial.jsonl mine.jsonl; stat -c %a mine.jsonl
| 640
= 0
