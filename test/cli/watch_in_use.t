# A database that was in use before anybody recorded: nobody tells what its keys held.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["r","x",7]]}' '{"session":"b","start":1,"end":3,"ops":[["r","x",7],["w","x",8]]}' '{"session":"a","start":4,"end":5,"ops":[["r","x",8],["r","y","old"]]}' '{"session":"b","start":6,"end":7,"ops":[["w","y","new"]]}' > in-use.jsonl; isolde convert --to native-binary in-use.jsonl in-use.isob
= 0
$ isolde watch in-use.isob | sed -n 3,5p
|   strict-serializable  violated
|
| Thin-air read (garbage-read)
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 6 ns of the history, because of #1; a violation that stands by itself is looked for
= 0
$ isolde watch --initial unknown in-use.isob
| in-use.isob: native-binary, 4 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 4 transactions that took effect explains what each of them read, if keys
|   held at the start what was first read of them.
= 0
$ isolde watch --initial unknown --json in-use.isob | sed 's/"seconds".*//'
| {"schema":1,"sources":["in-use.isob"],"transactions":4,"committed":4,"settled":4,"rounds":1,"level":"strict-serializable","verdict":"holds","initial":"unknown",
= 0

# The proof says what it takes for granted.
$ isolde watch --initial unknown --segments in-use.segments in-use.isob | sed -n 3p; isolde verify in-use.segments in-use.isob
|   strict-serializable  holds
| proved: strict-serializable holds, by an order of 4 transactions in 1 segment
| What keys held at the start is not known, and taken from their first reads.
= 0
$ head -1 in-use.segments
| {"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0,"initial":"unknown","chain":"cb4296b217129234"}
= 0
$ isolde watch --segments known.segments in-use.isob | sed -n 3p; isolde verify known.segments in-use.isob
|   strict-serializable  violated
| not proved: strict-serializable holds: the file has no end: 0 segments with 0 transactions, and nothing wrong so far
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 6 ns of the history, because of #1; a violation that stands by itself is looked for
= 1

# Of two values that nobody wrote one may have been there, but it is not told which.
$ (head -2 in-use.jsonl; echo '{"session":"c","start":1,"end":4,"ops":[["r","x",6]]}') > two.jsonl; isolde convert --to native-binary two.jsonl two.isob; isolde watch --initial unknown two.isob | sed -n 3,7p
|   strict-serializable  unknown
|
|   Why: no order of what came then fits behind what was settled before, which may be more
|   than the history says.
! isolde: suspected, which is no verdict yet: no order was found of #1 to #2, from 0 ns to 3 ns of the history, because of #2; a violation that stands by itself is looked for
= 0

# A violation is one whatever was there.
$ (cat in-use.jsonl; echo '{"session":"c","start":9,"end":10,"ops":[["r","x",7]]}') > stale.jsonl; isolde convert --to native-binary stale.jsonl stale.isob; isolde watch --initial unknown stale.isob --bundle bundle.jsonl --certificate bundle.proof | sed -n 3,5p; isolde verify bundle.proof bundle.jsonl; cat bundle.jsonl
|   strict-serializable  violated
|
| Thin-air read (garbage-read)
| proved: strict-serializable is violated, by a single read
| {"isolde":1,"kind":"history"}
| {"session":"b","start":1,"end":3,"id":2,"ops":[["r","x"],["w","x",8]]}
| {"session":"c","start":9,"end":10,"id":5,"ops":[["r","x",7]]}
! isolde: suspected, which is no verdict yet: no order was found of #1 to #5, from 0 ns to 9 ns of the history, because of #2 and #5; a violation that stands by itself is looked for
= 0

$ isolde watch --initial unknown --checkpoint c --checkpoint-every 0 in-use.isob | sed -n 3p; isolde watch --checkpoint c in-use.isob
|   strict-serializable  holds
! isolde: c was written with another --initial; go on with that, or remove it to begin anew
= 3
