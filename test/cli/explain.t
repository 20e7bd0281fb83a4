# A certificate told in words and drawn.
$ isolde check --level ser --certificate skew.jsonl --dot check.dot $DATA/write-skew.jsonl >out.txt
= 1
$ isolde explain skew.jsonl $DATA/write-skew.jsonl --dot explain.dot
| serializable is violated, by a cycle.
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
|   label="G2-item, write skew: A:0 read the initial value of y, which B:0\nreplaced by 2, but B:0 read the initial value of x, which A:0 replaced\nby 1";
|   labelloc=t;
|   fontname="Courier";
|   fontsize=12;
|   node [shape=box, fontname="Courier", style=filled, fillcolor="#fff4d6", color="#9a6b00"];
|   edge [fontname="Courier"];
|   t0 [label="T1 = A:0\nr(x)=initial\nr(y)=initial\nw(x)=1"];
|   t1 [label="T2 = B:0\nr(x)=initial\nr(y)=initial\nw(y)=2"];
|   t0 -> t1 [label=" rw y ", style=dashed, class="rw", tooltip="A:0 read the initial value of y, which B:0 replaced by 2", color="#c2410c", fontcolor="#c2410c"];
|   t1 -> t0 [label=" rw x ", style=dashed, class="rw", tooltip="B:0 read the initial value of x, which A:0 replaced by 1", color="#c2410c", fontcolor="#c2410c"];
|   { rank=sink; legend [shape=plain, style=solid, class=legend, fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="0"><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">An arrow from A to B:</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#c2410c">- -&gt; rw  A read a version that B replaced, so it did not see B</FONT></TD></TR></TABLE>>]; }
|   t0 -> legend [style=invis];
| }
= 0
$ isolde check --level rc --certificate read.jsonl $DATA/aborted-read.jsonl >out.txt
= 1
$ isolde explain --dot - read.jsonl $DATA/aborted-read.jsonl
| read-committed is violated, by a single read.
|
| Aborted read (G1a)
|
| Let:
|   T1 = B:0, line 3
|        r(x)=1
|   T2 = A:0, line 2, aborted
|        w(x)=1
| Then: T1 read x = 1, which only the aborted T2 wrote.
|
| Aborted read: a transaction saw a value whose only writers were rolled back.
| Where to look: usually changes are visible to others until a rollback undoes them, or the
|   rollback was reported for a transaction that had committed.
| digraph isolde {
|   label="G1a, aborted read: B:0 read x = 1, which only the aborted A:0 wrote";
|   labelloc=t;
|   fontname="Courier";
|   fontsize=12;
|   node [shape=box, fontname="Courier", style=filled, fillcolor="#fff4d6", color="#9a6b00"];
|   edge [fontname="Courier"];
|   t1 [label="T1 = B:0\nr(x)=1"];
|   t0 [label="T2 = A:0 (aborted)\nw(x)=1"];
|   t0 -> t1 [label="x", class=wr, color="#0067a5", fontcolor="#0067a5", tooltip="aborted read: B:0 read x = 1, which only the aborted A:0 wrote"];
|   { rank=sink; legend [shape=plain, style=solid, class=legend, fontsize=11, label=<<TABLE BORDER="0" CELLSPACING="0"><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#59636e">An arrow from A to B:</FONT></TD></TR><TR><TD ALIGN="LEFT" BALIGN="LEFT"><FONT COLOR="#0067a5">---&gt; wr  B read what A wrote</FONT></TD></TR></TABLE>>]; }
|   t1 -> legend [style=invis];
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
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Fractured read: a transaction saw one write of another transaction but not its other write, so
|   it saw that transaction half done.
| Where to look: usually a commit becomes visible item by item or shard by shard instead of all at
|   once, or each statement takes a snapshot of its own.
= 0
# Long lists are told by how they differ.
$ isolde check --level rc $DATA/fork.jsonl
| $DATA/fork.jsonl: native, 5 sessions, 5 transactions, 11 operations, 1 key
|
|   In short: Incompatible orders occur.
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
