# A certificate told in words and drawn.
$ isolde check --level ser --certificate skew.jsonl --dot check.dot $DATA/write-skew.jsonl >out.txt
= 1
$ isolde explain skew.jsonl $DATA/write-skew.jsonl --dot explain.dot
| serializable is violated, by a cycle.
|
|   In short: Write skew occurs.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use a serializable isolation, or
|     lock what a decision rests on, read or written.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
| Write skew (G2-item)
|
| Let:
|   T1 = A:0, line 2
|        r(x)=initial r(y)=initial w(x)=1
|   T2 = B:0, line 3
|        r(x)=initial r(y)=initial w(y)=2
| Then:
|   T1 < T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.
|   T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|   T1 < T2 < T1, a contradiction.
| So T1 did not see T2's write of y and T2 did not see T1's write of x: neither can have come
|   first.
| Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
= 0
$ cmp check.dot explain.dot
= 0
$ cat explain.dot
| digraph isolde {
|   label="Write skew (G2-item): A:0 read the initial value of y, which B:0\nreplaced by 2, but B:0 read the initial value of x, which A:0 replaced\nby 1";
|   labelloc=t;
|   fontname="Courier";
|   fontsize=12;
|   node [shape=box, fontname="Courier", style=filled, fillcolor="#fff4d6", color="#9a6b00"];
|   edge [fontname="Courier"];
|   t0 [label="T1 = A:0\nr(x)=initial\nr(y)=initial\nw(x)=1"];
|   t1 [label="T2 = B:0\nr(x)=initial\nr(y)=initial\nw(y)=2"];
|   t0 -> t1 [label=" rw on y ", style=dashed, class="rw", tooltip="A:0 read the initial value of y, which B:0 replaced by 2", color="#c2410c", fontcolor="#c2410c"];
|   t1 -> t0 [label=" rw on x ", style=dashed, class="rw", tooltip="B:0 read the initial value of x, which A:0 replaced by 1", color="#c2410c", fontcolor="#c2410c"];
|   { rank=sink; legend [shape=plain, style=solid, class=legend, fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="0"><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">An arrow from A to B:</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#c2410c">- -&gt; rw  A read a version that B replaced, so it did not see B</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">A:0, session A's first transaction</FONT></TD></TR></TABLE>>]; }
|   t0 -> legend [style=invis, weight=0];
|   t1 -> legend [style=invis];
| }
= 0
$ isolde check --level rc --certificate read.jsonl $DATA/aborted-read.jsonl >out.txt
= 1
$ isolde explain --dot - read.jsonl $DATA/aborted-read.jsonl
| digraph isolde {
|   label="Aborted read (G1a): B:0 read x = 1, which only the aborted A:0 wrote";
|   labelloc=t;
|   fontname="Courier";
|   fontsize=12;
|   node [shape=box, fontname="Courier", style=filled, fillcolor="#fff4d6", color="#9a6b00"];
|   edge [fontname="Courier"];
|   t1 [label="T1 = B:0\nr(x)=1", penwidth=2, color="#c0152f"];
|   t0 [label="T2 = A:0 (aborted)\nw(x)=1"];
|   t0 -> t1 [label=" wr on x ", class=wr, color="#0067a5", fontcolor="#0067a5", tooltip="aborted read: B:0 read x = 1, which only the aborted A:0 wrote"];
|   { rank=sink; legend [shape=plain, style=solid, class=legend, fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="0"><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">An arrow from A to B:</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#0067a5">---&gt; wr  B read what A wrote</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">B:0, session B's first transaction</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">red: here is the contradiction</FONT></TD></TR></TABLE>>]; }
|   t1 -> legend [style=invis];
|   t0 -> legend [style=invis, weight=0];
| }
= 0
$ isolde check --level ser --certificate holds.jsonl $DATA/serial.jsonl >out.txt
= 0
$ isolde explain holds.jsonl $DATA/serial.jsonl
| serializable holds, by an order of 3 transactions.
= 0
$ isolde check --level si --certificate cases.jsonl $DATA/cases.jsonl >out.txt
= 1
$ isolde explain cases.jsonl $DATA/cases.jsonl
| snapshot-isolation is violated, by an argument of 4 steps.
|
|   In short: Fractured reads occur.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|   What helps: if the database promises snapshot-isolation, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation at which all
|     statements of a transaction read one snapshot.
|
| Fractured read (G-single)
|
| Let:
|   T1 = B:0, line 3
|        w(x)=2 w(y)=2
|   T2 = C:0, line 4
|        r(x)=2 r(y)=1
|   T3 = A:0, line 2
|        w(x)=1 w(y)=1
| Either T3 wrote y and x before T1. Then:
|   T1 < T2 (wr), because T2 read x = 2, which T1 wrote.
|   T2 < T1 (rw), because T2 read y = 1 from T3, which T1 replaced by 2 (assumed).
|   T1 < T2 < T1, a contradiction.
| Or T1 wrote y and x before T3. Then:
|   T3 < T2 (wr), because T2 read y = 1, which T3 wrote.
|   T2 < T3 (rw), because T2 read x = 2 from T1, which T3 replaced by 1 (assumed).
|   T3 < T2 < T3, a contradiction.
| Neither is possible.
| Thus no order of these transactions that snapshot-isolation allows explains what they read.
| Notation: T1 < T2, T1 must come before T2; B:0, session B's first transaction; G-single, the
|   type of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Fractured read: a transaction saw one write of another transaction but not its other write, so
|   it saw that transaction half done.
| Where to look: usually a commit becomes visible item by item or shard by shard instead of all at
|   once, or each statement takes a snapshot of its own.
= 0
# All other forms, as check has them: in place of the text or beside it.
$ isolde explain --json skew.jsonl $DATA/write-skew.jsonl
| {"schema":1,"file":"$DATA/write-skew.jsonl","format":"native","sessions":2,"transactions":2,"operations":6,"aborted":0,"indeterminate":0,"summary":{"verdict":"Write skew occurs.","occurs":["write skew"],"not_seen":[],"meaning":"a rule over several items that each transaction checks before it writes is broken all the same: two doctors leave, each having seen the other one on call","remedy":"if the database promises serializable, it is a defect, of which isolde minimize makes a small history for the makers; if not, use a serializable isolation, or lock what a decision rests on, read or written","promise":null,"locking":"transactions wait for one another, and two that lock in different orders deadlock: lock in one order everywhere, keep transactions short, and run again what the database aborts"},"levels":{"serializable":{"verdict":"violated","reason":"write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the initial value of x, which A:0 replaced by 1","certificate":"skew.jsonl","anomalies":[{"type":"G2-item","name":"write skew","transactions":["A:0","B:0"],"places":[{"transaction":"A:0","file":"$DATA/write-skew.jsonl","line":2},{"transaction":"B:0","file":"$DATA/write-skew.jsonl","line":3}],"edges":[{"from":"A:0","to":"B:0","kind":"rw","key":"y","because":"A:0 read the initial value of y, which B:0 replaced by 2"},{"from":"B:0","to":"A:0","kind":"rw","key":"x","because":"B:0 read the initial value of x, which A:0 replaced by 1"}]}]}},"strongest":[],"weakest_violated":["serializable"],"not_checked":[],"evidence":{"in_effect":2,"meetings":2,"overlapping_meetings":2,"reads_from_others":0,"versions_replaced":0,"times":false,"exact":true},"seconds":{"load":TIME,"check":TIME},"work":WORK,"peak_rss_bytes":BYTES}
= 0
$ isolde explain --github skew.jsonl $DATA/write-skew.jsonl
| ::stop-commands::isolde-TOKEN
| serializable is violated, by a cycle.
|
|   In short: Write skew occurs.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use a serializable isolation, or
|     lock what a decision rests on, read or written.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
| Write skew (G2-item)
|
| Let:
|   T1 = A:0, line 2
|        r(x)=initial r(y)=initial w(x)=1
|   T2 = B:0, line 3
|        r(x)=initial r(y)=initial w(y)=2
| Then:
|   T1 < T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.
|   T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|   T1 < T2 < T1, a contradiction.
| So T1 did not see T2's write of y and T2 did not see T1's write of x: neither can have come
|   first.
| Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
| ::isolde-TOKEN::
| ::error file=$DATA/write-skew.jsonl,line=2,title=Not serializable%3A write skew (G2-item)::write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the initial value of x, which A:0 replaced by 1.%0AA:0 < B:0, because A:0 read the initial value of y, which B:0 replaced by 2.%0AB:0 < A:0, because B:0 read the initial value of x, which A:0 replaced by 1.%0AThat is: each of two transactions read what the other one was about to change, and neither saw the other's change; run one after the other, the second would have seen it.
| ::notice file=$DATA/write-skew.jsonl,title=Evidence::2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times
= 0
$ isolde explain --junit - --edn explain.edn skew.jsonl $DATA/write-skew.jsonl; cat explain.edn
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="1" errors="0" time="TIME">
|   <testsuite name="$DATA/write-skew.jsonl" tests="1" failures="1" errors="0" skipped="0" time="TIME">
|     <properties>
|       <property name="format" value="native" />
|       <property name="sessions" value="2" />
|       <property name="transactions" value="2" />
|       <property name="operations" value="6" />
|       <property name="aborted" value="0" />
|       <property name="indeterminate" value="0" />
|       <property name="evidence" value="2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times" />
|     </properties>
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
|   </testsuite>
| </testsuites>
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
|  :isolde/levels {:violated #{:serializable}},
|  :isolde/reasons {},
|  :isolde/evidence "2 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced; whether transactions overlapped is not known, for there are no times"}
= 0
$ isolde explain --junit - holds.jsonl $DATA/serial.jsonl
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="0" errors="0" time="TIME">
|   <testsuite name="$DATA/serial.jsonl" tests="1" failures="0" errors="0" skipped="0" time="TIME">
|     <properties>
|       <property name="format" value="native" />
|       <property name="sessions" value="2" />
|       <property name="transactions" value="3" />
|       <property name="operations" value="4" />
|       <property name="aborted" value="0" />
|       <property name="indeterminate" value="0" />
|       <property name="evidence" value="3 transactions took effect; transactions of different sessions met 2 times on a key that one of them wrote; 2 reads saw another session's write; 1 version was replaced; whether transactions overlapped is not known, for there are no times" />
|     </properties>
|     <testcase name="serializable" classname="isolde.$DATA/serial_jsonl" />
|   </testsuite>
| </testsuites>
= 0
$ isolde explain --svg none.svg holds.jsonl $DATA/serial.jsonl; ls none.svg
| serializable holds, by an order of 3 transactions.
! ls: cannot access 'none.svg': No such file or directory
= 2
$ isolde explain --json --sarif - skew.jsonl $DATA/write-skew.jsonl
! isolde: --json and --sarif - cannot share standard output; give one of them, or files in place of -
= 3
$ isolde explain --edn skew.jsonl skew.jsonl $DATA/write-skew.jsonl
! isolde: skew.jsonl is what is read, which is never overwritten; choose another file to write
= 3
# A level that holds where nothing happened is unknown there, as to check.
$ isolde check --level ser --min-committed 0 --certificate nothing.jsonl $DATA/empty.jsonl >out.txt
= 0
$ isolde explain nothing.jsonl $DATA/empty.jsonl
| serializable holds, by an order of 0 transactions,
| but no transaction took effect, so it says nothing of the database.
= 0
$ isolde explain --edn - nothing.jsonl $DATA/empty.jsonl
| {:valid? :unknown,
|  :anomaly-types (),
|  :anomalies
|  {},
|  :not #{},
|  :also-not #{},
|  :isolde/file "$DATA/empty.jsonl",
|  :isolde/levels {:unknown #{:serializable}},
|  :isolde/reasons {"no transaction took effect" #{:serializable}},
|  :isolde/evidence "0 transactions took effect; transactions of different sessions met 0 times on a key that one of them wrote; 0 reads saw another session's write; 0 versions were replaced"}
= 0
# What is not proved, or cannot be read, is in each document.
$ sed 's/serializable/snapshot-isolation/' skew.jsonl >forged.jsonl
= 0
$ isolde explain --junit - --edn forged.edn forged.jsonl $DATA/write-skew.jsonl; cat forged.edn
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="0" errors="1" time="TIME">
|   <testsuite name="$DATA/write-skew.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
|     <testcase name="can be checked" classname="isolde.$DATA/write-skew_jsonl">
|       <error message="not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it" type="not checked" />
|     </testcase>
|   </testsuite>
| </testsuites>
| {:valid? :unknown,
|  :error "not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it",
|  :isolde/file "$DATA/write-skew.jsonl"}
! isolde: not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it
= 0
$ isolde explain --github forged.jsonl $DATA/write-skew.jsonl
| not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it
| ::error file=$DATA/write-skew.jsonl,title=Not checked::not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it
= 1
$ isolde explain --junit - skew.jsonl $DATA/stale-read.jsonl
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuites name="isolde" tests="1" failures="0" errors="1" time="TIME">
|   <testsuite name="$DATA/stale-read.jsonl" tests="1" failures="0" errors="1" skipped="0" time="TIME">
|     <testcase name="can be checked" classname="isolde.$DATA/stale-read_jsonl">
|       <error message="skew.jsonl:2: the history has no key 'y'" type="not checked" />
|     </testcase>
|   </testsuite>
| </testsuites>
! isolde: skew.jsonl:2: the history has no key 'y'
= 3
$ isolde explain --edn - skew.jsonl missing.jsonl
| {:valid? :unknown,
|  :error "missing.jsonl: cannot be read: No such file or directory; check the path",
|  :isolde/file "missing.jsonl"}
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
# Long lists are told by how they differ.
$ isolde check --level rc $DATA/fork.jsonl
| $DATA/fork.jsonl: native, 5 sessions, 5 transactions, 11 operations, 1 key
|
|   In short: Reads of one list in incompatible orders occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   read-committed  violated        incompatible order
|
| Why not read-committed:
|
|   Incompatible order
|
|   Let:
|     T1 = e:0, line 6
|          r(x)=L, which is [1 2 3 4 5 6 7 9] (8 elements)
|     T2 = d:0, line 5
|          r(x)=the first 7 elements of L, then [8] where L has [9] (8 elements)
|   Then: T1 read x up to 9 (8 elements), and T2 read x up to 8 (8 elements); neither list
|     continues the other: after the same first 7 elements, T1 saw [9] and T2 saw [8].
|   Notation: e:0, session e's first transaction.
|
|   Incompatible order: two reads of one list show its elements in orders that no single list
|     passes through.
|   Where to look: usually two replicas took writes at the same time, as after a partition, and
|     both answered reads.
|
| Evidence:
|   5 transactions took effect
|   transactions of different sessions met 9 times on a key that one of them wrote
|   2 reads saw another session's write
|   2 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
# What made a write visible through others is an arrow of its own, which the legend has.
$ { echo '{"isolde":2,"kind":"history"}'; echo '{"session":"A","ops":[["w","x",1]]}'; echo '{"session":"B","ops":[["r","x",1],["w","y",2]]}'; echo '{"session":"C","ops":[["r","y",2],["r","x",null]]}'; } >causes.jsonl
= 0
$ isolde check --level transactional-causal --dot - causes.jsonl 2>/dev/null | grep -oE 'class="(vi|cv|rw)"|(vi|cv)  A was[a-z ,A-Z]*'
| class="vi"
| class="rw"
| vi  A was visible to B, through others
= 0
