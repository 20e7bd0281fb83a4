# JUnit: a suite for each history, a case for each level.
$ isolde check --level serializable,snapshot-isolation,strict-serializable --junit - $DATA/write-skew.jsonl $DATA/truncated.jsonl $DATA/bad-json.jsonl
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="7" failures="1" errors="3" time="TIME">
|   <testsuite name="$DATA/write-skew.jsonl" tests="3" failures="1" errors="0" skipped="1" time="TIME">
|     <properties>
|       <property name="format" value="native" />
|       <property name="sessions" value="2" />
|       <property name="transactions" value="2" />
|       <property name="operations" value="6" />
|       <property name="aborted" value="0" />
|       <property name="indeterminate" value="0" />
|       <property name="evidence" value="2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times" />
|     </properties>
|     <testcase name="strict-serializable" classname="isolde.$DATA/write-skew_jsonl">
|       <skipped>the history has no start and end times</skipped>
|     </testcase>
|     <testcase name="serializable" classname="isolde.$DATA/write-skew_jsonl">
|       <failure message="write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the initial value of x, which A:0 replaced by 1" type="G2-item">Write skew (G2-item)
|
| Let:
|   T1 = A:0, line 2
|        r(x)=initial r(y)=initial w(x)=1
|   T2 = B:0, line 3
|        r(x)=initial r(y)=initial w(y)=2
| Then:
|   T1 &lt; T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.
|   T2 &lt; T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|   T1 &lt; T2 &lt; T1, a contradiction.
| So T1 did not see T2's write of y and T2 did not see T1's write of x: neither can have come
|   first.
| Notation: T1 &lt; T2, T1 must come before T2; A:0, session A's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A &lt; B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
| </failure>
|     </testcase>
|     <testcase name="snapshot-isolation" classname="isolde.$DATA/write-skew_jsonl" />
|   </testsuite>
|   <testsuite name="$DATA/truncated.jsonl" tests="3" failures="0" errors="2" skipped="1" time="TIME">
|     <properties>
|       <property name="format" value="native" />
|       <property name="sessions" value="1" />
|       <property name="transactions" value="1" />
|       <property name="operations" value="1" />
|       <property name="aborted" value="0" />
|       <property name="indeterminate" value="0" />
|       <property name="evidence" value="1 transaction took effect; transactions of different sessions met 0 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times" />
|     </properties>
|     <testcase name="strict-serializable" classname="isolde.$DATA/truncated_jsonl">
|       <skipped>the history has no start and end times</skipped>
|     </testcase>
|     <testcase name="serializable" classname="isolde.$DATA/truncated_jsonl">
|       <error message="the input is cut off; what is there holds" type="unknown" />
|     </testcase>
|     <testcase name="snapshot-isolation" classname="isolde.$DATA/truncated_jsonl">
|       <error message="the input is cut off; what is there holds" type="unknown" />
|     </testcase>
|     <system-out>Left out or assumed:
| line 3 is cut off and left out; the recorder seems to have stopped while writing it
| </system-out>
|   </testsuite>
|   <testsuite name="$DATA/bad-json.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
|     <testcase name="can be checked" classname="isolde.$DATA/bad-json_jsonl">
|       <error message="$DATA/bad-json.jsonl:3: unknown operation &quot;q&quot;; expected &quot;r&quot;, &quot;w&quot;, &quot;append&quot;, &quot;delete&quot;, &quot;inc&quot;, &quot;cas&quot;, &quot;refused&quot;, &quot;select&quot; or an aggregate" type="not checked" />
|     </testcase>
|   </testsuite>
| </testsuites>
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 3
# Names may hold any bytes, and the document is well-formed all the same.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"<a>\\u0001\\u202e&","ops":[["r","k\\u0007\\"\\ufffe",1]]}\n' > names.jsonl; name=$(printf 'a\001\033<&">\377.jsonl'); cp names.jsonl "$name"; isolde check --level ser --junit names.xml "$name" absent$name > /dev/null 2>&1; echo $?; xmllint --noout names.xml && grep -c '<testsuite ' names.xml
| 4
| 2
= 0
$ isolde check --level serializable,snapshot-isolation --junit report.xml $DEMO/pg-repeatable-read-write-skew.jsonl
| $DEMO/pg-repeatable-read-write-skew.jsonl: native, 4 sessions, 48 transactions (10 aborted), 128 operations, 6 keys
| recorded from PostgreSQL 15.20 REPEATABLE READ
|
|   In short: Write skew occurs. Dirty reads, lost updates and fractured reads: not seen in 38
|     transactions.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: use SERIALIZABLE, and run a transaction again that ends with error 40001; or
|     lock with SELECT ... FOR UPDATE every row on which a decision rests.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 40P01: lock rows in one order
|     everywhere (ORDER BY the key), commit soon, and run again what ends with error 40001 or
|     40P01.
|
|   serializable        violated        write skew (G2-item)
|   snapshot-isolation  holds
|
| Why not serializable:
|
|   Write skew (G2-item)
|
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
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
|   38 transactions took effect
|   overlapping transactions met 24 times on a key that one of them wrote
|   41 reads saw another session's write
|   25 versions were replaced
= 1
$ isolde check --timeout 0.000001 --level serializable --junit - $DATA/write-skew.jsonl
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="0" errors="1" time="TIME">
|   <testsuite name="$DATA/write-skew.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
|     <testcase name="serializable" classname="isolde.$DATA/write-skew_jsonl">
|       <error message="time limit of 1e-06 s reached while reading the input" type="unknown" />
|     </testcase>
|   </testsuite>
| </testsuites>
= 2
# SARIF: lines of the history, the cycle as a code flow.
$ isolde check --level serializable --sarif - $DATA/write-skew.jsonl
| {
|   "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
|   "version": "2.1.0",
|   "runs": [
|     {
|       "tool": {
|         "driver": {
|           "name": "isolde",
|           "version": "0.1.0",
|           "rules": [
|             {
|               "id": "G2-item.write-skew",
|               "name": "WriteSkew",
|               "shortDescription": {
|                 "text": "Write skew (G2-item)"
|               },
|               "fullDescription": {
|                 "text": "Each of two transactions read what the other one was about to change, and neither saw the other's change; run one after the other, the second would have seen it."
|               },
|               "help": {
|                 "text": "Each of two transactions read what the other one was about to change, and neither saw the other's change; run one after the other, the second would have seen it. Where to look: snapshot isolation allows this by design, because it compares what transactions wrote and not what they read; where serializability was asked for, a read was not tracked or its lock was released too early. docs/ANOMALIES.md has the smallest history of it."
|               },
|               "properties": {
|                 "tags": [
|                   "isolation",
|                   "G2-item"
|                 ]
|               }
|             }
|           ]
|         }
|       },
|       "invocations": [
|         {
|           "executionSuccessful": true,
|           "toolExecutionNotifications": [
|             {
|               "level": "note",
|               "message": {
|                 "text": "Evidence: 2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times."
|               },
|               "locations": [
|                 {
|                   "physicalLocation": {
|                     "artifactLocation": {
|                       "uri": "file://$DATA/write-skew.jsonl"
|                     }
|                   }
|                 }
|               ]
|             }
|           ]
|         }
|       ],
|       "artifacts": [
|         {
|           "location": {
|             "uri": "file://$DATA/write-skew.jsonl"
|           },
|           "roles": [
|             "analysisTarget"
|           ]
|         }
|       ],
|       "results": [
|         {
|           "ruleId": "G2-item.write-skew",
|           "ruleIndex": 0,
|           "kind": "fail",
|           "level": "error",
|           "properties": {
|             "levels": [
|               "serializable"
|             ]
|           },
|           "message": {
|             "text": "Not serializable: write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the initial value of x, which A:0 replaced by 1."
|           },
|           "locations": [
|             {
|               "physicalLocation": {
|                 "artifactLocation": {
|                   "uri": "file://$DATA/write-skew.jsonl"
|                 },
|                 "region": {
|                   "startLine": 2
|                 }
|               },
|               "logicalLocations": [
|                 {
|                   "name": "A:0",
|                   "kind": "transaction"
|                 }
|               ],
|               "message": {
|                 "text": "A:0: r(x)=initial, r(y)=initial, w(x)=1"
|               }
|             }
|           ],
|           "relatedLocations": [
|             {
|               "physicalLocation": {
|                 "artifactLocation": {
|                   "uri": "file://$DATA/write-skew.jsonl"
|                 },
|                 "region": {
|                   "startLine": 3
|                 }
|               },
|               "logicalLocations": [
|                 {
|                   "name": "B:0",
|                   "kind": "transaction"
|                 }
|               ],
|               "message": {
|                 "text": "B:0: r(x)=initial, r(y)=initial, w(y)=2"
|               }
|             }
|           ],
|           "codeFlows": [
|             {
|               "message": {
|                 "text": "A:0 < B:0 < A:0"
|               },
|               "threadFlows": [
|                 {
|                   "locations": [
|                     {
|                       "location": {
|                         "physicalLocation": {
|                           "artifactLocation": {
|                             "uri": "file://$DATA/write-skew.jsonl"
|                           },
|                           "region": {
|                             "startLine": 2
|                           }
|                         },
|                         "logicalLocations": [
|                           {
|                             "name": "A:0",
|                             "kind": "transaction"
|                           }
|                         ],
|                         "message": {
|                           "text": "A:0 < B:0 (rw), because A:0 read the initial value of y, which B:0 replaced by 2."
|                         }
|                       }
|                     },
|                     {
|                       "location": {
|                         "physicalLocation": {
|                           "artifactLocation": {
|                             "uri": "file://$DATA/write-skew.jsonl"
|                           },
|                           "region": {
|                             "startLine": 3
|                           }
|                         },
|                         "logicalLocations": [
|                           {
|                             "name": "B:0",
|                             "kind": "transaction"
|                           }
|                         ],
|                         "message": {
|                           "text": "B:0 < A:0 (rw), because B:0 read the initial value of x, which A:0 replaced by 1."
|                         }
|                       }
|                     },
|                     {
|                       "location": {
|                         "physicalLocation": {
|                           "artifactLocation": {
|                             "uri": "file://$DATA/write-skew.jsonl"
|                           },
|                           "region": {
|                             "startLine": 2
|                           }
|                         },
|                         "logicalLocations": [
|                           {
|                             "name": "A:0",
|                             "kind": "transaction"
|                           }
|                         ],
|                         "message": {
|                           "text": "A:0 < B:0 < A:0, a contradiction."
|                         }
|                       }
|                     }
|                   ]
|                 }
|               ]
|             }
|           ],
|           "partialFingerprints": {
|             "story/v1": "198bc3d6cbd7623c"
|           }
|         }
|       ]
|     }
|   ]
| }
= 1
$ isolde check --level serializable --sarif report.sarif $DEMO/pg-repeatable-read-write-skew.jsonl
| $DEMO/pg-repeatable-read-write-skew.jsonl: native, 4 sessions, 48 transactions (10 aborted), 128 operations, 6 keys
| recorded from PostgreSQL 15.20 REPEATABLE READ
|
|   In short: Write skew occurs.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: use SERIALIZABLE, and run a transaction again that ends with error 40001; or
|     lock with SELECT ... FOR UPDATE every row on which a decision rests.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 40P01: lock rows in one order
|     everywhere (ORDER BY the key), commit soon, and run again what ends with error 40001 or
|     40P01.
|
|   serializable  violated        write skew (G2-item)
|
| Why not serializable:
|
|   Write skew (G2-item)
|
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
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
|   38 transactions took effect
|   overlapping transactions met 24 times on a key that one of them wrote
|   41 reads saw another session's write
|   25 versions were replaced
= 1
$ python3 -c 'import json; [print(p["physicalLocation"]["artifactLocation"]["uri"], p["physicalLocation"]["region"]) for r in json.load(open("report.sarif"))["runs"][0]["results"] for p in r["locations"] + r["relatedLocations"]]'
| file://$DEMO/pg-repeatable-read-write-skew.jsonl {'startLine': 6}
| file://$DEMO/pg-repeatable-read-write-skew.jsonl {'startLine': 7}
= 0
# Without a question results are warnings, and a history that cannot be read is a notification.
$ isolde check --sarif - $DATA/aborted-read.jsonl $DATA/not-a-history.txt | python3 -c 'import json, sys; run = json.load(sys.stdin)["runs"][0]; print([(r["ruleId"], r["level"]) for r in run["results"]], [i["level"] for i in run["invocations"][0]["toolExecutionNotifications"]])'
| [('G1a.aborted-read', 'warning')] ['note', 'note', 'note', 'error']
! isolde: $DATA/not-a-history.txt: no format recognises this input; name one of them with --format: native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 0
# In a folder the place is the file of the session.
$ mkdir logs && printf '{"value": [["w", 1, 1, true]]}\n{"value": [["r", 2, 0, false]]}\n' > logs/J0.log && printf '{"value": [["w", 2, 2, true]]}\n{"value": [["r", 1, 0, false]]}\n' > logs/J1.log
= 0
$ isolde check --level strong-session-serializable --sarif - logs | grep -A 3 -E '"uri"|startLine' | grep -E 'J|startLine' | sort | uniq -c
|       3                             "startLine": 1
|       2                             "startLine": 2
|       3                             "uri": "logs/J0.log"
|       2                             "uri": "logs/J1.log"
|       2                   "startLine": 1
|       2                   "startLine": 2
|       2                   "uri": "logs/J0.log"
|       2                   "uri": "logs/J1.log"
= 0
# Annotations of GitHub.
$ isolde check --level snapshot-isolation --github $DEMO/mariadb-repeatable-read-lost-update.jsonl
| ::stop-commands::isolde-TOKEN
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
| ::isolde-TOKEN::
| ::error file=$DEMO/mariadb-repeatable-read-lost-update.jsonl,line=17,title=Not snapshot-isolation%3A lost update (G-single)::lost update: a:4 and b:5 both read and then wrote stock.plums, and neither saw the other's write.%0Aa:4 < b:5, because a:4 read stock.plums = 3, which b:5 read as well and replaced by 8.%0Ab:5 < a:4, because b:5 read stock.plums = 3, which a:4 read as well and replaced by 7.%0AThat is: two transactions both wrote an item, and the one that came second had read it before the other one's change, which it overwrote without having seen it.
| ::notice file=$DEMO/mariadb-repeatable-read-lost-update.jsonl,title=Evidence::48 transactions took effect; overlapping transactions met 26 times on a key that one of them wrote; 24 reads saw another session's write; 25 versions were replaced
= 1
# Annotations and SARIF name the levels that the database can be set to first, as the text does.
$ isolde check --github --sarif set.sarif $DEMO/mariadb-repeatable-read-lost-update.jsonl | grep -o -E "title=Not .*%3A|^Why not .*"; grep -o '"Not serial[^:]*' set.sarif
| Why not serializable, parallel-snapshot-isolation, linearizable:
| title=Not serializable%2C parallel-snapshot-isolation%2C linearizable%3A
| "Not serializable, parallel-snapshot-isolation, linearizable
= 0
$ isolde check --github $DATA/torn-view.jsonl | grep '^::'
| ::stop-commands::isolde-TOKEN
| ::isolde-TOKEN::
| ::warning file=$DATA/torn-view.jsonl,line=2,title=Not read-atomic%3A fractured read (G-single)::fractured read: C:0 read x = 2 from B:0, although A:0 wrote x = 1 and C:0 read y = 1 from A:0, but C:0 read y = 1 from A:0, although B:0 wrote y = 2 and C:0 read x = 2 from B:0.%0AA:0 < B:0, because C:0 read x = 2 from B:0, although A:0 wrote x = 1 and C:0 read y = 1 from A:0.%0AB:0 < A:0, because C:0 read y = 1 from A:0, although B:0 wrote y = 2 and C:0 read x = 2 from B:0.%0AThat is: a transaction saw one write of another transaction but not its other write, so it saw that transaction half done.
| ::notice file=$DATA/torn-view.jsonl,title=Evidence::3 transactions took effect; transactions of different sessions met 6 times on a key that one of them wrote; 2 reads saw another session's write; 2 versions were replaced; whether transactions overlapped is not known, for there are no times
= 0
$ isolde check --github --level strict-serializable,serializable $DATA/serial.jsonl $DATA/bad-json.jsonl | grep '^::'
| ::stop-commands::isolde-TOKEN
| ::isolde-TOKEN::
| ::notice file=$DATA/serial.jsonl,title=Evidence::3 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 2 reads saw another session's write; 1 version was replaced; whether transactions overlapped is not known, for there are no times
| ::warning file=$DATA/serial.jsonl,title=Not applicable%3A strict-serializable::the history has no start and end times
| ::error file=$DATA/bad-json.jsonl,title=Not checked::$DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 0
# EDN, as Elle has it.
$ isolde check --edn - $DEMO/mariadb-repeatable-read-lost-update.jsonl
| {:valid? false,
|  :anomaly-types (:lost-update),
|  :anomalies
|  {:lost-update
|   [{:key "stock.plums", :value 3, :txns [{:type :ok, :f :txn, :value [[:r "stock.plums" 3] [:w "stock.plums" 7]], :process "a", :time 143798087, :isolde/txn "a:4", :isolde/line 17}
|       {:type :ok, :f :txn, :value [[:r "stock.plums" 3] [:w "stock.plums" 8]], :process "b", :time 153566572, :isolde/txn "b:5", :isolde/line 18}]}]},
|  :not #{:cursor-stability :update-atomic},
|  :also-not #{:consistent-view :forward-consistent-view :parallel-snapshot-isolation :repeatable-read :serializable :snapshot-isolation :strong-serializable :strong-session-serializable :strong-session-snapshot-isolation :strong-snapshot-isolation :update-serializable},
|  :isolde/file "$DEMO/mariadb-repeatable-read-lost-update.jsonl",
|  :isolde/levels {:holds #{:strong-prefix-consistency :strong-session-prefix-consistency :prefix-consistency :sequential :strong-transactional-causal :transactional-causal :causal :strong-read-atomic :strong-session-read-atomic :read-atomic :strong-monotonic-atomic-view :strong-session-monotonic-atomic-view :monotonic-atomic-view :strong-read-committed :strong-session-read-committed :writes-follow-reads :monotonic-writes :monotonic-reads :read-your-writes :read-committed :strong-read-uncommitted :strong-session-read-uncommitted :read-uncommitted}, :violated #{:strict-serializable :per-key-strict-serializable :strong-session-serializable :serializable :repeatable-read :strong-snapshot-isolation :strong-session-snapshot-isolation :snapshot-isolation :strong-parallel-snapshot-isolation :strong-session-parallel-snapshot-isolation :parallel-snapshot-isolation :linearizable}, :not-applicable #{:commit-ordered-strong-snapshot-isolation :prefix-consistent-snapshot-isolation :ansi-snapshot-isolation}},
|  :isolde/reasons {"the history has no times of the database" #{:commit-ordered-strong-snapshot-isolation :prefix-consistent-snapshot-isolation :ansi-snapshot-isolation}},
|  :isolde/evidence "48 transactions took effect; overlapping transactions met 26 times on a key that one of them wrote; 24 reads saw another session's write; 25 versions were replaced"}
= 0
$ isolde check --level serializable,snapshot-isolation --edn - $DATA/write-skew.jsonl $DATA/serial.jsonl $DATA/empty.jsonl
| {:valid? false,
|  :anomaly-types (:G2-item),
|  :anomalies
|  {:G2-item
|   [{:cycle
|      [{:type :ok, :f :txn, :value [[:r "x" nil] [:r "y" nil] [:w "x" 1]], :process "A", :isolde/txn "A:0", :isolde/line 2}
|       {:type :ok, :f :txn, :value [[:r "x" nil] [:r "y" nil] [:w "y" 2]], :process "B", :isolde/txn "B:0", :isolde/line 3}
|       {:type :ok, :f :txn, :value [[:r "x" nil] [:r "y" nil] [:w "x" 1]], :process "A", :isolde/txn "A:0", :isolde/line 2}],
|      :steps
|      ({:type :rw, :key "y", :value nil, :value' 2, :a-mop-index 1, :b-mop-index 2, :isolde/because "A:0 read the initial value of y, which B:0 replaced by 2"}
|       {:type :rw, :key "x", :value nil, :value' 1, :a-mop-index 0, :b-mop-index 2, :isolde/because "B:0 read the initial value of x, which A:0 replaced by 1"}),
|      :type :G2-item}]},
|  :not #{:serializable},
|  :also-not #{:strong-serializable :strong-session-serializable},
|  :isolde/file "$DATA/write-skew.jsonl",
|  :isolde/levels {:holds #{:snapshot-isolation}, :violated #{:serializable}},
|  :isolde/reasons {},
|  :isolde/evidence "2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times"}
| {:valid? true,
|  :isolde/file "$DATA/serial.jsonl",
|  :isolde/levels {:holds #{:serializable :snapshot-isolation}},
|  :isolde/reasons {},
|  :isolde/evidence "3 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 2 reads saw another session's write; 1 version was replaced; whether transactions overlapped is not known, for there are no times"}
| {:valid? :unknown,
|  :anomaly-types (),
|  :anomalies
|  {},
|  :not #{},
|  :also-not #{},
|  :isolde/file "$DATA/empty.jsonl",
|  :isolde/levels {:unknown #{:serializable :snapshot-isolation}},
|  :isolde/reasons {"no transaction took effect" #{:serializable :snapshot-isolation}},
|  :isolde/evidence "0 transactions took effect; transactions of different sessions met 0 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced"}
= 1
$ isolde check --level rc --edn - $ROOT/test/fuzz/corpus/jepsen_edn/append.edn
| {:valid? false,
|  :anomaly-types (:G1a),
|  :anomalies
|  {:G1a
|   [{:op {:type :ok, :f :txn, :value [[:append 1 5] [:r 2 [6 7]]], :process 0, :isolde/txn "#0", :isolde/line 1, :isolde/end-line 3}, :mop [:r 2 [6 7]], :element 7, :writer {:type :fail, :f :txn, :value [[:append 2 7]], :process "1.1", :isolde/txn "1.1:0", :isolde/line 6}, :isolde/because "aborted read: #0 read key 2 = [6 7], whose element 7 only the aborted 1.1:0 appended"}]},
|  :not #{:read-committed},
|  :also-not #{:causal-cerone :consistent-view :cursor-stability :forward-consistent-view :monotonic-atomic-view :monotonic-snapshot-read :monotonic-view :parallel-snapshot-isolation :prefix :read-atomic :repeatable-read :serializable :snapshot-isolation :strong-read-committed :strong-serializable :strong-session-read-committed :strong-session-serializable :strong-session-snapshot-isolation :strong-snapshot-isolation :update-atomic :update-serializable},
|  :isolde/file "$ROOT/test/fuzz/corpus/jepsen_edn/append.edn",
|  :isolde/levels {:violated #{:read-committed}},
|  :isolde/reasons {},
|  :isolde/evidence "1 transaction took effect; transactions of different sessions met 1 time on a key that one of them wrote; 1 read saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times",
|  :isolde/notes ["1 completion without :invoke; real-time order is not known" "1 transaction of a process id that came back after :info; taken as another session" "1 log line of processes that are not clients left out"]}
= 1
# The example of Elle's README: its map has G1c with these steps, a wr edge on :y and a ww edge on
# :x, and in newer versions read committed as the weakest model.
$ printf '{:type :ok, :value [[:append :x 1] [:r :y [1]]]}\n{:type :ok, :value [[:append :x 2] [:append :y 1]]}\n{:type :ok, :value [[:r :x [1 2]]]}\n' > elle.edn && isolde check --edn - elle.edn | grep -v '^ :isolde/[lr]'
| {:valid? false,
|  :anomaly-types (:G1c),
|  :anomalies
|  {:G1c
|   [{:cycle
|      [{:type :ok, :f :txn, :value [[:append :x 1] [:r :y [1]]], :process "t0", :isolde/txn "t0:0", :isolde/line 1}
|       {:type :ok, :f :txn, :value [[:append :x 2] [:append :y 1]], :process "t1", :isolde/txn "t1:0", :isolde/line 2}
|       {:type :ok, :f :txn, :value [[:append :x 1] [:r :y [1]]], :process "t0", :isolde/txn "t0:0", :isolde/line 1}],
|      :steps
|      ({:type :ww, :key :x, :value 1, :value' 2, :a-mop-index 0, :b-mop-index 0, :isolde/because "t0:0 appended 1 to :x before t1:0 appended 2, for t2:0 read :x = [1 2]"}
|       {:type :wr, :key :y, :value 1, :a-mop-index 1, :b-mop-index 1, :isolde/because "t0:0 read :y = [1], of which t1:0 appended 1"}),
|      :type :G1c}]},
|  :not #{:read-committed},
|  :also-not #{:causal-cerone :consistent-view :cursor-stability :forward-consistent-view :monotonic-atomic-view :monotonic-snapshot-read :monotonic-view :parallel-snapshot-isolation :prefix :read-atomic :repeatable-read :serializable :snapshot-isolation :strong-read-committed :strong-serializable :strong-session-read-committed :strong-session-serializable :strong-session-snapshot-isolation :strong-snapshot-isolation :update-atomic :update-serializable},
|  :isolde/file "elle.edn",
|  :isolde/evidence "3 transactions took effect; transactions of different sessions met 4 times on a key that one of them wrote; 2 reads saw another session's write; 1 version was replaced; whether transactions overlapped is not known, for there are no times",
|  :isolde/notes ["3 completions without :invoke; real-time order is not known"]}
= 0
# One document at standard output; the report goes elsewhere or nowhere.
$ isolde check --level ser --edn - $DATA/stale-by-5ms.jsonl | grep notes
|  :isolde/notes ["no two overlapping transactions used a key that one of them wrote, so serializable was not put to the test; more sessions at once on fewer keys would do that"]}
= 0
$ isolde check --junit - --edn - $DATA/serial.jsonl
! isolde: --junit - and --edn - cannot share standard output; give one of them, or files in place of -
= 3
$ isolde check --json --github $DATA/serial.jsonl
! isolde: --json and --github cannot share standard output; give one of them, or files in place of -
= 3
$ isolde check --json --edn report.edn $DATA/serial.jsonl | wc -l && cat report.edn
| 1
| {:valid? true,
|  :isolde/file "$DATA/serial.jsonl",
|  :isolde/levels {:holds #{:strong-session-serializable :serializable :repeatable-read :strong-session-snapshot-isolation :snapshot-isolation :strong-session-parallel-snapshot-isolation :parallel-snapshot-isolation :strong-session-prefix-consistency :prefix-consistency :sequential :transactional-causal :causal :strong-session-read-atomic :read-atomic :strong-session-monotonic-atomic-view :monotonic-atomic-view :strong-session-read-committed :writes-follow-reads :monotonic-writes :monotonic-reads :read-your-writes :read-committed :strong-session-read-uncommitted :read-uncommitted}, :not-applicable #{:strict-serializable :per-key-strict-serializable :commit-ordered-strong-snapshot-isolation :prefix-consistent-snapshot-isolation :ansi-snapshot-isolation :strong-snapshot-isolation :strong-parallel-snapshot-isolation :strong-prefix-consistency :linearizable :strong-transactional-causal :strong-read-atomic :strong-monotonic-atomic-view :strong-read-committed :strong-read-uncommitted}},
|  :isolde/reasons {"the history has no start and end times" #{:strict-serializable :per-key-strict-serializable :strong-snapshot-isolation :strong-parallel-snapshot-isolation :strong-prefix-consistency :linearizable :strong-transactional-causal :strong-read-atomic :strong-monotonic-atomic-view :strong-read-committed :strong-read-uncommitted}, "the history has no times of the database" #{:commit-ordered-strong-snapshot-isolation :prefix-consistent-snapshot-isolation :ansi-snapshot-isolation}},
|  :isolde/evidence "3 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 2 reads saw another session's write; 1 version was replaced; whether transactions overlapped is not known, for there are no times"}
= 0
$ isolde check --level serializable --junit no/such/folder.xml $DATA/serial.jsonl
! isolde: no/such/folder.xml: cannot write: No such file or directory
= 4
# Equal bytes each time, whatever the number of threads.
$ for threads in 1 2; do isolde check --threads $threads --sarif $threads.sarif --edn $threads.edn $DATA/long-fork.jsonl $DATA/lost-update.jsonl > /dev/null; done; cmp 1.sarif 2.sarif && cmp 1.edn 2.edn && echo equal
| equal
= 0

# Where there is nothing to draw in place of the report, the other channel says why.
$ isolde check --dot - $DATA/serial.jsonl
! isolde: --dot: $DATA/serial.jsonl: no violation to show
= 0
$ printf '\n' > blank; isolde check --format plume --level rc,si --svg - blank
! isolde: --svg: blank: no violation to show; not decided: snapshot-isolation and 1 more, because no transaction took effect
= 2

# Without a history --json has no line, and the other channel says why; other documents say it themselves.
$ isolde check --level ser --json $DATA/bad-json.jsonl $DATA/serial.jsonl | grep -o '"file":"[^"]*"'
| "file":"$DATA/serial.jsonl"
! isolde: $DATA/bad-json.jsonl:3: unknown operation "q"; expected "r", "w", "append", "delete", "inc", "cas", "refused", "select" or an aggregate
= 0
$ isolde run --db sqlite:/nowhere/x --workload mini --no-progress --out no.jsonl --json; echo $?; isolde run --db sqlite:/nowhere/x --workload mini --no-progress --out no.jsonl --junit no.xml; grep -c '<error' no.xml
| 4
| 1
! isolde: sqlite:/nowhere/x: unable to open database file: No such file or directory
! isolde: sqlite:/nowhere/x: unable to open database file: No such file or directory
= 0

# What an earlier run has left at the place of an output is not taken for this one's.
$ isolde check $DEMO/mariadb-repeatable-read-lost-update.jsonl --level rc --svg p.svg --dot p.dot --certificate c >/dev/null; isolde check $DEMO/mariadb-repeatable-read-lost-update.jsonl --level si --svg p.svg --dot p.dot >/dev/null; ls c p.dot p.svg
| c
| p.dot
| p.svg
= 0
$ isolde check $DEMO/mariadb-repeatable-read-lost-update.jsonl --level rc --min-committed 9999 --svg p.svg --dot p.dot --certificate c >/dev/null; ls c p.dot p.svg
! isolde: c: removed, for it was of an earlier run: read-committed is not decided
! isolde: p.dot: removed, for it was of an earlier run: there is no violation to show
! isolde: p.svg: removed, for it was of an earlier run: there is no violation to show
! ls: cannot access 'c': No such file or directory
! ls: cannot access 'p.dot': No such file or directory
! ls: cannot access 'p.svg': No such file or directory
= 2
$ echo old >p.svg; echo old >c; isolde check nosuch.jsonl --svg p.svg; isolde minimize $DEMO/mariadb-repeatable-read-lost-update.jsonl --level rc --certificate c >/dev/null; ls c p.svg
! isolde: p.svg: removed, for it was of an earlier run: there is no history to tell of
! isolde: nosuch.jsonl: cannot be read: No such file or directory; check the path
! isolde: c: removed, for it was of an earlier run: read-committed holds; there is no violation to reduce it to
! ls: cannot access 'c': No such file or directory
! ls: cannot access 'p.svg': No such file or directory
= 2
# With several, each by its name; what is no plain file stays.
$ echo old >q.1.svg; echo old >q.2.svg; echo old >to; ln -s to q.3.svg; for i in 1 2 3; do echo $DEMO/mariadb-repeatable-read-lost-update.jsonl; done | xargs isolde check --level rc --svg q >/dev/null; ls q.*
| q.3.svg
! isolde: q.1.svg: removed, for it was of an earlier run: there is no violation to show
! isolde: q.2.svg: removed, for it was of an earlier run: there is no violation to show
= 0
# The place is looked at before the work.
$ for o in svg dot certificate html junit sarif edn; do isolde check $DEMO/mariadb-repeatable-read-lost-update.jsonl --level rc --$o nowhere/x; done; mkdir place; isolde check nosuch.jsonl --svg place; isolde check nosuch.jsonl --svg to/x
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: nowhere/x: cannot write: No such file or directory
! isolde: place: cannot write: Is a directory
! isolde: to/x: cannot write: Not a directory
= 4
