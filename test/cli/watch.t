# A history in groups, as it comes: in rounds, in memory that does not grow with it.
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 5 --to native-binary --out big.isob
= 0
$ isolde watch big.isob
| big.isob: native-binary, 308,324 transactions, 4 rounds
|
|   strict-serializable  holds
|
|   An order of the 300,000 transactions that took effect explains what each of them read.
= 0
$ isolde watch --verify big.isob | sed -n 3p; isolde watch --json big.isob | sed 's/"seconds".*//'
|   strict-serializable  holds
| {"schema":1,"sources":["big.isob"],"transactions":308324,"committed":300000,"settled":300000,"rounds":4,"level":"strict-serializable","verdict":"holds",
= 0
$ isolde gen --workload blindw-rw --txns 300000 --seed 5 --to native-binary --out - | isolde watch - | tail -1
|   An order of the 300,000 transactions that took effect explains what each of them read.
= 0
# The same with the reports of a check.
$ isolde check --stream --level strict-serializable,snapshot-isolation big.isob
| big.isob: native-binary, 24 sessions, 308,324 transactions (8324 aborted), 2,466,592 operations, 10,000 keys, 4 rounds
|
|   In short: No anomaly that strict-serializable or snapshot-isolation forbids was found in
|     300,000 transactions.
|
|   strict-serializable  holds
|   snapshot-isolation   holds           follows from strict-serializable
|
| Evidence:
|   300,000 transactions took effect
|   overlapping transactions met at least 124 times on a key that one of them wrote
|   at least 520 reads saw another session's write
|   at least 550 versions were replaced
= 0
$ isolde check --stream big.isob --certificate big.proof --bundle big.jsonl
| big.isob: native-binary, 24 sessions, 308,324 transactions (8324 aborted), 2,466,592 operations, 10,000 keys, 4 rounds
|
|   In short: No anomaly that strict-serializable forbids was found in 300,000 transactions.
|
|   strict-serializable  holds
|
| Evidence:
|   300,000 transactions took effect
|   overlapping transactions met at least 124 times on a key that one of them wrote
|   at least 520 reads saw another session's write
|   at least 550 versions were replaced
|
| Certificates:
|   strict-serializable: big.proof
= 0
$ isolde verify big.proof big.isob
| proved: strict-serializable holds, by an order of 300,000 transactions in 6 segments
= 0
# What goes wrong is a few transactions, and a proof about them alone.
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 9 --fault stale-read --fault-after 0.7 --to native-binary --out stale.isob
= 0
$ isolde watch stale.isob --bundle bundle.jsonl --certificate bundle.proof
| stale.isob: native-binary, 262,144 transactions, 2 rounds
|
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
|
| Let:
|   T1 = #222679, session 2, transaction 222679 of the file, from 11.799 s to 11.800 s
|        w(3628)=921315 (and 7 more operations)
|   T2 = #222710, session 14, transaction 222710 of the file, from 11.800 s to 11.802 s
|        r(3628)=897734 (and 7 more operations)
|   T3 = #222111, session 13, transaction 222111 of the file, from 11.769 s to 11.770 s
|        w(3628)=897734 (and 7 more operations)
|   Times are since the first start of the whole history.
| Then:
|   T1 < T2 (rt), because T1 ended 159.638 us before T2 started.
|   T2 < T1 (rw), because T2 read key 3628 = 897734 from T3, which T1 replaced by 921315, for T3
|     ended 28.813 ms before T1 started.
|   T1 < T2 < T1, a contradiction.
| So T2 started after T1 had ended, and still T2 did not see T1's write of key 3628.
| Notation: T1 < T2, T1 must come before T2; G-single-realtime, the type of the anomaly in the
|   terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B; rt: A had ended before B
|   started.
|
| Stale read: a transaction read an old version although a newer one had been acknowledged to its
|   writer before the reading transaction started.
| Where to look: usually a follower or a cache answered without asking the leader, a leader went
|   on after it had been replaced, or snapshots follow clocks that disagree.
|
|   This rests on 10 transactions alone, whatever the others did; #1 is the first one of the
|   source.
|
|   These transactions violate weaker levels, too, down to linearizable and
|   strong-read-atomic.
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 1
$ isolde verify bundle.proof bundle.jsonl
| proved: strict-serializable is violated, by an argument of 2 steps
= 0
$ isolde check --level strict-serializable bundle.jsonl | grep "  strict"; isolde watch --json stale.isob --bundle bundle.jsonl | sed 's/"seconds".*//'
|   strict-serializable  violated        stale read (G-single-realtime)
| {"schema":1,"sources":["stale.isob"],"transactions":262144,"committed":251773,"settled":110117,"rounds":2,"level":"strict-serializable","verdict":"violated","violations":1,"violation":{"transactions":10,"bundle":"bundle.jsonl","also_violated":["per-key-strict-serializable","strong-snapshot-isolation","strong-parallel-snapshot-isolation","strong-prefix-consistency","linearizable","strong-transactional-causal","strong-read-atomic"]},
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 0
# A pipe cannot be read once more.
$ cat stale.isob | isolde watch - --bundle bundle.jsonl
| -: native-binary, 312,427 transactions, 4 rounds
|
|   strict-serializable  unknown
|
|   Why: no order of what came then fits behind what was settled before, so something is
|   probably wrong; a file can be read again to find what.
|   An order of 110,117 transactions was settled.
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a pipe cannot be read again to look for a violation
! isolde: bundle.jsonl: removed, for it was of an earlier run: no violation was found
= 2
# A file can be, whatever it is called.
$ isolde gen --workload blindw-rw --txns 20000 --sessions 24 --seed 1 --fault stale-read --fault-after 0.5 --to native-binary --out early.isob
= 0
$ isolde watch - < early.isob | sed -n 3p; mkfifo pipe; (cat early.isob > pipe &); isolde watch pipe | sed -n 3p
|   strict-serializable  violated
|   strict-serializable  unknown
! isolde: suspected, which is no verdict yet: no order was found of #1 to #20,825, from 0 ns to 1.104 s of the history, because of #12,526, #15,421 and #15,450; a violation that stands by itself is looked for
! isolde: suspected, which is no verdict yet: no order was found of #1 to #20,825, from 0 ns to 1.104 s of the history, because of #12,526, #15,421 and #15,450; a pipe cannot be read again to look for a violation
= 0
# A file that grows, until it says that it ends.
$ isolde gen --workload rmw --txns 20 --sessions 2 --seed 3 --to native-binary --out small.isob; (head -c 900 small.isob; sleep 0.3; tail -c +901 small.isob) | isolde watch - | tail -3
|   strict-serializable  holds
|
|   An order of the 20 transactions that took effect explains what each of them read.
= 0
$ head -c 900 small.isob > cut.isob; isolde watch cut.isob; isolde watch --follow --timeout 0.3 cut.isob
| cut.isob: native-binary, 0 transactions, 0 rounds
|
|   strict-serializable  unknown
|
|   Why: the last group is cut off.
| cut.isob: native-binary, 0 transactions, 0 rounds
|
|   strict-serializable  unknown
|
|   Why: time limit of 0.3 s reached.
= 2
$ (cat small.isob; head -c 100 /dev/zero) > zeros.isob; isolde watch zeros.isob | grep Why; isolde check zeros.isob | grep -A 1 "is cut off and"; for o in "--segments -" "--checkpoint -" "--bundle -" "--bundle b --certificate -"; do isolde watch small.isob $o; done; ls | grep -x -e -
|   Why: the last group is cut off.
|   the group at byte 1824 is cut off and left out; the recorder seems to have stopped while
|     writing it
! isolde: bundle, certificate, segments and checkpoint are files, and - is standard output, which has the report; give a name
! isolde: bundle, certificate, segments and checkpoint are files, and - is standard output, which has the report; give a name
! isolde: bundle, certificate, segments and checkpoint are files, and - is standard output, which has the report; give a name
! isolde: bundle, certificate, segments and checkpoint are files, and - is standard output, which has the report; give a name
= 1
# Files say that they end: they are not waited for, and what is cut off between two groups is told.
$ isolde watch --follow --timeout 100 small.isob | tail -3; isolde watch --follow --timeout 100 big.isob | sed -n 3p
|   strict-serializable  holds
|
|   An order of the 20 transactions that took effect explains what each of them read.
|   strict-serializable  holds
= 0
$ head -c $(od -An -t u8 -j 32 -N 8 big.isob) big.isob > first.isob; isolde watch first.isob; isolde check --level strict-serializable first.isob | grep -B 1 -A 1 "no group"
| first.isob: native-binary, 131,072 transactions, 1 round
|
|   strict-serializable  unknown
|
|   Why: no group says that it is the last.
|   An order of 111,602 transactions was settled.
| Left out or assumed:
|   no group says that it is the last, as the file promises; the recorder seems to have
|     stopped early
= 0
# A pipe is waited for within the limits, and ends with its writer.
$ isolde watch --timeout 0.2 pipe | tail -2; printf '' | isolde watch --follow - | tail -2
|
|   Why: time limit of 0.2 s reached.
|
|   Why: no transaction has committed.
= 0
# A folder is files that follow one another; several sources are one history.
$ mkdir parts; isolde gen --workload rmw --txns 20 --sessions 2 --seed 4 --to native-binary --out parts/h1.isob; isolde watch parts
| parts: native-binary, 20 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 20 transactions that took effect explains what each of them read.
= 0
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["w","x",1]]}' '{"session":"a","start":9,"end":12,"ops":[["w","x",3]]}' > a.jsonl; printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":4,"end":6,"ops":[["r","x",1],["w","y",2]]}' > b.jsonl; printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":13,"end":15,"ops":[["r","x",1]]}' > c.jsonl; for f in a b c; do isolde convert --to native-binary $f.jsonl $f.isob; done
= 0
$ isolde watch a.isob b.isob
| a.isob and b.isob: native-binary, 3 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 3 transactions that took effect explains what each of them read.
= 0
$ isolde watch c.isob b.isob a.isob | sed -n '1,/Times/p'; isolde watch --json a.isob b.isob c.isob | sed 's/,"violation.*//'
| c.isob, b.isob and a.isob: native-binary, 4 transactions, 1 round
|
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
|
| Let:
|   T1 = #1, session c.isob/a, transaction 1 of the file, from 12 ns to 14 ns
|        r(x)=1
|   T2 = #3, session a.isob/a, transaction 3 of the file, from 0 ns to 1 ns
|        w(x)=1
|   T3 = #4, session a.isob/a, transaction 4 of the file, from 8 ns to 11 ns
|        w(x)=3
|   Times are since the first start of the whole history.
| {"schema":1,"sources":["a.isob","b.isob","c.isob"],"transactions":4,"committed":4,"settled":0,"rounds":1,"level":"strict-serializable","verdict":"violated"
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 14 ns of the history, because of #1, #3 and #4; a violation that stands by itself is looked for
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 14 ns of the history, because of #1, #2 and #4; a violation that stands by itself is looked for
= 0
$ isolde watch b.isob a.isob cut.isob parts | grep -e native -e Why
| b.isob and 3 others: native-binary, 23 transactions, 0 rounds
|   Why: cut.isob: the last group is cut off.
= 0
$ isolde watch a.isob parts ./a.isob; isolde watch parts --bundle parts/b.isob; mkdir empty; isolde watch empty | grep Why
|   Why: no file in empty is called *.isob.
! isolde: ./a.isob is given twice
! isolde: parts/b.isob would be read as one of the files in parts; choose another name
= 0
# Lists.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["append","x",1]]}' > list.jsonl; isolde convert --to native-binary list.jsonl list.isob; isolde watch list.isob
| list.isob: native-binary, 1 transaction, 1 round
|
|   strict-serializable  holds
|
|   An order of the 1 transaction that took effect explains what each of them read.
= 0
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["w","x",1]]}' > mixed.jsonl; isolde convert --to native-binary mixed.jsonl mixed.isob; isolde watch list.isob mixed.isob
! isolde: key "x" is used both as a register (write) and as a list (append); use one of them
= 3
# A segment, a checkpoint that goes on, and an archive.
$ isolde gen --workload list-append --txns 20000 --seed 5 --to native-binary --out lists.isob
= 0
$ isolde watch lists.isob --segments lists.segments | tail -1
|   An order of the 20,000 transactions that took effect explains what each of them read.
= 0
$ isolde verify lists.segments lists.isob
| proved: strict-serializable holds, by an order of 20,000 transactions in 1 segment
= 0
$ isolde watch lists.isob --checkpoint lists.checkpoint --archive lists.kept | sed -n 3p; isolde verify lists.kept | head -1
|   strict-serializable  holds
| proved: strict-serializable holds, by an order of 20,000 transactions in 1 file
= 0
$ isolde gen --workload list-append --txns 2000 --sessions 6 --seed 5 --fault stale-read --to native-binary --out stale-lists.isob; isolde watch stale-lists.isob --bundle stale-lists.jsonl --certificate stale-lists.proof 2> /dev/null | sed -n 3,5p; isolde verify stale-lists.proof stale-lists.jsonl
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
| proved: strict-serializable is violated, by a cycle
= 0
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","status":"aborted","start":1,"end":2,"ops":[["w","x",1]]}' > none.jsonl; isolde convert --to native-binary none.jsonl none.isob; isolde watch none.isob
| none.isob: native-binary, 1 transaction, 1 round
|
|   strict-serializable  unknown
|
|   Why: no transaction has committed.
= 2
# What holds is proved, segment by segment.
$ isolde watch big.isob --segments big.segments
| big.isob: native-binary, 308,324 transactions, 4 rounds
|
|   strict-serializable  holds
|
|   An order of the 300,000 transactions that took effect explains what each of them read.
= 0
$ isolde verify big.segments big.isob
| proved: strict-serializable holds, by an order of 300,000 transactions in 6 segments
= 0
$ head -1 big.segments
| {"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0,"chain":"1f865e865f8e9b53"}
= 0
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 5 --out big.jsonl; isolde verify big.segments big.jsonl
| proved: strict-serializable holds, by an order of 300,000 transactions in 6 segments
= 0
$ isolde watch stale.isob --segments part.segments | sed -n 3p; isolde verify part.segments stale.isob
|   strict-serializable  violated
| not proved: strict-serializable holds: the file has no end: 2 segments with 110,117 transactions, and nothing wrong so far
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 1
$ isolde verify big.segments stale.isob
| not proved: strict-serializable holds: transaction 10 has a place already, or takes no effect
= 1
$ head -2 big.segments > some.segments; isolde verify some.segments big.isob
| not proved: strict-serializable holds: the file has no end: 1 segment with 65,536 transactions, and nothing wrong so far
= 1
$ sed 's/\[0,/[1,/' big.segments > changed.segments; isolde verify changed.segments big.isob
! isolde: changed.segments:2: wrong checksum; the file is damaged, or lines are missing: copy it again
= 3
$ isolde watch big.isob --clock-error 1ms --segments error.segments | sed -n 3p; isolde verify error.segments big.isob; isolde verify --clock-error 1ms error.segments big.isob
|   strict-serializable  holds
| refused: the proof assumes clocks up to 1ms apart, and you allow none; give --clock-error 1ms to accept that
| proved: strict-serializable holds, by an order of 300,000 transactions in 6 segments
= 0
# What is kept for those who may come is bounded: unknown outcomes, and how long others are open.
$ isolde gen --workload blindw-rw --txns 150000 --sessions 24 --seed 7 --lost-reply-rate 0.05 --to native-binary --out unheard.isob
= 0
$ isolde watch unheard.isob --max-indeterminate 10000 --segments unheard.segments | tail -1; isolde verify unheard.segments unheard.isob
|   An order of the 152,004 transactions that took effect explains what each of them read.
| proved: strict-serializable holds, by an order of 152,004 transactions in 4 segments
= 0
$ isolde watch unheard.isob --max-indeterminate 1000
| unheard.isob: native-binary, 131,072 transactions, 1 round
|
|   strict-serializable  unknown
|
|   Why: nobody knows whether more than 1000 transactions took effect from which nobody has
|   read.
|   An order of 103,679 transactions was settled.
= 2
# They are forgotten where it is said by when they took effect, if ever; proofs do not mention it.
$ isolde watch unheard.isob --max-indeterminate 3000 | sed -n 3p; isolde watch unheard.isob --max-indeterminate 3000 --takes-effect-within 1s --segments unheard.segments | sed -n 3p; isolde verify unheard.segments unheard.isob
|   strict-serializable  unknown
|   strict-serializable  holds
| proved: strict-serializable holds, by an order of 152,004 transactions in 4 segments
= 0
$ isolde watch unheard.isob --max-indeterminate 3000 --takes-effect-within 1s | sed -n 3p
|   strict-serializable  holds
= 0
$ isolde check --stream --takes-effect-within 1s --level sser unheard.isob | grep -E '^  s'; isolde check --takes-effect-within 1s unheard.isob
|   strict-serializable  holds
! isolde: --takes-effect-within is for what is read part by part; give --stream
= 3
$ isolde watch big.isob --max-window 1us
| big.isob: native-binary, 308,324 transactions, 2 rounds
|
|   strict-serializable  unknown
|
|   Why: a transaction that started at 13883ms of the history is still open 367510ns later,
|   which is longer than the window of 1us that is allowed.
|   An order of 239,136 transactions was settled.
= 2
$ isolde watch big.isob --max-window 10s | sed -n 3p
|   strict-serializable  holds
= 0
$ isolde watch big.isob --max-window -1
! isolde: --max-window: '-1' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde watch --help)
= 3
# Of several sources all are given again, in the same order.
$ isolde watch a.isob b.isob --segments two.segments | sed -n 3p; isolde verify two.segments a.isob b.isob; isolde verify two.segments b.isob a.isob; isolde verify two.segments a.isob; isolde verify bundle.proof bundle.jsonl small.isob
|   strict-serializable  holds
| proved: strict-serializable holds, by an order of 3 transactions in 1 segment
| not proved: strict-serializable holds: transaction 1 did not read what x holds there
| not proved: strict-serializable holds: transaction 3 has not come
! isolde: bundle.proof is no file of segments, so it is about one history; give no more
= 3
# A later process goes on where an earlier one stood.
$ mv big.segments first.segments; isolde watch big.isob --checkpoint big.checkpoint --checkpoint-every 0 --segments big.segments | tail -1
|   An order of the 300,000 transactions that took effect explains what each of them read.
= 0
$ isolde watch big.isob --checkpoint big.checkpoint --segments big.segments
| big.isob: native-binary, 308,324 transactions, 4 rounds
|
|   strict-serializable  holds
|
|   An order of the 300,000 transactions that took effect explains what each of them read.
! isolde: goes on behind 308,324 transactions, where big.checkpoint was written
= 0
$ cmp first.segments big.segments
= 0
$ isolde watch big.isob --checkpoint big.checkpoint
! isolde: big.checkpoint was written with another --segments; go on with that, or remove it to begin anew
= 3
$ isolde watch stale.isob --checkpoint big.checkpoint --segments big.segments
! isolde: big.checkpoint was written with another source; go on with that, or remove it to begin anew
= 3
$ isolde watch big.isob --checkpoint big.checkpoint --segments big.segments --clock-error 1ms
! isolde: big.checkpoint was written with another --clock-error; go on with that, or remove it to begin anew
= 3
$ isolde watch big.isob --checkpoint big.checkpoint --segments big.segments --takes-effect-within 1h
! isolde: big.checkpoint was written with another --takes-effect-within; go on with that, or remove it to begin anew
= 3
$ isolde watch - --checkpoint other.checkpoint < /dev/null | cat; cat big.isob | isolde watch - --checkpoint other.checkpoint
! isolde: -: a pipe cannot be read again, so --checkpoint is of no use
! isolde: -: a pipe cannot be read again, so --checkpoint is of no use
= 3
$ isolde watch big.isob --checkpoint big.segments
! isolde: big.segments: it is no checkpoint; choose another file
= 3
# What was read is deleted behind a checkpoint, and what is over when the level holds.
$ cp big.isob gone.isob; isolde watch gone.isob --consume --checkpoint gone.checkpoint | sed -n 3p; ls gone.isob
|   strict-serializable  holds
! ls: cannot access 'gone.isob': No such file or directory
= 2
$ isolde watch gone.isob --consume --checkpoint gone.checkpoint | tail -1; isolde watch gone.isob --checkpoint gone.checkpoint
|   An order of the 300,000 transactions that took effect explains what each of them read.
! isolde: goes on behind 308,324 transactions, where gone.checkpoint was written
! isolde: gone.isob: No such file or directory
= 4
$ mkdir turns; cp a.isob turns/1.isob; cp b.isob turns/2.isob; isolde watch turns --consume --checkpoint turns.checkpoint | tail -1; ls turns; cp c.isob turns/3.isob; isolde watch turns --consume --checkpoint turns.checkpoint | grep -A 9 unknown; ls turns
|   An order of the 3 transactions that took effect explains what each of them read.
|   strict-serializable  unknown
|
|   Why: no order of what came then fits behind what was settled before, which may be more
|   than the history says; what is wrong was not found, for what came before is missing:
|   turns/1.isob: No such file or directory.
| 3.isob
! isolde: goes on behind 3 transactions, where turns.checkpoint was written
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 14 ns of the history, because of #1, #2 and #4; a violation that stands by itself is looked for
= 0
$ mkdir linked; cp a.isob linked/1.isob; cp b.isob linked/2.isob; isolde watch linked --checkpoint linked.checkpoint --checkpoint-every 0 | sed -n 3p; mv linked/1.isob kept.isob; ln -s ../kept.isob linked/1.isob; isolde watch linked --consume --checkpoint linked.checkpoint | sed -n 3p; ls linked
|   strict-serializable  holds
|   strict-serializable  holds
| 1.isob
! isolde: goes on behind 3 transactions, where linked.checkpoint was written
! isolde: linked/1.isob: it is a link, and is not deleted
= 0
$ cp early.isob left.isob; isolde watch left.isob --consume --checkpoint left.checkpoint | sed -n 3p; ls left.isob
|   strict-serializable  violated
| left.isob
! isolde: suspected, which is no verdict yet: no order was found of #1 to #20,825, from 0 ns to 1.104 s of the history, because of #12,526, #15,421 and #15,450; a violation that stands by itself is looked for
= 0
$ isolde watch big.isob --consume; isolde watch - --consume --checkpoint other.checkpoint < big.isob; ls big.isob
| big.isob
! isolde: --consume deletes what a checkpoint has passed; give --checkpoint FILE
! isolde: --consume deletes files, and standard input is none; give the file itself
= 0
# What came is kept, with the order, and is read again in place of the source.
$ isolde watch big.isob --archive kept --archive-file-size 1M | sed -n 3p
|   strict-serializable  holds
= 0
$ isolde verify kept
| proved: strict-serializable holds, by an order of 300,000 transactions in 4 files
| The chain ends with 6f0f364c1e67019ed8b4b04c2c2f54076cea3e42ef124fd56ae0c9d2c0b945ce.
= 0
$ isolde watch kept | sed -n 3p
|   strict-serializable  holds
= 0
$ isolde watch big.isob --archive last --archive-file-size 1M --archive-keep-size 12M | sed -n 3p; isolde verify last; isolde watch last; rm last/131072.start; isolde verify last
|   strict-serializable  holds
| proved: strict-serializable holds from transaction 131,073 on, by an order of 188,398 transactions in 3 files
| What came before was deleted and can no longer be verified.
| The chain ends with 325a886ff497f474fab7db4ba79aafd10016ce929fcbcb2b120bbd4c3669827a.
| not proved: strict-serializable holds from transaction 131,073 on: 131072.start is missing, and the chain does not say that it was deleted
! isolde: last: it is an archive whose beginning was deleted, so what it has tells nothing by itself; isolde verify last looks at the order that was found
= 1
$ cat stale.isob | isolde watch - --archive piped --bundle piped.jsonl --certificate piped.proof | sed -n 3p; isolde watch stale.isob --bundle filed.jsonl | sed -n 3p; cmp piped.jsonl filed.jsonl; isolde verify piped.proof piped.jsonl; isolde verify piped
|   strict-serializable  violated
|   strict-serializable  violated
| proved: strict-serializable is violated, by an argument of 2 steps
| not proved: strict-serializable holds: the archive has no end: 1 file with 110,117 transactions, and nothing wrong so far
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 1
$ mkdir turns2; cp a.isob turns2/1.isob; cp b.isob turns2/2.isob; cp c.isob turns2/3.isob; isolde watch turns2 --consume --checkpoint turns2.checkpoint --checkpoint-every 0 --archive turns2.kept | sed -n 3p; ls turns2
|   strict-serializable  violated
| 3.isob
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 14 ns of the history, because of #1, #2 and #4; a violation that stands by itself is looked for
= 0
$ isolde watch big.isob --archive kept; isolde watch kept --archive kept; isolde watch big.isob --archive-keep-age 1s; isolde verify kept big.isob; isolde verify big.segments; isolde watch big.isob --archive other --archive-file-size x
! isolde: kept: there is something; choose a folder that is empty for the archive, or go on with its checkpoint
! isolde: kept is what is read; choose another folder for the archive
! isolde: --archive-keep-age is for the archive; give --archive DIR
! isolde: kept is an archive, which has its history in it; give no other
! isolde: argument history is missing; write at least: isolde verify certificate history (see isolde verify --help)
! isolde: --archive-file-size: 'x' is not a size; write for example 512M or 2G (see isolde watch --help)
= 3
# Usage and bad input.
$ isolde watch list.jsonl
! isolde: list.jsonl@0: the file does not begin with ISOLDEB1; this is another format; isolde convert --to native-binary writes one, and what is compressed comes through a pipe (zcat FILE | isolde watch -)
= 3
$ isolde watch missing.isob
! isolde: missing.isob: No such file or directory
= 4
$ isolde watch small.isob --certificate proof
! isolde: --certificate is about the bundle; give --bundle too
= 3
$ isolde watch small.isob --bundle ./small.isob
! isolde: ./small.isob is what is read, which is never overwritten; choose another file to write
= 3
$ isolde watch small.isob --bundle b --certificate small.isob; isolde watch small.isob --bundle b --certificate b
! isolde: small.isob is what is read, which is never overwritten; choose another file to write
! isolde: b is written twice; choose another file for one of them
= 3

