# Times of the day and servers, where the history tells them.
$ isolde check --level ser --certificate lost.jsonl $DATA/clock.jsonl
| $DATA/clock.jsonl: native, 2 sessions, 3 transactions, 5 operations, 1 key
|
|   In short: Lost updates occur.
|   At least 1 update was lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, lock what is read before it is
|     changed, or compute inside of the statement that changes it, or use an isolation that
|     refuses the second change, such as snapshot isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   serializable  violated        lost update (G-single)
|
| Why not serializable:
|
|   Lost update (G-single)
|
|   Times are of 2026-11-20, in UTC.
|
|   Let:
|     T1 = a:0, line 2, 14:03:22.822000 to 14:03:22.823000, on 10.0.0.1:5432 backend 4711
|          r(x)=initial w(x)=1
|     T2 = b:0, line 3, 14:03:22.822500 to 14:03:22.824000, on 10.0.0.2:5432 backend 815
|          r(x)=initial w(x)=2
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|     it.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   0 reads saw another session's write
|   1 version was replaced
|
| Certificates:
|   serializable: lost.jsonl
= 1
$ isolde check --json --level ser $DATA/clock.jsonl | tr ',' '\n' | grep -e clock_origin -e places -e line -e start -e end -e server
| "clock_origin":"2026-11-20T14:03:22.800000000Z"
| "places":[{"transaction":"a:0"
| "line":2
| "start":"2026-11-20T14:03:22.822000000Z"
| "end":"2026-11-20T14:03:22.823000000Z"
| "server":"10.0.0.1:5432 backend 4711"}
| "line":3
| "start":"2026-11-20T14:03:22.822500000Z"
| "end":"2026-11-20T14:03:22.824000000Z"
| "server":"10.0.0.2:5432 backend 815"}]
= 0
# They survive both native formats, and minimising.
$ isolde convert --to native-binary $DATA/clock.jsonl x.isolde
= 0
$ isolde convert --to native x.isolde back.jsonl && cat back.jsonl
| {"isolde":1,"kind":"history","clock":{"origin":"2026-11-20T14:03:22.800000000Z"}}
| {"session":"a","start":22000000,"end":23000000,"server":"10.0.0.1:5432 backend 4711","ops":[["r","x",null],["w","x",1]]}
| {"session":"b","start":22500000,"end":24000000,"server":"10.0.0.2:5432 backend 815","ops":[["r","x",null],["w","x",2]]}
| {"session":"a","start":25000000,"end":26000000,"ops":[["r","x",1]]}
= 0
$ isolde explain lost.jsonl x.isolde | grep -A5 Times
| Times are of 2026-11-20, in UTC.
|
| Let:
|   T1 = a:0, transaction 1 of the file, 14:03:22.822000 to 14:03:22.823000, on 10.0.0.1:5432
|     backend 4711
|        r(x)=initial w(x)=1
= 0
$ isolde minimize $DATA/clock.jsonl --level ser --out small.jsonl >out.txt; cat small.jsonl
| {"isolde":1,"kind":"history","clock":{"origin":"2026-11-20T14:03:22.800000000Z"},"notes":["minimised for serializable: 2 of 3 transactions, each with a part of its operations"]}
| {"session":"a","start":22000000,"end":23000000,"id":"a:0","server":"10.0.0.1:5432 backend 4711","ops":[["r","x",null],["w","x",1]]}
| {"session":"b","start":22500000,"end":24000000,"id":"b:0","server":"10.0.0.2:5432 backend 815","ops":[["r","x",null],["w","x",2]]}
= 0
# An origin that is no moment is not used, and a note says so.
$ echo '{"isolde":1,"kind":"history","clock":{"origin":"noon"}}' >noon.jsonl
= 0
$ tail -n +2 $DATA/clock.jsonl >>noon.jsonl; isolde check --level ser noon.jsonl | grep -e ' = ' -e noon -e origin -e 'is not used'
| noon.jsonl: native, 2 sessions, 3 transactions, 5 operations, 1 key
|     T1 = a:0, line 2, from 0 ns to 1.000 ms, on 10.0.0.1:5432 backend 4711
|     T2 = b:0, line 3, from 500.000 us to 2.000 ms, on 10.0.0.2:5432 backend 815
|   the origin of the clock in the header is not an RFC 3339 time (2026-11-20T14:03:22.5Z) and
|     is not used
= 0
# What is assumed of clocks is said wherever it counts, and a verifier accepts it only when asked to.
$ isolde check --level sser,ser,lin $DATA/stale-by-5ms.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   strict-serializable  violated        stale read (G-single-realtime)
|   serializable         holds
|   linearizable         violated        stale read (G-single-realtime)
= 0
$ isolde check --level sser,ser,lin --clock-error 10ms --certificate apart $DATA/stale-by-5ms.jsonl
| $DATA/stale-by-5ms.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: No anomaly that strict-serializable, serializable or linearizable forbids was
|     found in 2 transactions.
|
|   strict-serializable  holds           with clocks up to 10ms apart
|   serializable         holds
|   linearizable         holds           with clocks up to 10ms apart
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   no two overlapping transactions used a key that one of them wrote, so serializable was not
|     put to the test; more sessions at once on fewer keys would do that
|
| Certificates:
|   strict-serializable: apart.strict-serializable.jsonl
|   serializable: apart.serializable.jsonl
|   linearizable: apart.linearizable.jsonl
= 0
$ isolde check --clock-error 10ms $DATA/stale-by-5ms.jsonl | grep -B2 clocks
| Strongest that holds: strict-serializable
| Weakest violated:     none
| Real time counts with clocks up to 10ms apart.
= 0
$ isolde check --json --level sser --clock-error 10ms $DATA/stale-by-5ms.jsonl | tr ',' '\n' | grep -A1 clock_error
| "clock_error_ns":10000000
| "aborted":0
= 0
# So do the documents, for verdicts of either kind, where real time counts and nowhere else.
$ isolde check --level sser,ser,lin --clock-error 10ms --junit by.xml --sarif by.sarif --edn by.edn --html by.html --github $DATA/stale-by-5ms.jsonl | grep '^::notice.*Left out' | grep -o 'real time counts.*'; for by in xml sarif edn html; do grep -o 'real time counts with clocks up to 10ms apart[a-z, -]*' by.$by; done; grep -c 'system-out>with clocks up to 10ms apart' by.xml
| real time counts with clocks up to 10ms apart for strict-serializable, linearizable
| real time counts with clocks up to 10ms apart for strict-serializable, linearizable
| real time counts with clocks up to 10ms apart for strict-serializable, linearizable
| real time counts with clocks up to 10ms apart for strict-serializable, linearizable
| real time counts with clocks up to 10ms apart for strict-serializable, linearizable
| 2
= 0
$ isolde check --level sser,ser --clock-error 1ms --junit by.xml --sarif by.sarif --edn by.edn --html by.html --github $DATA/stale-by-5ms.jsonl | grep -o '^::[ew].*clocks up to 1ms apart'; grep -o 'message="[^"]*clocks up to 1ms apart[^"]*"' by.xml; grep -o '"Not [^"]*clocks up to 1ms apart[^"]*"' by.sarif
| ::error file=$DATA/stale-by-5ms.jsonl,line=2,title=Not strict-serializable%3A stale read (G-single-realtime)::stale read: a:0 ended 5.000 ms before b:0 started, but b:0 read the initial value of x, which a:0 replaced by 1. Real time counts with clocks up to 1ms apart
| message="stale read: a:0 ended 5.000 ms before b:0 started, but b:0 read the initial value of x, which a:0 replaced by 1 (with clocks up to 1ms apart)"
| "Not strict-serializable: stale read: a:0 ended 5.000 ms before b:0 started, but b:0 read the initial value of x, which a:0 replaced by 1. Real time counts with clocks up to 1ms apart."
= 0
$ isolde verify apart.strict-serializable.jsonl $DATA/stale-by-5ms.jsonl
| refused: the proof assumes clocks up to 10ms apart, and you allow none; give --clock-error 10ms to accept that
= 1
$ isolde verify --clock-error 5ms apart.linearizable.jsonl $DATA/stale-by-5ms.jsonl
| refused: the proof assumes clocks up to 10ms apart, and you allow only 5ms; give --clock-error 10ms to accept that
= 1
$ isolde verify --clock-error 10ms apart.strict-serializable.jsonl $DATA/stale-by-5ms.jsonl
| proved: strict-serializable holds, by an order of 2 transactions, with clocks up to 10ms apart
= 0
$ isolde verify apart.serializable.jsonl $DATA/stale-by-5ms.jsonl
| proved: serializable holds, by an order of 2 transactions
| but no two overlapping transactions used a key that one of them wrote, so the level was not put to the test
= 0

