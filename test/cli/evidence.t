# A verdict needs evidence. What holds because nothing happened is not decided.

# A header alone, and blank files of formats without headers.
$ printf '{"isolde":1,"kind":"history"}\n' > header.jsonl; isolde check --level ser header.jsonl
| header.jsonl: native, 0 sessions, 0 transactions, 0 operations, 0 keys
|
|   In short: Nothing was decided: no transaction took effect.
|
|   serializable  unknown         no transaction took effect
|
| Evidence:
|   0 transactions took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 2
$ printf '\n' > blank; for format in dbcop-hist plume awdit viper jepsen elle-json porcupine porcupine-kv; do isolde check --format $format --level rc blank > out; echo "$format $?"; grep -c unknown out; done
| dbcop-hist 2
| 1
| plume 2
| 1
| awdit 2
| 1
| viper 2
| 1
| jepsen 2
| 1
| elle-json 2
| 1
| porcupine 2
| 1
| porcupine-kv 2
| 1
= 0

# Aborted transactions only.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"a","status":"aborted","ops":[["w","x",1]]}\n' > aborted.jsonl; isolde check --level ser,rc aborted.jsonl
| aborted.jsonl: native, 1 session, 1 transaction (1 aborted), 1 operation, 1 key
|
|   In short: Nothing was decided: no transaction took effect.
|
|   serializable    unknown         no transaction took effect
|   read-committed  unknown         no transaction took effect
|
| Evidence:
|   0 transactions took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 2
$ isolde check --level ser --junit - aborted.jsonl | sed -n '/<testcase/,/<.testcase/p'
|     <testcase name="serializable" classname="isolde.aborted_jsonl">
|       <error message="no transaction took effect" type="unknown" />
|     </testcase>
= 0
$ isolde check --level ser --github aborted.jsonl | grep '^::warning'
| ::warning file=aborted.jsonl,title=Not decided%3A serializable::no transaction took effect
= 0

# The last line is cut off: what is there holds, and that is not enough.
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

# A violation of what is there stands as far as what is missing writes nothing again.
$ printf '%s\n' '{"isolde":1,"kind":"history","ends":true}' '{"session":"a","start":1,"end":2,"ops":[["w","x",1]]}' '{"session":"b","start":3,"end":4,"ops":[["r","x",1],["w","x",2]]}' '{"session":"c","start":5,"end":6,"ops":[["r","x",1]]}' > cut.jsonl; isolde check --level sser --certificate cut.proof cut.jsonl | sed -n '/Left out/,$p'; isolde verify cut.proof cut.jsonl
| Left out or assumed:
|   a violation stands if what is missing writes no value a second time
|   the last line is not the {"event":"end"} that the header promises; the recorder seems to
|     have stopped early
| proved: strict-serializable is violated, by a cycle
| but the input is cut off; a violation stands if what is missing writes no value a second time
= 0

# minimize knows as well when there is nothing to say.
$ isolde minimize header.jsonl; isolde minimize --level ser aborted.jsonl; isolde minimize --level rc $DATA/truncated.jsonl
| header.jsonl: unknown, because no transaction took effect
| aborted.jsonl: unknown, because no transaction took effect
| $DATA/truncated.jsonl: unknown, because the input is cut off; what is there holds
= 2

# Nothing that is read is written over.
$ cp cut.jsonl own.jsonl; ln own.jsonl alias.jsonl; for arguments in "check --html alias.jsonl own.jsonl" "check --level ser --certificate own.jsonl own.jsonl" "minimize own.jsonl --level sser --out own.jsonl" "convert --to native own.jsonl ./own.jsonl" "explain --dot cut.proof cut.proof cut.jsonl"; do isolde $arguments; echo $?; done; cmp own.jsonl cut.jsonl
| 3
| own.jsonl: native, 3 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: Nothing was decided: the input is cut off; what is there holds.
|
|   serializable  unknown         the input is cut off; what is there holds
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|
| Left out or assumed:
|   the last line is not the {"event":"end"} that the header promises; the recorder seems to
|     have stopped early
| 2
| 3
| 3
| 3
! isolde: alias.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: own.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: ./own.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: cut.proof is what is read, which is never overwritten; choose another file to write
= 0

# Session order asks nothing of sessions that have one transaction each.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["w","x",1]]}' '{"session":"b","start":3,"end":4,"ops":[["r","x",1]]}' > single.jsonl; isolde check --require-evidence --level ser,ssser,sser single.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   strict-serializable          holds
|   strong-session-serializable  unknown         no two overlapping transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
|   serializable                 unknown         no two overlapping transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
= 0

