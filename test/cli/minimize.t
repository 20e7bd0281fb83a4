# The commands that docs/explanations.md shows. What is left of a recording is a history.
$ isolde minimize $DEMO/pg-serializable-upsert.jsonl --level serializable --out small.jsonl --certificate small.proof
| $DEMO/pg-serializable-upsert.jsonl: serializable is violated, by a cycle.
|
|   before  87 transactions with 117 operations
|   after   5 transactions with 7 operations
|
| Nothing more can be left out; 61 parts were checked. The proof is verified.
| History: small.jsonl
| Certificate: small.proof
|
| Names, lines and times are those of $DEMO/pg-serializable-upsert.jsonl:
|
| Read-only transaction anomaly (G2-item)
|
| Let:
|   T1 = s2:7, line 30, from 22.822 ms to 23.376 ms
|        append(10139, 185195), r(10148)=[176340]
|   T2 = s5:6, line 31, from 22.181 ms to 23.634 ms
|        append(10148, 177078)
|   T3 = s3:5, line 32, from 23.087 ms to 24.311 ms
|        r(10148)=[176340 177078], r(10139)=[185171]
|   Times are since the first start of the whole history.
| Beside them:
|   s3:3, line 27, from 21.100 ms to 22.456 ms, from which T1 and T3 read
|        append(10148, 176340)
|   s2:6, line 28, from 22.229 ms to 22.507 ms, from which T3 read
|        append(10139, 185171)
| Then:
|   T1 < T2 (rw), because T1 read key 10148 = [176340], without T2's append of 177078.
|   T2 < T3 (wr), because T3 read key 10148 = [176340 177078], of which T2 appended 177078.
|   T3 < T1 (rw), because T3 read key 10139 = [185171], without T1's append of 185195.
|   T1 < T2 < T3 < T1, a contradiction.
| So T1 did not see T2's append to key 10148, T3 saw T2's append to key 10148 and T3 did not see
|   T1's append to key 10139: none of them can have come first.
| Notation: T1 < T2, T1 must come before T2; s2:7, session 2's transaction 7, counted from 0;
|   G2-item, the type of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Read-only transaction anomaly: two writers alone can be put in order, but a transaction that
|   only reads saw a state between them that no such order passes through.
| Where to look: snapshot isolation allows this by design; where serializability was asked for,
|   one of the reads was not tracked (PostgreSQL tracks them by SIREAD locks), or transactions
|   that only read are left out of the checks for conflicts.
|
| Left out or assumed:
|   only the operations on two of the keys: 10139 and 10148
= 0
$ cat small.jsonl
| {"isolde":1,"kind":"history","database":"PostgreSQL 15.20","isolation":"serializable","notes":["only the operations on two of the keys: 10139 and 10148","minimised for serializable: 5 of 87 transactions, each with a part of its operations","lists are without the elements whose appends were left out"]}
| {"session":"3","start":41886358667,"end":41887714399,"id":"s3:3","ops":[["append",10148,176340]]}
| {"session":"2","start":41887486730,"end":41887765431,"id":"s2:6","ops":[["append",10139,185171]]}
| {"session":"2","start":41888079862,"end":41888633933,"id":"s2:7","ops":[["append",10139,185195],["r",10148,[176340]]]}
| {"session":"5","start":41887439294,"end":41888892244,"id":"s5:6","ops":[["append",10148,177078]]}
| {"session":"3","start":41888345685,"end":41889569097,"id":"s3:5","ops":[["r",10148,[176340,177078]],["r",10139,[185171]]]}
= 0
$ isolde verify small.proof small.jsonl
| proved: serializable is violated, by a cycle
= 0
$ isolde check --level serializable small.jsonl | tail -3
|   only the operations on two of the keys: 10139 and 10148
|   minimised for serializable: 5 of 87 transactions, each with a part of its operations
|   lists are without the elements whose appends were left out
= 0
# A second time nothing changes.
$ isolde minimize small.jsonl --level serializable --out - | cmp - small.jsonl
= 0
# From a certificate, to standard output, in the other format.
$ isolde check --level si --certificate proof.jsonl $DEMO/mariadb-repeatable-read-lost-update.jsonl >out.txt
= 1
$ isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl --from proof.jsonl --out - --to native-binary | isolde convert --to native - -
| {"isolde":1,"kind":"history","database":"MariaDB 10.11.19 REPEATABLE READ","notes":["minimised for snapshot-isolation: 3 of 48 transactions, each with a part of its operations"]}
| {"session":"a","start":104502496,"end":122439375,"id":"a:2","ops":[["w","stock.plums",3]]}
| {"session":"a","start":133994906,"end":143798087,"id":"a:4","ops":[["r","stock.plums",3],["w","stock.plums",7]]}
| {"session":"b","start":140673656,"end":153566572,"id":"b:5","ops":[["r","stock.plums",3],["w","stock.plums",8]]}
= 0
# Without a level: the weakest that is violated.
$ isolde minimize $DATA/lost-update.jsonl | head -5
| $DATA/lost-update.jsonl: parallel-snapshot-isolation is violated, by an argument of 2 steps.
|
|   before  3 transactions with 5 operations
|   after   2 transactions with 4 operations
|
= 0
# Lists and selections are shorter when what they show is left out, and the history says so.
$ { echo '{"isolde":1,"kind":"history"}'; echo '{"session":"a","ops":[["append","l",1]]}'; echo '{"session":"a","ops":[["append","l",2]]}'; echo '{"session":"b","ops":[["append","l",3]]}'; echo '{"session":"c","ops":[["r","l",[1,2,3]],["w",1,5]]}'; echo '{"session":"d","ops":[["r","l",[1,3,2]],["select",{"keys":[1,9]},[]]]}'; } >lists.jsonl
= 0
$ isolde minimize lists.jsonl --level ser --out -
| {"isolde":1,"kind":"history","notes":["minimised for serializable: 4 of 5 transactions, each with a part of its operations","lists are without the elements whose appends were left out"]}
| {"session":"a","id":"a:1","ops":[["append","l",2]]}
| {"session":"b","id":"b:0","ops":[["append","l",3]]}
| {"session":"c","id":"c:0","ops":[["r","l",[2,3]]]}
| {"session":"d","id":"d:0","ops":[["r","l",[3,2]]]}
= 0
# Nothing to do, and what cannot be done.
$ isolde minimize $DATA/serial.jsonl --level ser
| $DATA/serial.jsonl: serializable holds; there is no violation to reduce it to
= 1
$ isolde minimize $DATA/serial.jsonl
| $DATA/serial.jsonl: no level is violated
= 1
$ isolde minimize $DATA/serial.jsonl --level sser
| $DATA/serial.jsonl: strict-serializable: not-applicable, because the history has no start and end times
= 2
$ isolde check --level ser --certificate holds.jsonl $DATA/serial.jsonl >out.txt
= 0
$ isolde minimize $DATA/serial.jsonl --from holds.jsonl
| $DATA/serial.jsonl: serializable holds, by an order of 3 transactions; there is no violation to reduce it to
= 1
$ sed 's/"kind":"rw"/"kind":"wr"/' proof.jsonl >wrong.jsonl; isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl --from wrong.jsonl
| $DEMO/mariadb-repeatable-read-lost-update.jsonl: not proved: snapshot-isolation is violated, by an argument of 2 steps: step 0: edge 1: a:4 did not, or not surely, read the key from b:5
= 1
$ isolde minimize $DATA/write-skew.jsonl --level ser,si
! isolde: --level takes one level here, not 'ser,si'
= 3
$ isolde minimize $DATA/write-skew.jsonl --level ser --from proof.jsonl
! isolde: --level and --from cannot be given together; give one of them (see isolde minimize --help)
= 3
$ isolde minimize $DATA/write-skew.jsonl --level nothing 2>&1 | cut -c1-60
| isolde: unknown level 'nothing'; isolde levels lists them al
= 0
$ isolde minimize $DATA/bad-json.jsonl
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 3
$ isolde minimize $DATA/write-skew.jsonl --to elle --out x
! isolde: cannot write format 'elle'; histories are written as native or native-binary
= 3
# The report on the part, in the forms that check has.
$ isolde minimize $DEMO/pg-repeatable-read-write-skew.jsonl --level ser --junit small.xml --html small.html --svg small.svg --certificate small.proof | head -4; xmllint --noout small.xml; grep -o '<testsuite .*' small.xml; ls small.*
| $DEMO/pg-repeatable-read-write-skew.jsonl: serializable is violated, by a cycle.
|
|   before  48 transactions with 128 operations
|   after   2 transactions with 4 operations
| <testsuite name="$DEMO/pg-repeatable-read-write-skew.jsonl" tests="1" failures="1" errors="0" skipped="0" time="TIME">
| small.html
| small.jsonl
| small.proof
| small.svg
| small.xml
= 0
$ isolde minimize $DEMO/pg-repeatable-read-write-skew.jsonl --level ser --json | grep -o '"sessions":2,"transactions":2,"operations":4'
| "sessions":2,"transactions":2,"operations":4
= 0
# Where there is no part, on the whole history: JUnit has a test that passed, as of check.
$ isolde minimize $DATA/serial.jsonl --level ser --junit none.xml --sarif none.sarif --edn none.edn; isolde check $DATA/serial.jsonl --level ser --junit check.xml --sarif check.sarif --edn check.edn >out.txt; grep -o '<testsuite .*' none.xml; grep -c '<testcase' none.xml; for form in xml sarif edn; do sed 's/time="[^"]*"//' none.$form >a; sed 's/time="[^"]*"//' check.$form | cmp - a; done
| $DATA/serial.jsonl: serializable holds; there is no violation to reduce it to
| <testsuite name="$DATA/serial.jsonl" tests="1" failures="0" errors="0" skipped="0" time="TIME">
| 1
= 0
$ isolde minimize $DATA/serial.jsonl --level ser --json
| {"schema":1,"file":"$DATA/serial.jsonl","format":"native","sessions":2,"transactions":3,"operations":4,"aborted":0,"indeterminate":0,"summary":{"verdict":"No anomaly that serializable forbids was found in 3 transactions.","occurs":[],"not_seen":["dirty reads","lost updates","write skew","fractured reads"],"meaning":null,"remedy":null,"promise":null},"levels":{"serializable":{"verdict":"holds","reason":"","tried":true,"certificate":null,"anomalies":[]}},"strongest":["serializable"],"weakest_violated":[],"not_checked":[],"evidence":{"in_effect":3,"meetings":3,"overlapping_meetings":2,"reads_from_others":2,"versions_replaced":1,"times":false,"exact":true},"seconds":{"load":TIME,"check":TIME},"work":WORK,"peak_rss_bytes":BYTES}
! isolde: $DATA/serial.jsonl: serializable holds; there is no violation to reduce it to
= 1
$ for option in "--level promised" "--out nowhere/part.jsonl"; do rm -f none.xml none.edn; isolde minimize $DATA/write-skew.jsonl $option --junit none.xml --edn none.edn; echo $?; grep -o '<error message="[^"]*"' none.xml; grep -c ':valid? :unknown' none.edn; done
| 3
| <error message="$DATA/write-skew.jsonl: --level promised: the history does not tell what the database promises; name the level"
| 1
| 4
| <error message="nowhere/part.jsonl: cannot be written: No such file or directory"
| 1
! isolde: $DATA/write-skew.jsonl: --level promised: the history does not tell what the database promises; name the level
! isolde: nowhere/part.jsonl: cannot be written: No such file or directory
= 0
$ isolde minimize $DATA/write-skew.jsonl --certificate nowhere/proof.jsonl --junit none.xml
! isolde: nowhere/proof.jsonl: cannot write: No such file or directory
= 4
$ isolde minimize $DATA/serial.jsonl --junit - | grep -o '<testsuite .*'
| <testsuite name="$DATA/serial.jsonl" tests="38" failures="0" errors="0" skipped="14" time="TIME">
! isolde: $DATA/serial.jsonl: no level is violated
= 0
$ isolde minimize $DATA/serial.jsonl --from holds.jsonl --json | grep -o '"serializable":{"verdict":"[a-z]*"'
| "serializable":{"verdict":"holds"
! isolde: $DATA/serial.jsonl: serializable holds, by an order of 3 transactions; there is no violation to reduce it to
= 0
$ isolde minimize $DATA/serial.jsonl --svg none.svg; ls none.svg
| $DATA/serial.jsonl: no level is violated
! ls: cannot access 'none.svg': No such file or directory
= 2
# What is not decided is no success, and a wrong certificate says nothing.
$ isolde minimize $DATA/serial.jsonl --level sser --junit - | grep -o '<testsuite .*\|<skipped.*'; printf '\n' >blank; isolde minimize --format plume blank --junit - | grep -o '<testsuite .*'
| <testsuite name="$DATA/serial.jsonl" tests="1" failures="0" errors="0" skipped="1" time="TIME">
| <skipped>the history has no start and end times</skipped>
| <testsuite name="blank" tests="38" failures="0" errors="24" skipped="14" time="TIME">
! isolde: $DATA/serial.jsonl: strict-serializable: not-applicable, because the history has no start and end times
! isolde: blank: unknown, because no transaction took effect
= 0
$ isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl --from wrong.jsonl --junit - | grep -o '<testsuite .*\|<error.*'
| <testsuite name="$DEMO/mariadb-repeatable-read-lost-update.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
| <error message="not proved: snapshot-isolation is violated, by an argument of 2 steps: step 0: edge 1: a:4 did not, or not surely, read the key from b:5" type="not checked" />
! isolde: $DEMO/mariadb-repeatable-read-lost-update.jsonl: not proved: snapshot-isolation is violated, by an argument of 2 steps: step 0: edge 1: a:4 did not, or not surely, read the key from b:5
= 0
$ isolde minimize $DATA/write-skew.jsonl --json --out -
! isolde: --out - has standard output for itself; give a file in place of -
= 3
$ isolde minimize $DATA/write-skew.jsonl --json --edn -
! isolde: --json and --edn - cannot share standard output; give one of them, or files in place of -
= 3
# A limit that ends the work at once.
$ isolde minimize $DATA/write-skew.jsonl --level ser --timeout 0.000000001
! isolde: $DATA/write-skew.jsonl: time limit of 1e-09 s reached while reading the input
= 2
# Of a number all increments stay, and the text says why.
$ printf '%s\n' '{"isolde":2,"kind":"history"}' '{"session":"a","ops":[["inc","x",1]]}' '{"session":"b","ops":[["inc","x",1]]}' '{"session":"b","ops":[["inc","y",1]]}' '{"session":"c","ops":[["r","x",9]]}' > counter.jsonl; isolde minimize counter.jsonl --level ser | sed -n '3,7p'; isolde minimize $DATA/write-skew.jsonl --level ser | grep -c increments
|   before  4 transactions with 7 operations
|   after   3 transactions with 5 operations
|
| Nothing more can be left out; 18 parts were checked. The proof is verified.
| Of a number that the proof is about all increments stay: any of them may be in what was read.
| 0
= 1

# Values that hold a balance are told as such, in the text, in the file, and in the steps; and so is the transaction from which the others read.
$ { echo '{"isolde":1,"kind":"history","database":"PostgreSQL 15","isolation":"read-committed","product":"postgres","promise":"read-committed","values":"account/* balance@0+20 initial=100 keys=10 total=1000"}'; echo '{"session":"a","ops":[["w","account/4",251658337]]}'; echo '{"session":"b","ops":[["r","account/4",251658337],["w","account/4",31457379]]}'; echo '{"session":"c","ops":[["r","account/4",251658337],["w","account/4",2097240]]}'; echo '{"session":"d","ops":[["r","account/1",null]]}'; } >bank.jsonl
= 0
$ isolde minimize bank.jsonl --level snapshot-isolation --out bank.small.jsonl | sed -n 3,28p; grep -o '"words".*' bank.small.jsonl
|   before  4 transactions with 6 operations
|   after   3 transactions with 5 operations
|
| Nothing more can be left out; 32 parts were checked. The proof is verified.
| History: bank.small.jsonl
|
| Names, lines and times are those of bank.jsonl:
|
| Lost update (G-single)
|
| Let:
|   T1 = b:0, line 3
|        r(account/4)=balance 97 (#240), w(account/4)=balance 99 (#30)
|   T2 = c:0, line 4
|        r(account/4)=balance 97 (#240), w(account/4)=balance 88 (#2)
| Beside them:
|   a:0, line 2, from which T1 and T2 read
|        w(account/4)=balance 97 (#240)
| Then:
|   T1 < T2 (rw), because T1 read account/4 = balance 97 (#240), which T2 read as well and
|     replaced by balance 88 (#2).
|   T2 < T1 (rw), because T2 read account/4 = balance 97 (#240), which T1 read as well and
|     replaced by balance 99 (#30).
|   T1 < T2 < T1, a contradiction.
| Whichever of T1 and T2 came first, the other one overwrote its write of account/4 without having
|   seen it. T1 changed the balance that it read by +2 and T2 by -9; one of the two changes is
| "words":["w(account/4)=balance 97 (#240)"]}
| "words":["r(account/4)=balance 97 (#240)","w(account/4)=balance 99 (#30)"]}
| "words":["r(account/4)=balance 97 (#240)","w(account/4)=balance 88 (#2)"]}
= 0
$ isolde minimize bank.small.jsonl --level snapshot-isolation --out - | cmp - bank.small.jsonl
= 0
$ isolde replay bank.small.jsonl --script - --for postgres | grep -e 'w(' -e recorded:
| -- recorded: what the read returned in the history. expected: what it returns when the
| -- 2. session A: w(account/4, 251658337 = balance 97 (#240))
| --    recorded: 251658337 = balance 97 (#240), expected: 31457379 = balance 99 (#30)  <--
| -- 8. session B: w(account/4, 31457379 = balance 99 (#30))
| -- 10. session C: w(account/4, 2097240 = balance 88 (#2))
= 0
$ isolde replay bank.small.jsonl --script - --for redis | grep -e 'w(' -e recorded:
| recorded: what the read returned in the history. expected: what it returns when the
| 2. session A: w(account/4, 251658337 = balance 97 (#240))
|    recorded: 251658337 = balance 97 (#240), expected: 31457379 = balance 99 (#30)  <--
| 8. session B: w(account/4, 31457379 = balance 99 (#30))
| 10. session C: w(account/4, 2097240 = balance 88 (#2))
= 0
$ isolde minimize bank.jsonl --level promised
| bank.jsonl: read-committed holds; there is no violation to reduce it to
= 1
$ isolde minimize bank.jsonl --level promised,ser
! isolde: --level takes one level here, not 'promised,ser'
= 3
$ isolde minimize $DATA/lost-update.jsonl --level promised
! isolde: $DATA/lost-update.jsonl: --level promised: the history does not tell what the database promises; name the level
= 3
$ sed '1s/"promise":"read-committed"/"promise":"snapshot-isolation"/' bank.jsonl | isolde minimize - --level promised | head -1
| -: snapshot-isolation is violated, by an argument of 2 steps.
= 0
$ sed '1s/"promise":"read-committed"/"promise":"none","no_promise":"nobody says"/' bank.jsonl | isolde minimize - --level promised
! isolde: -: --level promised: nothing is promised here: nobody says
= 3
# What was asked for by name is an error, as check has it.
$ for l in '--level si' ''; do isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl $l --github --sarif $PWD/level.sarif | grep -o '^::[we][a-z]*'; grep -o '"level": *"[a-z]*"' level.sarif | grep -v note; done
| ::error
| "level": "error"
| ::warning
| "level": "warning"
= 0
