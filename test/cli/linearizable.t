# Linearizability: each key by itself, in real time. Two questions at once, a proof for each answer.
$ isolde check --level linearizable,serializable --certificate both $DATA/write-skew-in-time.jsonl
| $DATA/write-skew-in-time.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   serializable  violated        write skew (G2-item)
|   linearizable  holds
|
| Why not serializable:
|
|   Write skew (G2-item)
|
|   Let:
|     T1 = a:0, line 2, from 0 ns to 2 ns
|          r(x)=initial w(y)=1
|     T2 = b:0, line 3, from 1 ns to 3 ns
|          r(y)=initial w(x)=1
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|     T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 2 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|
| Certificates:
|   serializable: both.serializable.jsonl
|   linearizable: both.linearizable.jsonl
= 1
$ isolde verify both.linearizable.jsonl $DATA/write-skew-in-time.jsonl
| proved: linearizable holds, by an order for each of 2 keys
= 0
$ tail -n +2 both.linearizable.jsonl
| {"key":"x","order":[0,1]}
| {"key":"y","order":[1,0]}
= 0
# Where values repeat there is no short proof of a violation; the verifier tries all orders again.
$ isolde check --level lin --certificate all $DATA/repeated-values.jsonl
| $DATA/repeated-values.jsonl: native, 4 sessions, 4 transactions, 4 operations, 1 key
|
|   linearizable  violated        no possible order (not-linearizable)
|
| Why not linearizable:
|
|   No possible order (not-linearizable)
|
|   Let:
|     T1 = d:0, line 5, from 40 ns to 49 ns
|          r(x)=1
|     T2 = a:0, line 2, from 0 ns to 9 ns
|          w(x)=1
|     T3 = c:0, line 4, from 20 ns to 29 ns
|          w(x)=2
|     Times are since the first start of the history.
|   Then: T1 read x = 1, which was not there at any time while it ran: T3 had written 2 before,
|     and nobody wrote 1 between the two.
|   Why none of the writes of that value can have been read:
|     T2, and 1 other before it, wrote 1, but T3 came between, which wrote 2.
|
|   No possible order: operations on one item returned what they cannot have returned if each took
|     effect at one moment between its start and its end; all orders were tried.
|   Where to look: usually a replica or a cache answered that had not yet seen an acknowledged
|     write or had lost it.
|
| Evidence:
|   4 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   2 versions were replaced
|
| Certificates:
|   linearizable: all
= 1
$ tail -n +2 all
| {"key":"x","until":3}
= 0
$ isolde verify all $DATA/repeated-values.jsonl
| proved: linearizable is violated, by trying all orders of one key
= 0
$ sed 's/"until":3/"until":2/' all >short
= 0
$ isolde verify short $DATA/repeated-values.jsonl
| not proved: linearizable is violated, by trying all orders of one key: an order explains what had returned when c:0 returned
= 1
$ isolde explain --dot dot all $DATA/repeated-values.jsonl >text
= 0
$ head -n 2 dot
| digraph isolde {
|   label="not-linearizable, no possible order: d:0 read x = 1, which was not\nthere at any time while it ran: c:0 had written 2 before, and nobody\nwrote 1 between the two";
= 0
# It needs times.
$ isolde check --level lin $DATA/lost-update.jsonl
| $DATA/lost-update.jsonl: native, 3 sessions, 3 transactions, 5 operations, 1 key
|
|   linearizable  not-applicable  the history has no start and end times
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 3 times on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 2
# Where values repeat, causal consistency is undecided unless its verdict follows from another level's, and
# every document says from which.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"A","ops":[["r","y",2],["w","x",2]]}\n{"session":"B","ops":[["r","x",2],["w","y",2]]}\n{"session":"C","ops":[["w","z",1]]}\n{"session":"D","ops":[["w","z",1]]}\n{"session":"E","ops":[["r","z",1]]}\n' >flow.jsonl; isolde check --level cc,ssrc --certificate by flow.jsonl | sed -n '3,4p'
|   causal                         violated        cyclic information flow (G1c), follows from strong-session-read-committed
|   strong-session-read-committed  violated        cyclic information flow (G1c)
= 0
$ isolde verify by.causal.jsonl flow.jsonl
| proved: causal is violated, because strong-session-read-committed is violated, by a cycle
= 0
$ cat by.causal.jsonl | sed 's/"history":"[^"]*"/"history":DIGEST/'
| {"isolde-certificate":1,"level":"causal","follows_from":"strong-session-read-committed","verdict":"violated","history":DIGEST,"transactions":5,"clock_error_ns":0}
| {"clause":[],"cycle":[{"from":0,"to":1,"kind":"wr","key":"x"},{"from":1,"to":0,"kind":"wr","key":"y"}]}
= 0
$ sed 's/"level":"causal"/"level":"linearizable"/' by.causal.jsonl >forged.jsonl; isolde verify forged.jsonl flow.jsonl
| not proved: linearizable is violated, because strong-session-read-committed is violated, by a cycle: linearizable does not imply strong-session-read-committed
= 1
$ isolde explain by.causal.jsonl flow.jsonl | head -4
| causal is violated, because strong-session-read-committed is violated, by a cycle.
|
| Cyclic information flow (G1c)
|
= 0
$ isolde check --json --level cc,ssrc flow.jsonl | tr ',' '\n' | grep follows
| "follows_from":"strong-session-read-committed"
= 0
$ isolde check --level cc,ssrc --junit by.xml --edn by.edn --html by.html flow.jsonl >out; grep -ho 'follows from [a-z-]*' by.xml; grep follows by.edn; grep -o 'follows from [a-z-]*' by.html | head -1
| follows from strong-session-read-committed
|  :isolde/follows-from {:causal :strong-session-read-committed},
| follows from strong-session-read-committed
= 0
$ isolde check flow.jsonl | grep -A1 'follows that of'
|   From the verdict of read-committed follows that of:
|     causal, writes-follow-reads
= 0
# What proves a stronger level proves sequential consistency, too, which has a search of its own.
$ isolde check --level sspc,sc --certificate by $DATA/repeated-values.jsonl | sed -n '3,4p'; isolde verify by.sequential.jsonl $DATA/repeated-values.jsonl
|   strong-session-prefix-consistency  holds
|   sequential                         holds
| proved: sequential holds, by an order of 4 transactions
= 0
$ sed 's/"z",1/"x",2/; s/\["r","y",2\],//' flow.jsonl >again.jsonl; isolde check --level sc --certificate by again.jsonl | sed -n '3p'; isolde verify by again.jsonl
|   sequential  holds
| proved: sequential holds, by an order of 5 transactions
= 0
# Per-key strict serializability is decided itself.
$ isolde check --level pkser,lin --certificate by $DATA/repeated-values.jsonl | sed -n '3,4p'; isolde verify by.per-key-strict-serializable.jsonl $DATA/repeated-values.jsonl
|   per-key-strict-serializable  violated        stale read (G-single-realtime)
|   linearizable                 violated        no possible order (not-linearizable)
| proved: per-key-strict-serializable is violated, by an argument of 10 steps
= 0