# Other levels: those with an order of all commits in real time, and what these imply.
$ isolde gen --workload general --txns 50000 --sessions 24 --keys 2000 --seed 5 --isolation snapshot-isolation --to native-binary --out si.isob
= 0
$ isolde watch --level strong-snapshot-isolation si.isob
| si.isob: native-binary, 57,909 transactions, 1 round
|
|   strong-snapshot-isolation  holds
|
|   An order of the 50,000 transactions that took effect explains what each of them read.
= 0
$ isolde watch --level strong-si si.isob --segments si.segments | sed -n 3p; isolde verify si.segments si.isob
|   strong-snapshot-isolation  holds
| proved: strong-snapshot-isolation holds, by an order of 50,000 transactions in 2 segments
= 0
$ isolde watch --level strong-pc si.isob --segments si.segments | sed -n 3p; isolde verify si.segments si.isob
|   strong-prefix-consistency  holds
| proved: strong-prefix-consistency holds, by an order of 50,000 transactions in 2 segments
= 0
$ isolde watch --level read-committed si.isob
| si.isob: native-binary, 57,909 transactions, 1 round
|
|   read-committed  holds
|
|   strong-prefix-consistency holds, which implies it: an order of the 50,000 transactions
|   that took effect explains what each of them read.
= 0
$ isolde watch --no-progress --level serializable si.isob 2>/dev/null
| si.isob: native-binary, 57,909 transactions, 1 round
|
|   serializable  violated
|
| Write skew (G2-item)
|
| Let:
|   T1 = #2952, session 10, transaction 2952 of the file, from 155.884 ms to 157.340 ms
|        r(126)=7968 r(22)=6804 w(1738)=11891 (and 5 more operations)
|   T2 = #1760, session 11, transaction 1760 of the file, from 92.776 ms to 94.038 ms
|        w(1674)=6756 w(22)=6804 (and 6 more operations)
|   T3 = #2951, session 3, transaction 2951 of the file, from 156.208 ms to 157.330 ms
|        w(22)=12940 r(1738)=4284 (and 6 more operations)
|   T4 = #1129, session 11, transaction 1129 of the file, from 59.380 ms to 60.414 ms
|        w(1738)=4284 r(406)=initial (and 6 more operations)
|   T5 = #1615, session 23, transaction 1615 of the file, from 85.053 ms to 86.317 ms
|        w(1607)=6408 w(406)=6504 (and 6 more operations)
|   T6 = #1651, session 15, transaction 1651 of the file, from 87.435 ms to 88.435 ms
|        r(1607)=6408 w(877)=6232 (and 6 more operations)
|   T7 = #1718, session 12, transaction 1718 of the file, from 90.772 ms to 91.967 ms
|        r(877)=6232 w(358)=7501 (and 6 more operations)
|   T8 = #1970, session 23, transaction 1970 of the file, from 104.137 ms to 105.299 ms
|        w(126)=7968 r(358)=7501 (and 6 more operations)
|   T9 = #1823, session 10, transaction 1823 of the file, from 96.339 ms to 97.579 ms
|        w(1501)=7403 r(1674)=6756 (and 6 more operations)
|   T10 = #1991, session 13, transaction 1991 of the file, from 105.017 ms to 106.430 ms
|        r(1501)=7403 w(508)=8246 (and 6 more operations)
|   T11 = #2121, session 10, transaction 2121 of the file, from 112.212 ms to 113.350 ms
|        r(508)=8246 w(1316)=8411 (and 6 more operations)
|   T12 = #2931, session 16, transaction 2931 of the file, from 154.667 ms to 156.312 ms
|        w(1124)=11369 r(1316)=8411 (and 6 more operations)
|   T13 = #2946, session 22, transaction 2946 of the file, from 156.222 ms to 157.202 ms
|        w(1117)=12431 r(1124)=11369 (and 6 more operations)
|   T14 = #2973, session 17, transaction 2973 of the file, from 157.393 ms to 158.533 ms
|        w(1256)=12066 r(1117)=12431 (and 6 more operations)
|   T15 = #3027, session 2, transaction 3027 of the file, from 160.195 ms to 161.300 ms
|        r(22)=12940 r(1256)=12066 (and 6 more operations)
|   Times are since the first start of the whole history.
| Step 1. T1 wrote key 1738 before T4, or T3 wrote key 22 before T2, for otherwise:
|   T1 < T3 (rw), because T1 read key 22 = 6804 from T2, which T3 replaced by 12940 (assumed).
|   T3 < T1 (rw), because T3 read key 1738 = 4284 from T4, which T1 replaced by 11891 (assumed).
|   T1 < T3 < T1, a contradiction.
| Step 2. T4 wrote key 1738 before T1, for otherwise:
|   T4 < T5 (rw), because T4 read the initial value of key 406, which T5 replaced by 6504.
|   T5 < T6 (wr), because T6 read key 1607 = 6408, which T5 wrote.
|   T6 < T7 (wr), because T7 read key 877 = 6232, which T6 wrote.
|   T7 < T8 (wr), because T8 read key 358 = 7501, which T7 wrote.
|   T8 < T1 (wr), because T1 read key 126 = 7968, which T8 wrote.
|   T1 < T4 (ww), because T1 wrote key 1738 = 11891 before T4 wrote key 1738 = 4284 (assumed).
|   T4 < T5 < T6 < T7 < T8 < T1 < T4, a contradiction.
| Step 3. From steps 1 and 2: T3 wrote key 22 before T2.
| Step 4. T2 wrote key 22 before T3, for otherwise:
|   T2 < T9 (wr), because T9 read key 1674 = 6756, which T2 wrote.
|   T9 < T10 (wr), because T10 read key 1501 = 7403, which T9 wrote.
|   T10 < T11 (wr), because T11 read key 508 = 8246, which T10 wrote.
|   T11 < T12 (wr), because T12 read key 1316 = 8411, which T11 wrote.
|   T12 < T13 (wr), because T13 read key 1124 = 11369, which T12 wrote.
|   T13 < T14 (wr), because T14 read key 1117 = 12431, which T13 wrote.
|   T14 < T15 (wr), because T15 read key 1256 = 12066, which T14 wrote.
|   T15 < T2 (rw), because T15 read key 22 = 12940 from T3, which T2 replaced by 6804 (assumed).
|   T2 < T9 < T10 < T11 < T12 < T13 < T14 < T15 < T2, a contradiction.
| Step 5. From steps 3 and 4: a contradiction.
| Thus no order of these transactions that serializable allows explains what they read.
| Notation: T1 < T2, T1 must come before T2; G2-item, the type of the anomaly in the terms of Adya
|   and Elle.
| A < B by wr: B read what A wrote; ww: B replaced what A wrote; rw: A read a version that B
|   replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
|
|   This rests on 56 transactions alone, whatever the others did; #1 is the first one of the
|   source.
|
|   These transactions violate weaker levels, too, down to repeatable-read, unless somebody
|   later writes what they have read.
= 1
$ isolde watch --level mixed si.isob; isolde watch --level serialisable si.isob
! isolde: mixed is not decided as a history comes; isolde check decides it
! isolde: unknown level 'serialisable' (did you mean serializable?); isolde levels lists them all
= 3
$ isolde watch --level strong-si --checkpoint si.checkpoint --checkpoint-every 0 si.isob | sed -n 3p; isolde watch --level strong-pc --checkpoint si.checkpoint si.isob
|   strong-snapshot-isolation  holds
! isolde: si.checkpoint was written with another --level; go on with that, or remove it to begin anew
= 3
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":9,"ops":[["r","x",null],["w","x",1]]}' '{"session":"b","start":2,"end":8,"ops":[["r","x",null],["w","x",2]]}' > lost.jsonl; isolde convert --to native-binary lost.jsonl lost.isob; isolde watch lost.isob 2>/dev/null | tail -3; isolde watch --level strong-si --json lost.isob 2>/dev/null | sed 's/"seconds".*//'
|   These transactions violate weaker levels, too, down to repeatable-read,
|   parallel-snapshot-isolation and linearizable, unless somebody later writes what they have
|   read.
| {"schema":1,"sources":["lost.isob"],"transactions":2,"committed":2,"settled":0,"rounds":1,"level":"strong-snapshot-isolation","verdict":"violated","violations":1,"violation":{"transactions":2,"bundle":null,"also_violated":["strict-serializable","per-key-strict-serializable","strong-session-serializable","serializable","repeatable-read","strong-session-snapshot-isolation","snapshot-isolation","strong-parallel-snapshot-isolation","strong-session-parallel-snapshot-isolation","parallel-snapshot-isolation","linearizable"]},
= 0
$ isolde watch --level strong-pc lost.isob | sed -n 3p
|   strong-prefix-consistency  holds
= 0
$ isolde watch big.isob --archive aged --archive-file-size 1M --archive-keep-age 5s | sed -n 3p
|   strict-serializable  holds
= 0
$ isolde verify aged | head -2
| proved: strict-serializable holds from transaction 131,073 on, by an order of 188,398 transactions in 3 files
| What came before was deleted and can no longer be verified.
= 0
$ isolde watch si.isob --level strong-si --archive si.kept; isolde watch si.isob --incomplete --archive si.kept
! isolde: --archive is for strict serializability, not for --level strong-snapshot-isolation: a file of it begins where no transaction is between its snapshot and its commit; leave one of them out
! isolde: --archive is not for --incomplete: of keys with writers who are not recorded nothing is proved; leave one of them out
= 3
$ isolde watch --keys 'zzz*' si.isob --segments none.segments; isolde verify none.segments si.isob
| si.isob: native-binary, 57,909 transactions, 1 round
|
|   strict-serializable  unknown
|
|   Why: no key is like zzz*.
|   An order of 50,000 transactions was settled.
| not proved: strict-serializable holds: the file has no end: 1 segment with 50,000 transactions, and nothing wrong so far
= 1
$ (sleep 0.5; cp lost.isob later.isob) & isolde watch --follow --level strong-pc later.isob | sed -n 3p
|   strong-prefix-consistency  holds
! isolde: later.isob is not there yet, and is waited for
= 0
$ isolde watch --follow --timeout 100ms never.isob | sed -n 3,5p
|   strict-serializable  unknown
|
|   Why: time limit of 0.1 s reached.
! isolde: never.isob is not there yet, and is waited for
= 0
$ head -c 12987184 big.isob > part.isob; isolde watch part.isob --archive stopped --archive-file-size 1M | sed -n 3,5p; isolde verify stopped
|   strict-serializable  unknown
|
|   Why: no group says that it is the last.
| not proved: strict-serializable holds: the archive has no end: 3 files with 239,136 transactions, and nothing wrong so far
= 1

# Lists of several sources are joined with what each tells of the start; and no list can have what stands for one that
# nobody can have read.
$ printf '%s\n' '{"isolde":2,"kind":"history","initial":[["r",5],["l",["x"]]]}' '{"session":"a","start":1,"end":2,"ops":[["r","r",null]]}' > told.jsonl; printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"b","start":1,"end":2,"ops":[["append","log","e"]]}' > log.jsonl; printf '%s\n' '{"isolde":2,"kind":"history","initial":[["l",["y"]]]}' '{"session":"c","start":1,"end":2,"ops":[["append","log","f"]]}' > other.jsonl; for f in told log other; do isolde convert --to native-binary $f.jsonl $f.isob; done; isolde watch told.isob log.isob 2>/dev/null | sed -n 3,5p; isolde watch told.isob other.isob
|   strict-serializable  violated
|
| Lost initial contents
! isolde: other.isob: its initial contents are not those of another file
= 3
$ printf '%s\n' '{"isolde":2,"kind":"history","initial":[["l",["e"]]]}' '{"session":"b","start":1,"end":2,"ops":[["append","l",0.7159360842717064189235506114493820]]}' '{"session":"a","start":3,"end":4,"ops":[["r","l",["z","q"]]]}' > nobodys.jsonl; isolde convert --to native-binary nobodys.jsonl nobodys.isob; isolde watch nobodys.isob 2>/dev/null | sed -n 3,6p
|   strict-serializable  unknown
|
|   Why: a list has the element 0.7159360842717064189235506114493820, which stands for lists
|   that nobody can have read.
= 0

