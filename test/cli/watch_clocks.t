# Sources of several hosts, whose clocks may be off: real time counts beyond both bounds.
$ printf '{"isolde":1,"kind":"history","ends":true,"clock":{"origin":"2026-11-20T14:03:22.000Z","host":"east","monotonic_ns":7,"error_ns":5000000}}\n{"session":"a","start":1000000,"end":2000000,"ops":[["w","x",1]]}\n{"event":"end","at":3000000}\n' >east.jsonl
= 0
$ printf '{"isolde":1,"kind":"history","ends":true,"clock":{"origin":"2026-11-20T14:03:21.900Z","host":"west","monotonic_ns":7}}\n{"session":"b","start":114000000,"end":115000000,"ops":[["r","x",null]]}\n{"event":"end","at":116000000,"clock_error_ns":7000000}\n' >west.jsonl
= 0
$ printf '{"isolde":1,"kind":"history","ends":true,"clock":{"origin":"2026-11-20T14:03:21.900Z","host":"west","monotonic_ns":7}}\n{"session":"b","start":115000000,"end":116000000,"ops":[["r","x",null]]}\n{"event":"end","at":116000000,"clock_error_ns":7000000}\n' >late.jsonl
= 0
$ printf '{"isolde":1,"kind":"history","ends":true,"clock":{"origin":"2026-11-20T14:03:21.900Z","host":"south"}}\n{"session":"c","start":114000000,"end":115000000,"ops":[["r","x",null]]}\n{"event":"end","at":116000000}\n' >south.jsonl
= 0
$ for name in east west late south; do isolde convert --to native-binary $name.jsonl $name.isob; done
= 0
$ isolde convert --to native east.isob - | head -1
| {"isolde":1,"kind":"history","clock":{"origin":"2026-11-20T14:03:22.000000000Z","host":"east","monotonic_ns":7,"error_ns":5000000}}
= 0
# 12 ms apart are too near, 13 are not.
$ isolde watch east.isob west.isob --segments both.segments
| east.isob and west.isob: native-binary, 2 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 2 transactions that took effect explains what each of them read.
|   Real time counts for gaps of more than 12ms: by so much may the clocks differ of west.isob
|   (7ms) and east.isob (5ms).
= 0
$ isolde watch --json east.isob west.isob | sed 's/"seconds".*//'
| {"schema":1,"sources":["east.isob","west.isob"],"transactions":2,"committed":2,"settled":2,"rounds":1,"level":"strict-serializable","verdict":"holds","clock_error_ns":12000000,"clocks":[{"source":"east.isob","error_ns":5000000},{"source":"west.isob","error_ns":7000000}],
= 0
$ isolde verify both.segments east.isob west.isob
| refused: the proof assumes clocks up to 12ms apart, and you allow none; give --clock-error 12ms to accept that
= 1
$ isolde verify --clock-error 12ms both.segments east.isob west.isob
| proved: strict-serializable holds, by an order of 2 transactions in 1 segment
= 0
$ isolde watch east.isob late.isob --bundle late-bundle.jsonl | grep -e violated -e 'Real time' -e differ -e off
|   strict-serializable  violated
|   Real time counts for gaps of more than 12ms: by so much may the clocks differ of late.isob
! isolde: suspected, which is no verdict yet: no order was found of #1 to #2, from 0 ns to 15.000 ms of the history, because of #1 and #2; a violation that stands by itself is looked for
= 0
$ isolde watch --clock-error 20ms east.isob late.isob
| east.isob and late.isob: native-binary, 2 transactions, 1 round
|
|   strict-serializable  holds
|
|   An order of the 2 transactions that took effect explains what each of them read.
|   Real time counts for gaps of more than 20ms, as --clock-error says.
= 0
$ isolde watch --clock-error 0s east.isob west.isob | sed -n 3p
|   strict-serializable  violated
! isolde: suspected, which is no verdict yet: no order was found of #1 to #2, from 0 ns to 14.000 ms of the history, because of #1 and #2; a violation that stands by itself is looked for
= 0
# One that does not tell how far it may be off.
$ isolde watch east.isob south.isob
| east.isob and south.isob: native-binary, 0 transactions, 0 rounds
|
|   strict-serializable  not-applicable
|
|   Why: the sources have different clocks, and by how much that of south.isob may be off is
|   not known; give --clock-error the most by which two of them differ.
= 2
$ isolde watch --json east.isob south.isob | sed 's/"seconds".*//'
| {"schema":1,"sources":["east.isob","south.isob"],"transactions":0,"committed":0,"settled":0,"rounds":0,"level":"strict-serializable","verdict":"not-applicable","clocks":[{"source":"east.isob","error_ns":5000000},{"source":"south.isob","error_ns":null}],"reason":"the sources have different clocks, and by how much that of south.isob may be off is not known; give --clock-error the most by which two of them differ",
= 0
$ isolde watch --level serializable east.isob south.isob
| east.isob and south.isob: native-binary, 2 transactions, 1 round
|
|   serializable  holds
|
|   An order of the 2 transactions that took effect explains what each of them read.
|   Real time counts for gaps of more than 24h alone, for clocks may be off by so much as far
|   as is known.
= 0
$ isolde watch --clock-error 100ms east.isob south.isob | sed -n 3p
|   strict-serializable  holds
= 0
# A folder whose files have several clocks.
$ mkdir both; cp east.isob both/1.isob; cp west.isob both/2.isob; isolde check --stream --level strict-serializable both | sed -n 1,8p; rm both/2.isob; cp south.isob both/2.isob; isolde check --stream --level strict-serializable both | grep -A4 'not-applicable'
| both: native-binary, 2 sessions, 2 transactions, 2 operations, 1 key, 1 round
|
|   In short: No anomaly that strict-serializable forbids was found in 2 transactions.
|
|   strict-serializable  holds           with clocks up to 12ms apart
|
| Evidence:
|   2 transactions took effect
|   strict-serializable  not-applicable  the sources have different clocks, and by how much that of both/2.isob may be off is not known; give --clock-error the most by which two of them differ
|
| Evidence:
|   0 transactions took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
= 0
# Where a checkpoint was written, what was known of the clocks is known again.
$ isolde watch east.isob west.isob --checkpoint both.checkpoint --checkpoint-every 0 | sed -n 3,6p; grep -a -o '"clock_host":"[a-z]*"' both.checkpoint; isolde watch east.isob west.isob --checkpoint both.checkpoint 2>&1 | sed -n 4,7p
|   strict-serializable  holds
|
|   An order of the 2 transactions that took effect explains what each of them read.
|   Real time counts for gaps of more than 12ms: by so much may the clocks differ of west.isob
| "clock_host":"east"
| "clock_host":"west"
|   strict-serializable  holds
|
|   An order of the 2 transactions that took effect explains what each of them read.
|   Real time counts for gaps of more than 12ms: by so much may the clocks differ of west.isob
= 0
