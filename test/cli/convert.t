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
# A text that still grows is followed until it says that it ends.
$ printf '%s\n' '{"isolde": 1, "kind": "history", "ends": true}' '{"session":"a","ops":[["w","x",1]]}' '{"event":"end"}' >grown.jsonl; isolde convert --follow --to native-binary grown.jsonl grown.isob && isolde convert --to native grown.isob -
| {"isolde":1,"kind":"history"}
| {"session":"a","ops":[["w","x",1]]}
= 0
$ isolde convert --follow --to native-binary grown.jsonl grown.isob
! isolde: grown.isob exists; choose another file, or replace it with --force
= 3
$ isolde convert --follow --force --to native-binary grown.jsonl grown.isob
= 0
$ printf '%s\n' '{"isolde":1,"kind":"history","ends":true}' '{"session":"a","ops":[["w","x",1]]}' >growing.jsonl; isolde convert --follow --timeout 0.5 --to native-binary growing.jsonl growing.isob
! isolde: growing.jsonl: time limit of 0.5 s reached; growing.isob has what was there by then, and is cut off
= 2
$ isolde convert --follow --timeout 0.5 --to native-binary missing.jsonl missing.isob
! isolde: missing.jsonl: is not there yet; waiting for it
! isolde: missing.jsonl: time limit of 0.5 s reached; it was not there by then
= 2
$ isolde convert --follow --to native-binary $DATA/serial.jsonl serial.isob; ls serial.isob 2>/dev/null
! isolde: $DATA/serial.jsonl:1: the header does not promise to say where the history ends; expected "ends":true in a text that is followed
= 2
$ printf '%s\n' '{"isolde":1,"kind":"history","ends":true}' '' '{"session":"a","ops":[["drop","x",1]]}' >wrong.jsonl; isolde convert --follow --to native-binary wrong.jsonl wrong.isob
! isolde: wrong.jsonl:3: unknown operation "drop"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 3
$ isolde convert --follow --to native grown.jsonl x
! isolde: --follow writes groups; give --to native-binary
= 3
$ isolde convert --follow --to native-binary --format plume grown.jsonl x
! isolde: --follow reads the native format; leave --format out
= 3
$ isolde convert --follow --to native-binary - x
! isolde: --follow needs two files; - is none
= 3
$ isolde convert --follow --to native-binary grown.jsonl x.zst
! isolde: --follow reads and writes files that are not compressed
= 3
$ isolde convert --follow --force --to native-binary grown.jsonl ./grown.jsonl
! isolde: ./grown.jsonl is what is read, which is never overwritten; choose another file to write
= 3