# Transactions that never meet hold at every level of every database.
$ isolde check --level ser,rc $DATA/apart.jsonl
| $DATA/apart.jsonl: native, 2 sessions, 2 transactions, 3 operations, 2 keys
|
|   In short: No anomaly that serializable or read-committed forbids was found in 2
|     transactions, which could not have shown any: no two transactions used a key that one of
|     them wrote, so no level that holds was put to the test; more sessions at once on fewer
|     keys would do that.
|
|   serializable    holds
|   read-committed  holds
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   no two transactions used a key that one of them wrote, so no level that holds was put to
|     the test; more sessions at once on fewer keys would do that
= 0
$ isolde check --level ser,rc --require-evidence $DATA/apart.jsonl
| $DATA/apart.jsonl: native, 2 sessions, 2 transactions, 3 operations, 2 keys
|
|   In short: Nothing was decided: no two transactions used a key that one of them wrote, and
|     evidence is required (more sessions at once on fewer keys).
|
|   serializable    unknown         no two transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
|   read-committed  unknown         no two transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 2
$ isolde check --level ser,rc --min-committed 3 $DATA/apart.jsonl
| $DATA/apart.jsonl: native, 2 sessions, 2 transactions, 3 operations, 2 keys
|
|   In short: Nothing was decided: 2 transactions took effect, and at least 3 are required.
|
|   serializable    unknown         2 transactions took effect, and at least 3 are required
|   read-committed  unknown         2 transactions took effect, and at least 3 are required
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
= 2

# Two that met, but one after the other: that tries what real time and sessions ask, and nothing else.
$ isolde check --level ser,sser --require-evidence $DATA/one-after-the-other.jsonl
| $DATA/one-after-the-other.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: Not decided: 1 level. No anomaly that strict-serializable forbids was found in 2
|     transactions.
|
|   strict-serializable  holds
|   serializable         unknown         no two overlapping transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
= 2

# A violation needs no more than itself.
$ isolde check --level rc --min-committed 1000 --require-evidence $DATA/aborted-read.jsonl | grep -e 'In short' -e '  read-committed'
|   In short: Dirty reads (aborted reads, G1a) occur.
|   read-committed  violated        aborted read (G1a)
= 0

# A run that stops early says so, and fails, though what was recorded holds.
$ isolde run --db 'lmdb:?map_mib=1' --workload blindw-rw --keys 50000 --txns 20000 --out small-map.jsonl --no-progress --junit junit.xml --sarif run.sarif --edn run.edn --html run.html > report.txt
= 4
$ grep -h -o '^stopped early: LMDB: MDB_MAP_FULL\|type="stopped early"\|The run stopped early: LMDB\|:isolde/stopped "LMDB' report.txt junit.xml run.sarif run.edn
| stopped early: LMDB: MDB_MAP_FULL
| type="stopped early"
| The run stopped early: LMDB
| :isolde/stopped "LMDB
= 0
$ grep -c '"stopped":"LMDB' run.html
| 1
= 0
$ isolde check --level ser small-map.jsonl | grep -o 'the run stopped early: LMDB: MDB_MAP_FULL'
| the run stopped early: LMDB: MDB_MAP_FULL
= 0
$ sed -n '/promises/p' report.txt
|   lmdb at serializable promises strict-serializable: kept in this history.
= 0

# What goes with the run cannot be kept.
$ isolde run --db 'sqlite:?journal=wal' --keep-data --no-record --workload mini
! isolde: --keep-data: sqlite:?journal=wal is temporary and goes with the run; name a database that stays
= 3

# Without a history, too.
$ isolde run --db 'lmdb:?map_mib=1' --workload blindw-rw --keys 50000 --txns 20000 --no-record --no-progress > report.txt
= 4
$ grep -o 'stopped early: LMDB: MDB_MAP_FULL' report.txt
| stopped early: LMDB: MDB_MAP_FULL
= 0

# Seconds are meant where there is no unit, here as elsewhere.
$ isolde run --db rocksdb: --workload blindw-rw --duration 1 --level rc --out second.jsonl --no-progress --json > second.json; python3 -c 'import json; print(json.load(open("second.json"))["seconds"]["generate"] >= 1)'
| True
= 0