# A violation stands for clocks that are closer, and only as far as its proof goes for others.
$ isolde check --level sser --certificate agree $DATA/stale-by-5ms.jsonl >/dev/null; for allowed in 0 4ms 6ms; do isolde verify --clock-error $allowed agree $DATA/stale-by-5ms.jsonl; done
| proved: strict-serializable is violated, by a cycle
| proved: strict-serializable is violated, by a cycle
| refused: the proof does not stand when clocks are up to 6ms apart; check with --clock-error 6ms
= 1
$ isolde check --level sser --clock-error 4ms --certificate wide $DATA/stale-by-5ms.jsonl >/dev/null; isolde verify wide $DATA/stale-by-5ms.jsonl
| proved: strict-serializable is violated, by a cycle, with clocks up to 4ms apart
= 0
$ sed 's/"clock_error_ns":0/"clock_error_ns":10000000/' apart.serializable.jsonl >idle.jsonl; isolde verify idle.jsonl $DATA/stale-by-5ms.jsonl
| proved: serializable holds, by an order of 2 transactions
| but no two overlapping transactions used a key that one of them wrote, so the level was not put to the test
= 0
$ for forged in 9e18 9000000000000000000 -1; do sed "s/\"clock_error_ns\":10000000/\"clock_error_ns\":$forged/" apart.strict-serializable.jsonl >forged.jsonl; isolde verify --clock-error 1s forged.jsonl $DATA/stale-by-5ms.jsonl; done
! isolde: forged.jsonl:1: clock_error_ns is no whole number from 0 to 86400000000000 nanoseconds, which is a day
! isolde: forged.jsonl:1: clock_error_ns is no whole number from 0 to 86400000000000 nanoseconds, which is a day
! isolde: forged.jsonl:1: clock_error_ns is no whole number from 0 to 86400000000000 nanoseconds, which is a day
= 3
$ isolde check --clock-error 2e9s $DATA/stale-by-5ms.jsonl
! isolde: --clock-error: 2e9s is not between 0s and 24h (see isolde check --help)
= 3
$ isolde verify --clock-error 90000s apart.serializable.jsonl $DATA/stale-by-5ms.jsonl
! isolde: --clock-error: 90000s is not between 0s and 24h (see isolde verify --help)
= 3
