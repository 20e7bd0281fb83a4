# Fences settle where no time tells: docs/watching.md.
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 5 --fence-every 20 --no-times --to native-binary --out fenced.isob
= 0
$ isolde watch --fence fence fenced.isob --segments fenced.segments
| fenced.isob: native-binary, 312,410 transactions, 4 rounds
|
|   strong-session-serializable  holds
|
|   An order of the 300,000 transactions that took effect explains what each of them read.
= 0
$ isolde verify fenced.segments fenced.isob
| proved: strong-session-serializable holds, by an order of 300,000 transactions in 6 segments
= 0
# The plain level follows.
$ isolde watch --fence fence fenced.isob --level serializable | tail -3
|
|   strong-session-serializable holds, which implies it: an order of the 300,000 transactions
|   that took effect explains what each of them read.
= 0
# Without them everything stays open to the end.
$ isolde watch --fence other fenced.isob --json | sed 's/"seconds".*//'
| {"schema":1,"sources":["fenced.isob"],"transactions":312410,"committed":300000,"settled":300000,"rounds":1,"level":"strong-session-serializable","verdict":"holds",
= 0
# Snapshot isolation, and a level that the history violates.
$ isolde gen --workload general --isolation snapshot-isolation --txns 60000 --keys 2000 --sessions 8 --seed 5 --fence-every 10 --no-times --to native-binary --out si.isob
= 0
$ isolde watch --fence fence si.isob --level strong-session-snapshot-isolation --verify --segments si.segments | sed -n 3p
|   strong-session-snapshot-isolation  holds
= 0
$ isolde verify si.segments si.isob
| proved: strong-session-snapshot-isolation holds, by an order of 60,000 transactions in 3 segments
= 0
$ isolde watch --fence fence si.isob --level snapshot-isolation | tail -3
|
|   strong-session-snapshot-isolation holds, which implies it: an order of the 60,000
|   transactions that took effect explains what each of them read.
= 0
$ isolde watch --fence fence si.isob --bundle si.bundle.jsonl --certificate si.proof | sed -n 3p; isolde verify si.proof si.bundle.jsonl
|   strong-session-serializable  violated
| proved: strong-session-serializable is violated, by an argument of 2 steps
! isolde: suspected, which is no verdict yet: no order was found of #1 to #63,885 of the history, because of #322, #332, #410, #412, #418 and #421; a violation that stands by itself is looked for
= 0
# A violation is told before the end.
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 9 --fence-every 20 --no-times --fault aborted-read --fault-after 0.4 --fault-before 0.5 --to native-binary --out wrong.isob
= 0
$ isolde watch --fence fence wrong.isob 2>&1 | head -5
| isolde: suspected, which is no verdict yet: no order was found of #1 to #131,072 of the history, because of #127,296 and #127,299; a violation that stands by itself is looked for
| wrong.isob: native-binary, 131,072 transactions, 1 round
|
|   strong-session-serializable  violated
|
= 0
# What does not go together.
$ isolde watch --fence fence --level strict-serializable fenced.isob
! isolde: strict-serializable is not decided by fences, which keep the order of sessions and no real time; leave out --fence
= 3
$ isolde watch --fence fence --checkpoint x fenced.isob
! isolde: --fence settles without times, where --checkpoint means nothing or is not kept; leave one of them out
= 3
$ isolde watch --session-timeout 1s fenced.isob
! isolde: --session-timeout is about fences; say which key they use by --fence KEY
= 3
$ isolde watch --fence "" fenced.isob
! isolde: --fence has an empty value; give one, or leave the option out
= 3
$ isolde watch --level strong-session-serializable fenced.isob
| fenced.isob: native-binary, 131,072 transactions, 0 rounds
|
|   strong-session-serializable  unknown
|
|   Why: transactions have no times, which this level is about.
= 2