# A watch that follows a source goes on behind a violation, and ends where it is told to.
$ isolde gen --workload blindw-rw --ops 4 --keys 200 --txns 350000 --sessions 24 --seed 1 --fault stale-read --fault-rate 0.001 --to native-binary --out wrong.isob
= 0
$ isolde watch --follow wrong.isob --bundle wrong.jsonl --certificate wrong.proof | tail -2
|   4 violations were found; this is the first, and the last one's transactions are in
|   wrong.4.jsonl.
! isolde: suspected, which is no verdict yet: no order was found of #1 to #131,072, from 0 ns to 4.047 s of the history, because of #43,560, #43,588 and #43,611; a violation that stands by itself is looked for
! isolde: violated: strict-serializable is violated by 6 transactions, #43,248, #43,350, #43,514, #43,560, #43,588 and #43,611, which are in wrong.jsonl; the watch goes on behind #131,072
! isolde: suspected, which is no verdict yet: no order was found of #131,096 to #262,144, from 4.047 s to 8.097 s of the history, because of #142,482, #142,504 and #142,532; a violation that stands by itself is looked for
! isolde: violated: strict-serializable is violated by 10 transactions, #131,080, #131,103, #131,232, #131,283, #141,849, #142,296 and 4 others, which are in wrong.2.jsonl; the watch goes on behind #262,144
! isolde: suspected, which is no verdict yet: no order was found of #262,159 to #393,216, from 8.097 s to 12.145 s of the history, because of #319,173, #319,467 and #319,502; a violation that stands by itself is looked for
! isolde: violated: strict-serializable is violated by 10 transactions, #262,158, #262,300, #262,347, #262,410, #319,173, #319,351 and 4 others, which are in wrong.3.jsonl; the watch goes on behind #393,216
! isolde: suspected, which is no verdict yet: no order was found of #393,235 to #473,570, from 12.145 s to 14.628 s of the history, because of #436,868, #436,900 and #436,920; a violation that stands by itself is looked for
= 0
$ isolde verify wrong.4.proof wrong.4.jsonl
| proved: strict-serializable is violated, by an argument of 2 steps
= 0
$ isolde verify wrong.3.proof wrong.3.jsonl; ls wrong.*
| proved: strict-serializable is violated, by an argument of 2 steps
| wrong.2.jsonl
| wrong.2.proof
| wrong.3.jsonl
| wrong.3.proof
| wrong.4.jsonl
| wrong.4.proof
| wrong.isob
| wrong.jsonl
| wrong.proof
= 0
$ isolde watch --follow wrong.isob --segments wrong.segments --max-violations 2 2> /dev/null | sed -n '3p;$p'; isolde verify wrong.segments wrong.isob
|   strict-serializable  violated
|   2 violations were found; this is the first.
| not proved: strict-serializable holds: the file has no end: 0 segments with 0 transactions, and nothing wrong so far
= 1
$ isolde watch --follow wrong.isob --exit-on-violation --json 2> /dev/null | grep -o '"violations":.*"bundle"'
| "violations":1,"violation":{"transactions":6,"bundle"
= 0
$ isolde watch --follow wrong.isob --max-violations 0
! isolde: --max-violations: the watch ends at 1 at the earliest
= 3