# What the database promises decides, and can be asked for by that name.
$ isolde run --db rocksdb: --isolation pessimistic --workload lost-update --keys 2 --txns 2000 --out lost.jsonl --no-progress --level promised | grep -E 'holds|promises'
|   rocksdb at pessimistic promises read-committed: kept in this history.
|   read-committed  holds, promised
= 0
$ isolde run --db rocksdb: --isolation pessimistic --workload lost-update --keys 2 --txns 40000 --out lost2.jsonl --no-progress --level promised,ser > /dev/null
= 1
# The history tells it, so a check says the same. --promise is in its place.
$ isolde check --level ' Promised, RC ' lost.jsonl | grep -E 'holds|promises'
|   rocksdb at pessimistic promises read-committed: kept in this history.
|   read-committed  holds, promised
= 0
$ (head -1 lost.jsonl | sed 's/"ends":true,//; s/,"clock".*/}/'; tail -n +2 $DATA/lost-update.jsonl) > told.jsonl; head -1 told.jsonl | grep -o '"isolation.*'
| "isolation":"pessimistic","workload":"lost-update","product":"rocksdb","promise":"read-committed","seed":"0"}
= 0
$ isolde check told.jsonl > out; echo $?; grep -E '^  (serializable|read-committed) |promises' out
| 0
|   rocksdb at pessimistic promises read-committed: kept in this history.
|   serializable                                violated         violated         not-applicable
|   read-committed                              holds, promised  holds            not-applicable
= 0
$ isolde check --promise ser told.jsonl > out; echo $?; grep -E '^  (serializable|read-committed) |by --promise' out
| 1
|   rocksdb at pessimistic is held by --promise to serializable: BROKEN.
|   serializable                                violated, promised  violated            not-applicable
|   read-committed                              holds               holds               not-applicable
= 0
$ isolde check --promise ser --level rc told.jsonl | grep 'by --promise'
|   rocksdb at pessimistic is held by --promise to serializable, which was not checked, because only other levels were asked for.
= 0
$ isolde check --promise none told.jsonl > out; echo $?; grep promises out
| 0
|   rocksdb at pessimistic promises none of these levels: by --promise none.
= 0
$ isolde check --promise none --level promised told.jsonl
! isolde: told.jsonl: --level promised: nothing is promised here: by --promise none
= 3
$ isolde check --promise best told.jsonl
! isolde: unknown level 'best'; isolde levels lists them all
= 3
$ isolde convert --to native-binary told.jsonl lost.bin; isolde check --promise si --json lost.bin | python3 -c 'import json,sys; r=json.load(sys.stdin); print(r["promise"]["level"], r["promise"]["verdict"], r["summary"]["promise"])'
| snapshot-isolation violated rocksdb at pessimistic is held by --promise to snapshot-isolation: BROKEN.
= 0
$ isolde check lost.bin | grep promises; isolde minimize --level ser lost.bin --out least.jsonl > out; head -1 least.jsonl | grep -o '"product.*committed"'
|   rocksdb at pessimistic promises read-committed: kept in this history.
| "product":"rocksdb","promise":"read-committed"
= 0
$ isolde check --promise ser --edn - told.jsonl | grep -o ':isolde/promise.*'; isolde check --promise ser --github told.jsonl | grep -o '^::error.*Broken.*'; isolde check --promise ser --junit - told.jsonl | grep -o '; rocksdb at .*BROKEN'
| :isolde/promise "rocksdb at pessimistic is held by --promise to serializable: BROKEN"}
| ::error file=told.jsonl,title=Broken promise::rocksdb at pessimistic is held by --promise to serializable: BROKEN
| ; rocksdb at pessimistic is held by --promise to serializable: BROKEN
= 0
# What the user held it to stays that in all formats, and is no defect of its makers.
$ (sed 's/"promise":"read-committed"/"promise":"serializable","promised_by":"user"/; 1!d' told.jsonl; tail -n +2 told.jsonl) > held.jsonl; isolde check held.jsonl > out; echo $?; grep -E 'promise|a defect' out; isolde convert --to native-binary held.jsonl held.bin; isolde convert --to native held.bin back.jsonl; head -1 back.jsonl | grep -o '"promise.*user"'; isolde check held.bin | grep 'by --promise'
| 1
|   rocksdb at pessimistic is held by --promise to serializable: BROKEN.
|   serializable                                violated, promised  violated            not-applicable
| "promise":"serializable","promised_by":"user"
|   rocksdb at pessimistic is held by --promise to serializable: BROKEN.
= 0
$ sed 's/"promised_by":"user",//' held.jsonl > makers.jsonl; isolde check makers.jsonl | grep -E 'promise|a defect'
|   What helps: the database promises that this does not happen: it is a defect, or the setup
|   rocksdb at pessimistic promises serializable: BROKEN.
|   serializable                                violated, promised  violated            not-applicable
= 0
# Without a promise there is nothing to judge by, and a text that is no level is not one.
$ isolde check --level promised $DATA/apart.jsonl
! isolde: $DATA/apart.jsonl: --level promised: the history does not tell what the database promises; --promise LEVEL does
= 3
$ (echo '{"isolde":1,"kind":"history","isolation":"snapshot","promise":"best"}'; tail -n +2 $DATA/apart.jsonl) > wrong.jsonl; isolde check wrong.jsonl | grep -A1 promise
|   the promise in the header, best, is not the name of a level and is not used
= 0
# A comparison judges nobody.
$ sed '1s/"read-committed"/"serializable"/' told.jsonl > broken.jsonl; isolde check broken.jsonl > out; echo $?; isolde compare told.jsonl broken.jsonl > out; echo $?; grep promises out
| 1
| 0
|   rocksdb at pessimistic promises read-committed: kept in this history.
|   rocksdb at pessimistic promises serializable: BROKEN.
= 0
# An isolation that is called like another level.
$ (echo '{"isolde":1,"kind":"history","database":"DB 1","isolation":"Repeatable Read","promise":"si"}'; tail -n +2 $DATA/write-skew.jsonl) > named.jsonl; isolde check named.jsonl > out; echo $?; grep -A3 -e promises -e Weakest out; grep -E '^  (snapshot-iso|repeatable)' out
| 0
|   DB 1 at Repeatable Read promises snapshot-isolation: kept in this history.
|   The level repeatable-read, which is violated, is not what DB 1 calls Repeatable Read, and
|     was not promised: neither it nor snapshot-isolation implies the other.
|
| --
| Weakest violated:     serializable (and repeatable-read, the same but for conditions)
|   repeatable-read                             violated
|   snapshot-isolation                          holds, promised  holds            not-applicable
= 0
$ isolde check --level si,rr named.jsonl | grep -A1 -E '^  (DB|The|snapshot-iso|repeatable)'
|   DB 1 at Repeatable Read promises snapshot-isolation: kept in this history.
|   The level repeatable-read, which is violated, is not what DB 1 calls Repeatable Read, and
|     was not promised: neither it nor snapshot-isolation implies the other.
| --
|   repeatable-read     violated         write skew (G2-item)
|   snapshot-isolation  holds, promised
|
| --
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.
= 0
$ isolde check --json named.jsonl | grep -o '"namesake":"[^"]*"'
| "namesake":"The level repeatable-read, which is violated, is not what DB 1 calls Repeatable Read, and was not promised: neither it nor snapshot-isolation implies the other."
= 0

