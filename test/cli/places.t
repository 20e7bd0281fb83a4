# Where transactions stand in inputs of several kinds, and how they are called.
# A folder: the file of the session is named.
$ mkdir logs; printf '%s\n' '{"value":[["r",1,"nil",true],["w",2,20,true]]}' >logs/J1.log; printf '%s\n' '{"value":[["w",7,1,true]]}' '{"value":[["r",2,"nil",true],["w",1,10,true]]}' >logs/J2.log
= 0
$ isolde check --level ser logs | grep ' T[0-9] = '
|     T1 = s1:0, J1.log, line 1
|     T2 = s2:1, J2.log, line 2
= 0
$ isolde check --level ser --json logs | grep -o '"places":[^]]*]'
| "places":[{"transaction":"s1:0","file":"logs/J1.log","line":1},{"transaction":"s2:1","file":"logs/J2.log","line":2}]
= 0
# Recorded names, of strings and of numbers. Without one it is session and place.
$ { echo '{"isolde":1,"kind":"history"}'; echo '{"session":"a","id":"T4","ops":[["r","x",null],["w","y",1]]}'; echo '{"session":"b","id":17,"ops":[["r","y",null],["w","z",1]]}'; echo '{"session":"b","ops":[["r","z",null],["w","x",1]]}'; } >named.jsonl
= 0
$ isolde check --level ser named.jsonl | grep -e ' = ' -e ' < '
|     T1 = T4, session a, line 2
|     T2 = b:1, line 4
|     T3 = #17, session b, line 3
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|     T2 < T3 (rw), because T2 read the initial value of z, which T3 replaced by 1.
|     T3 < T1 (rw), because T3 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T3 < T1, a contradiction.
|   Notation: T1 < T2, T1 must come before T2; b:1, session b's transaction 1, counted from 0;
|   A < B by rw: A read a version that B replaced, so it did not see B.
= 0
# What is left of a history keeps its names.
$ isolde minimize $DEMO/pg-serializable-upsert.jsonl --level ser --out small.jsonl | grep -e ' = ' -e since
|   T1 = s2:7, line 30, from 22.822 ms to 23.376 ms
|   T2 = s5:6, line 31, from 22.181 ms to 23.634 ms
|   T3 = s3:5, line 32, from 23.087 ms to 24.311 ms
|   Times are since the first start of the whole history.
|   T1 < T2 (rw), because T1 read key 10148 = [176340], without T2's append of 177078.
|   T2 < T3 (wr), because T3 read key 10148 = [176340 177078], of which T2 appended 177078.
|   T3 < T1 (rw), because T3 read key 10139 = [185171], without T1's append of 185195.
= 0
$ isolde check --level ser small.jsonl | grep -e ' = ' -e since
|     T1 = s2:7, line 4, from 1.721 ms to 2.275 ms
|     T2 = s5:6, line 5, from 1.081 ms to 2.534 ms
|     T3 = s3:5, line 6, from 1.987 ms to 3.210 ms
|     Times are since the first start of the history.
|     T1 < T2 (rw), because T1 read key 10148 = [176340], without T2's append of 177078.
|     T2 < T3 (wr), because T3 read key 10148 = [176340 177078], of which T2 appended 177078.
|     T3 < T1 (rw), because T3 read key 10139 = [185171], without T1's append of 185195.
= 0
# Columns: the number of the transaction, in the whole.
$ isolde convert --to native-binary $DEMO/mariadb-repeatable-read-lost-update.jsonl columns
= 0
$ isolde check --level si columns | grep ' T[0-9] = '
|     T1 = a:4, transaction 16 of the file, from 53.724 ms to 63.527 ms
|     T2 = b:5, transaction 17 of the file, from 60.402 ms to 73.295 ms
= 0
$ isolde minimize --level si columns | grep -e ' = ' -e 'are those of'
| Names, lines and times are those of columns:
|   T1 = a:4, transaction 16 of the file, from 53.724 ms to 63.527 ms
|   T2 = b:5, transaction 17 of the file, from 60.402 ms to 73.295 ms
|   T1 < T2 (rw), because T1 read stock.plums = 3, which T2 read as well and replaced by 8.
|   T2 < T1 (rw), because T2 read stock.plums = 3, which T1 read as well and replaced by 7.
= 0
# A log of events without times: both lines, and nothing in nanoseconds, also in what is left.
$ for e in '0 :invoke :write 4' '0 :ok :write 4' '1 :invoke :write 2' '1 :ok :write 2' '0 :invoke :read nil' '0 :ok :read 4' '1 :invoke :write 4' '1 :ok :write 4'; do echo "INFO  jepsen.util - $e"; done >etcd.log
= 0
$ isolde minimize --level linearizable etcd.log --out left.jsonl
| etcd.log: linearizable is violated, by an argument of 2 steps.
|
|   before  4 transactions with 4 operations
|   after   3 transactions with 3 operations
|
| Nothing more can be left out; 36 parts were checked. The proof is verified.
| History: left.jsonl
|
| Names, lines and times are those of etcd.log:
|
| Stale read (G-single-realtime)
|
| Let:
|   T1 = s0:1, lines 5 and 6, events 5 to 6
|        r(x)=4
|   T2 = s0:0, lines 1 and 2, events 1 to 2
|        w(x)=4
|   T3 = s1:0, lines 3 and 4, events 3 to 4
|        w(x)=2
| Then:
|   T1 < T3 (rw), because T1 read x = 4 from T2, which T3 replaced by 2, for T2 ended (event 2)
|     before T3 started (event 3).
|   T3 < T1 (rt), because T3 ended (event 4) before T1 started (event 5).
|   T1 < T3 < T1, a contradiction.
| So T1 started after T3 had ended, and still T1 did not see T3's write of x.
| Notation: T1 < T2, T1 must come before T2; s0:1, session 0's transaction 1, counted from 0;
|   G-single-realtime, the type of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B; rt: A had ended before B
|   started.
|
| Stale read: a transaction read an old version although a newer one had been acknowledged to its
|   writer before the reading transaction started.
| Where to look: usually a follower or a cache answered without asking the leader, a leader went
|   on after it had been replaced, or snapshots follow clocks that disagree.
= 0
$ cat left.jsonl
| {"isolde":1,"kind":"history","times":"order","notes":["minimised for linearizable: 3 of 4 transactions, each with a part of its operations"]}
| {"session":"0","start":1,"end":2,"id":"s0:0","ops":[["w","x",4]]}
| {"session":"1","start":3,"end":4,"id":"s1:0","ops":[["w","x",2]]}
| {"session":"0","start":5,"end":6,"id":"s0:1","ops":[["r","x",4]]}
= 0
$ isolde check --level linearizable left.jsonl | grep -e ' = ' -e 'no times'
|     T1 = s0:1, line 4, events 5 to 6
|     T2 = s0:0, line 2, events 1 to 2
|     T3 = s1:0, line 3, events 3 to 4
|     T1 < T3 (rw), because T1 read x = 4 from T2, which T3 replaced by 2, for T2 ended (event 2)
|   the input has no times: real time is the order of its events, which are numbered
= 0
$ isolde convert --to native-binary left.jsonl left.bin; isolde convert --to native left.bin - | head -1
| {"isolde":1,"kind":"history","times":"order","notes":["minimised for linearizable: 3 of 4 transactions, each with a part of its operations"]}
= 0
# Jepsen's logs have times, or not.
$ echo '{:type :invoke :process 0 :index 0 :value [[:append 1 1] [:append 2 1]]} {:type :ok :process 0 :index 1 :value [[:append 1 1] [:append 2 1]]}' | tr ' ' '\n' | tr '\n' ' ' | sed 's/} {/}\n{/' >h.edn; printf '\n%s\n%s\n' '{:type :invoke :process 1 :index 2 :value [[:r 1 nil] [:r 2 nil]]}' '{:type :ok :process 1 :index 3 :value [[:r 1 [1]] [:r 2 nil]]}' >>h.edn
= 0
$ isolde check --level ra h.edn
| h.edn: jepsen, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Fractured reads occur.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|   What helps: if the database promises read-atomic, it is a defect, of which isolde minimize
|     makes a small history for the makers; if not, use an isolation at which all statements
|     of a transaction read one snapshot.
|
|   read-atomic  violated        fractured read (G-single)
|
| Why not read-atomic:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = #0, session 0, lines 1 and 2, events 0 to 1
|          append(1, 1), append(2, 1)
|     T2 = #2, session 1, lines 3 and 4, events 2 to 3
|          r(1)=[1] r(2)=[]
|   Then:
|     T2 read key 2 = [], although T1 appended 1 to key 2 and T2 read key 1 = [1] from T1.
|   Notation: G-single, the type of the anomaly in the terms of Adya and Elle.
|
|   Fractured read: a transaction saw one write of another transaction but not its other write, so
|     it saw that transaction half done.
|   Where to look: usually a commit becomes visible item by item or shard by shard instead of all
|     at once, or each statement takes a snapshot of its own.
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
= 1
$ sed 's/:index \([0-9]\)/:time 100\1/' h.edn | isolde check --level ra - | grep -e ' = ' -e since
|     T1 = s0:0, lines 1 and 2, from 0 ns to 1 ns
|     T2 = s1:0, lines 3 and 4, from 2 ns to 3 ns
|     Times are since the first start of the history.
|     T2 read key 2 = [], although T1 appended 1 to key 2 and T2 read key 1 = [1] from T1.
= 0
# Bytes of a compressed file are those of what is in it.
$ python3 -c "import struct,sys; u=lambda n: struct.pack('<Q', n); t=lambda s: u(len(s))+s.encode(); e=lambda w,k,v: bytes([w])+u(k)+u(v)+b'\1'; x=lambda *es: u(len(es))+b''.join(es)+b'\1'; sys.stdout.buffer.write(u(0)+u(1)+u(2)+u(2)+u(2)+t('a')+t('2019-04-02T10:59:36')+t('2019-04-02T10:59:37')+u(2)+u(2)+x(e(1,9,5))+x(e(0,1,0),e(1,2,5))+u(1)+x(e(0,2,0),e(1,1,5)))" >h.bincode; gzip -k h.bincode
= 0
$ isolde check --level ser h.bincode | grep ' T[0-9] = '
|     T1 = s0:1, byte 146
|     T2 = s1:0, byte 199
= 0
$ isolde check --level ser h.bincode.gz | grep ' T[0-9] = '
|     T1 = s0:1, byte 146 (decompressed)
|     T2 = s1:0, byte 199 (decompressed)
= 0
