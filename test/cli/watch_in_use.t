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
| Stale read (G-single-realtime)
| proved: strict-serializable is violated, by a cycle
| {"isolde":2,"kind":"history","initial":[["x",7]]}
| {"session":"b","start":1,"end":3,"id":2,"ops":[["r","x"],["w","x",8]]}
| {"session":"c","start":9,"end":10,"id":5,"ops":[["r","x",7]]}
! isolde: suspected, which is no verdict yet: no order was found of #1 to #5, from 0 ns to 9 ns of the history, because of #2 and #5; a violation that stands by itself is looked for
= 0

$ isolde watch --initial unknown --checkpoint c --checkpoint-every 0 in-use.isob | sed -n 3p; isolde watch --checkpoint c in-use.isob
|   strict-serializable  holds
! isolde: c was written with another --initial; go on with that, or remove it to begin anew
= 3

# Somebody writes who is not recorded. The keys are told, and the others are checked.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["w","x",1],["w","y",1]]}' '{"session":"b","start":3,"end":4,"ops":[["r","x",7],["r","y",1]]}' '{"session":"a","start":5,"end":6,"ops":[["r","x",1],["w","y",2]]}' '{"session":"b","start":7,"end":8,"ops":[["r","y",2]]}' > shared.jsonl; isolde convert --to native-binary shared.jsonl shared.isob; isolde watch shared.isob | sed -n 3,5p
|   strict-serializable  violated
|
| Thin-air read (garbage-read)
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 7 ns of the history, because of #2; a violation that stands by itself is looked for
= 0
$ isolde watch --incomplete shared.isob
| shared.isob: native-binary, 4 transactions, 1 round
|
|   strict-serializable  unknown
|
|   Why: somebody who is not recorded writes 1 key (x); what is read of all others is
|   explained.
|   An order of 4 transactions was settled.
= 2
$ isolde watch --incomplete --json --log - shared.isob 2>&1 | sed 's/"seconds".*//; s/"time":"[^"]*"/"time":TIME/' | grep -v '"event":"round"'
| {"time":TIME,"event":"start","source":"shared.isob","level":"strict-serializable"}
| {"schema":1,"sources":["shared.isob"],"transactions":4,"committed":4,"settled":4,"rounds":1,"level":"strict-serializable","verdict":"unknown","reason":"somebody who is not recorded writes 1 key (x); what is read of all others is explained","incomplete_keys":{"count":1,"first":[{"key":"x","reads":2}]},
| {"time":TIME,"event":"incomplete","source":"shared.isob","text":"somebody who is not recorded writes x","incomplete_keys":1}
| {"time":TIME,"event":"end","source":"shared.isob","level":"strict-serializable","verdict":"unknown","transactions":4,"settled":4,"reason":"somebody who is not recorded writes 1 key (x); what is read of all others is explained"}
= 0
$ isolde watch --incomplete --segments s shared.isob | sed -n 3p; isolde verify s shared.isob
|   strict-serializable  unknown
| not proved: strict-serializable holds: the file has no end: 0 segments with 0 transactions, and nothing wrong so far
= 1
$ (cat shared.jsonl; echo '{"session":"b","start":9,"end":10,"ops":[["r","x",9],["r","y",1]]}') > both.jsonl; isolde convert --to native-binary both.jsonl both.isob; isolde watch --incomplete both.isob --bundle bundle.jsonl | sed -n 3,5p; cat bundle.jsonl
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
| {"isolde":1,"kind":"history"}
| {"session":"a","start":1,"end":2,"id":1,"ops":[["w","x",1],["w","y",1]]}
| {"session":"a","start":5,"end":6,"id":3,"ops":[["r","x"],["w","y",2]]}
| {"session":"b","start":9,"end":10,"id":5,"ops":[["r","x"],["r","y",1]]}
! isolde: suspected, which is no verdict yet: no order was found of #1 to #5, from 0 ns to 9 ns of the history, because of #1, #3 and #5; a violation that stands by itself is looked for
= 0

# Only some keys.
$ isolde watch --keys '[y-z]*' --segments y.segments shared.isob; head -1 y.segments; isolde verify y.segments shared.isob
| shared.isob: native-binary, 4 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 4 transactions that took effect explains what each of them read of the
|   keys like [y-z]*.
| {"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0,"keys":"[y-z]*","chain":"d8f6a87217cb50d5"}
| proved: strict-serializable holds of the keys like [y-z]*, by an order of 4 transactions in 1 segment
= 0
$ isolde watch --keys 'x' shared.isob | sed -n 3p; isolde watch --keys y --checkpoint k --checkpoint-every 0 shared.isob | sed -n 3p; isolde watch --checkpoint k shared.isob
|   strict-serializable  violated
|   strict-serializable  holds
! isolde: suspected, which is no verdict yet: no order was found of #1 to #4, from 0 ns to 7 ns of the history, because of #2; a violation that stands by itself is looked for
! isolde: k was written with another --keys; go on with that, or remove it to begin anew
= 3
$ isolde watch --keys y both.isob --json | sed 's/"seconds".*//'
| {"schema":1,"sources":["both.isob"],"transactions":5,"committed":5,"settled":0,"rounds":1,"level":"strict-serializable","verdict":"violated","keys":"y","violations":1,"violation":{"transactions":3,"bundle":null,"also_violated":["per-key-strict-serializable","strong-snapshot-isolation","strong-parallel-snapshot-isolation","strong-prefix-consistency","linearizable","strong-transactional-causal","strong-read-atomic"]},
! isolde: suspected, which is no verdict yet: no order was found of #1 to #5, from 0 ns to 9 ns of the history, because of #1, #3 and #5; a violation that stands by itself is looked for
= 0
# What was there at the start and is read although it was overwritten is a stale read, whether the source tells it or
# nobody has written what the first read of the key returned.
$ printf '%s\n' '{"isolde":2,"kind":"history","initial":[["x",7]]}' '{"session":"a","start":1,"end":2,"ops":[["r","x",7]]}' '{"session":"a","start":3,"end":4,"ops":[["w","x",9]]}' '{"session":"b","start":5,"end":6,"ops":[["r","x",7]]}' > told.jsonl; isolde convert --to native-binary told.jsonl told.isob; sed '1s/.*/{"isolde":1,"kind":"history"}/' told.jsonl > untold.jsonl; isolde convert --to native-binary untold.jsonl untold.isob; for words in "told.isob" "--initial unknown untold.isob"; do isolde watch $words --bundle stale.bundle --certificate stale.proof 2>/dev/null | grep -e Stale.read.\( -e initial -e "rests on" -A 1; cat stale.bundle; isolde verify stale.proof stale.bundle; done
| Stale read (G-single-realtime)
|
| --
|   T2 < T1 (rw), because T2 read the initial x = 7, which T1 replaced by 9.
|   T1 < T2 < T1, a contradiction.
| --
|   This rests on 2 transactions alone, whatever the others did; #1 is the first one of the
|   source.
| {"isolde":2,"kind":"history","initial":[["x",7]]}
| {"session":"a","start":3,"end":4,"id":2,"ops":[["w","x",9]]}
| {"session":"b","start":5,"end":6,"id":3,"ops":[["r","x",7]]}
| proved: strict-serializable is violated, by a cycle
| Stale read (G-single-realtime)
|
| --
|   T2 < T1 (rw), because T2 read the initial x = 7, which T1 replaced by 9.
|   T1 < T2 < T1, a contradiction.
| --
|   This rests on 2 transactions alone, whatever the others did, and on keys having held at
|   the start what was first read of them; #1 is the first one of the source.
| {"isolde":2,"kind":"history","initial":[["x",7]]}
| {"session":"a","start":3,"end":4,"id":2,"ops":[["w","x",9]]}
| {"session":"b","start":5,"end":6,"id":3,"ops":[["r","x",7]]}
| proved: strict-serializable is violated, by a cycle
= 0
# Another value that nobody wrote is from nowhere.
$ sed '$s/7/8/' untold.jsonl > nowhere.jsonl; isolde convert --to native-binary nowhere.jsonl nowhere.isob; isolde watch --initial unknown nowhere.isob 2>/dev/null | grep -e "-read)" -e "rests on" -A 1
| Thin-air read (garbage-read)
|
| --
|   This rests on 2 transactions alone, whatever the others did and keys held at the start; #1
|   is the first one of the source.
= 0

# Lists that were there before, to which others append who are not recorded.
$ printf '%s\n' '{"isolde":1,"kind":"history"}' '{"session":"a","start":1,"end":2,"ops":[["append","l",1],["append","m",1]]}' '{"session":"b","start":3,"end":4,"ops":[["r","l",[7,8,1]],["r","m",[1]]]}' '{"session":"a","start":5,"end":6,"ops":[["append","l",2],["append","m",2]]}' '{"session":"b","start":7,"end":8,"ops":[["r","l",[7,8,1,2]],["r","m",[1,2]]]}' > used-lists.jsonl; isolde convert --to native-binary used-lists.jsonl used-lists.isob; isolde watch --initial unknown --segments l.segments used-lists.isob | tail -2; isolde verify l.segments used-lists.isob; python3 $ROOT/tools/verify.py l.segments used-lists.jsonl
|   An order of the 4 transactions that took effect explains what each of them read, if keys
|   held at the start what was first read of them.
| proved: strict-serializable holds, by an order of 4 transactions in 1 segment
| What keys held at the start is not known, and taken from their first reads.
| accepted: strict-serializable holds
= 0
$ (cat used-lists.jsonl; echo '{"session":"c","start":9,"end":10,"ops":[["r","l",[7,8,1]]]}') > missing.jsonl; isolde convert --to native-binary missing.jsonl missing.isob; isolde watch --initial unknown missing.isob --bundle bundle.jsonl --certificate bundle.proof 2>/dev/null | sed -n 3,5p; cat bundle.jsonl; isolde verify bundle.proof bundle.jsonl
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
| {"isolde":1,"kind":"history"}
| {"session":"a","start":5,"end":6,"id":3,"ops":[["append","l",2],["append","m",2]]}
| {"session":"c","start":9,"end":10,"id":5,"ops":[["r","l",[]]]}
| proved: strict-serializable is violated, by a cycle
= 0
$ isolde watch --incomplete used-lists.isob
| used-lists.isob: native-binary, 4 transactions, 1 round
|
|   strict-serializable  unknown
|
|   Why: somebody who is not recorded writes 1 key (l); what is read of all others is
|   explained.
|   An order of 4 transactions was settled.
= 2
$ (cat used-lists.jsonl; echo '{"session":"c","start":9,"end":10,"ops":[["r","m",[1]]]}') > both-lists.jsonl; isolde convert --to native-binary both-lists.jsonl both-lists.isob; isolde watch --incomplete both-lists.isob --bundle bundle.jsonl 2>/dev/null | sed -n 3,5p; cat bundle.jsonl
|   strict-serializable  violated
|
| Stale read (G-single-realtime)
| {"isolde":1,"kind":"history"}
| {"session":"a","start":1,"end":2,"id":1,"ops":[["append","l",1],["append","m",1]]}
| {"session":"a","start":5,"end":6,"id":3,"ops":[["append","l",2],["append","m",2]]}
| {"session":"c","start":9,"end":10,"id":5,"ops":[["r","m",[1]]]}
= 0