# The verifier proves the claim, and says what it is worth.
$ isolde check --level ser --min-committed 0 --certificate none.proof header.jsonl > out; isolde verify none.proof header.jsonl
| proved: serializable holds, by an order of 0 transactions
| but no transaction took effect, so it says nothing of the database
= 0
$ isolde check --level ser --certificate apart.proof $DATA/apart.jsonl > out; isolde verify apart.proof $DATA/apart.jsonl
| proved: serializable holds, by an order of 2 transactions
| but no two transactions used a key that one of them wrote, so the level was not put to the test
= 0
$ isolde verify apart.proof $DATA/apart.jsonl | head -1; (cat $DATA/apart.jsonl; printf '{"session":"b","ops":[["w",') > cut.jsonl; isolde verify apart.proof cut.jsonl | tail -1
| proved: serializable holds, by an order of 2 transactions
| but no two transactions used a key that one of them wrote, so the level was not put to the test; the input is cut off; what is there holds
= 0

# A transaction of unknown outcome from which nobody read has no end, and would meet all that comes later. It puts nothing to the test.
$ isolde check --level serializable $DATA/unknown-meets-all.jsonl --require-evidence | sed -n '/serializable  /p;/Evidence/,$p'
|   serializable  unknown         no two overlapping transactions used a key that one of them wrote, and evidence is required (more sessions at once on fewer keys)
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   2 versions were replaced
|
| Left out or assumed:
|   1 transaction with unknown outcome that nothing must have read from: it may have happened
|     or not
= 0

# Reads of a part of a row count where only versions of other sessions fit; else there may be more.
$ isolde check --level ser $DATA/rows-of-orders.jsonl | grep 'reads saw'
|   4 reads saw another session's write
= 0
$ printf '%s\n' '{"isolde":2,"kind":"history"}' '{"session":"a","ops":[["w","x",{"qty":1,"state":"open"}]]}' '{"session":"b","ops":[["w","x",{"qty":1,"state":"sent"}]]}' '{"session":"b","ops":[["r","x",{"qty":1}]]}' > either.jsonl; isolde check --level ser either.jsonl | grep 'reads saw'
|   at least 0 reads saw another session's write
= 0
