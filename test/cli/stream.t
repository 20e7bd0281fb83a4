# A file that may be larger than memory is read part by part, and reported as any other.
$ isolde gen --workload blindw-rw --txns 140000 --sessions 12 --ops 2 --seed 5 --to native-binary --out big.isob
= 0
$ isolde check --stream --level sser,si big.isob --certificate big.proof --bundle bundle.jsonl
| big.isob: native-binary, 12 sessions, 141,447 transactions (1447 aborted), 282,894 operations, 10,000 keys, 3 rounds
|
|   In short: No anomaly that strict-serializable or snapshot-isolation forbids was found in
|     140,000 transactions.
|
|   strict-serializable  holds
|   snapshot-isolation   holds           follows from strict-serializable
|
| Evidence:
|   140,000 transactions took effect
|   overlapping transactions met at least 6 times on a key that one of them wrote
|   at least 301 reads saw another session's write
|   at least 353 versions were replaced
|
| Certificates:
|   strict-serializable: big.proof.strict-serializable.jsonl
|   snapshot-isolation: big.proof.strict-serializable.jsonl
= 0
$ isolde verify big.proof.strict-serializable.jsonl big.isob; ls big.proof*
| proved: strict-serializable holds, by an order of 140,000 transactions in 4 segments
| big.proof.strict-serializable.jsonl
= 0
$ isolde convert --to native big.isob big.jsonl; isolde convert --to native-binary big.jsonl again.isob; rm big.jsonl; isolde check --stream again.isob | head -1
| again.isob: native-binary, 12 sessions, 141,447 transactions (1447 aborted), 282,894 operations, 10,000 keys, 3 rounds
= 0
$ isolde check --stream --json big.isob | sed 's/"evidence".*//'
| {"schema":1,"file":"big.isob","format":"native-binary","sessions":12,"transactions":141447,"operations":282894,"aborted":1447,"indeterminate":0,"stream":{"rounds":3,"settled":140000,"bundle":null},"summary":{"verdict":"No anomaly that strict-serializable forbids was found in 140,000 transactions.","occurs":[],"not_seen":["dirty reads","lost updates","write skew","fractured reads","stale reads"],"meaning":null,"remedy":null,"promise":null},"levels":{"strict-serializable":{"verdict":"holds","reason":"","tried":true,"certificate":null,"anomalies":[]}},"strongest":["strict-serializable"],"weakest_violated":[],"not_checked":[],
= 0
$ isolde check --stream --verify --level sser big.isob | grep Verified; isolde check --stream --clock-error 1ms --level sser,ser big.isob | grep -E '^  s'
| Verified: the proofs of 1 decided level
|   strict-serializable  holds           with clocks up to 1ms apart
|   serializable         holds           follows from strict-serializable, with clocks up to 1ms apart
= 0

# What is violated is explained by a few transactions, and has a proof about these.
$ isolde gen --workload blindw-rw --txns 140000 --sessions 12 --ops 2 --keys 2000 --seed 3 --fault stale-read --fault-rate 0.05 --fault-after 0.8 --to native-binary --out stale.isob
= 0
$ isolde check --stream --level sser,strong-snapshot-isolation,ser stale.isob --certificate stale.proof --bundle bundle.jsonl | sed -n '1,/^Why/p;/^Certificates/,$p' | uniq
| stale.isob: native-binary, 12 sessions, 141,881 transactions (1881 aborted), 283,762 operations, 2000 keys, 3 rounds
|
|   In short: Stale reads occur. Not decided: 1 level.
|   That means: somebody who has been told of a change still reads what was there before it.
|   What helps: if the database promises what was asked for, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, read and write through the leader
|     or with the database's option for linearizable operations, and not through a replica or
|     a cache.
|
|   strict-serializable        violated        stale read (G-single-realtime)
|   serializable               unknown         strict-serializable is violated, and only an order that keeps it can be settled
|   strong-snapshot-isolation  violated        stale read (G-single-realtime)
|
| Why not strong-snapshot-isolation:
| Certificates:
|   strict-serializable: stale.proof.strict-serializable.jsonl
|   strong-snapshot-isolation: stale.proof.strong-snapshot-isolation.jsonl
|
| Left out or assumed:
|   the explanation rests on 4 transactions alone, whatever the others did; #1 is the first
|     one that was read
= 0
$ for level in strict-serializable strong-snapshot-isolation; do isolde verify stale.proof.$level.jsonl bundle.jsonl; done
| proved: strict-serializable is violated, by an argument of 2 steps
| proved: strong-snapshot-isolation is violated, by an argument of 2 steps
= 0
$ isolde check --stream stale.isob --json --bundle bundle.jsonl | grep -o '"stream":{[^}]*}'
| "stream":{"rounds":3,"settled":113189,"bundle":"bundle.jsonl"}
= 0
$ isolde check --stream --level sser stale.isob --junit - | sed -n '/<testcase/,/<.testcase/p' | head -3; isolde check --stream --level sser stale.isob --github | grep -c ::error; isolde check --stream --level sser stale.isob --sarif s.json --html s.html --edn s.edn > out; echo $?; grep -c valid s.edn; ls s.json s.html
|     <testcase name="strict-serializable" classname="isolde.stale_isob">
|       <failure message="stale read: #135420 ended 39.909 us before #135438 started, but #135438 read key 621 = 137570 from #135341, which #135420 replaced by 134037, for #135341 ended 2.724 ms before #135420 started" type="G-single-realtime">Stale read (G-single-realtime)
|
| 1
| 1
| 1
| s.html
| s.json
= 0
# Nobody takes an earlier proof for one of this run.
$ isolde check --stream --level sser big.isob --certificate stale.proof.strict-serializable.jsonl --bundle bundle.jsonl > out; isolde verify stale.proof.strict-serializable.jsonl big.isob
| proved: strict-serializable holds, by an order of 140,000 transactions in 4 segments
! isolde: bundle.jsonl: removed, for it was of an earlier run: no violation was found
= 0
# A pipe is read once: what was before is missing where something is wrong, or more is asked.
$ cat stale.isob | isolde check --stream --level sser,ser - | sed -n '/^  str/,/^$/p'
|   strict-serializable  unknown         no order of what came then fits behind what was settled before, so something is probably wrong; a file can be read again to find what
|   serializable         unknown         it takes a reading of its own, and a pipe can be read once; ask for it alone, or give a file
|
= 0
# Several histories, and folders of files that follow one another.
$ mkdir folder; cp big.isob folder/1.isob; isolde check --stream folder stale.isob --level sser --certificate c --bundle b | grep -E '^[a-z].*rounds|^  str'; ls c.* b.*
| folder: native-binary, 12 sessions, 141,447 transactions (1447 aborted), 282,894 operations, 10,000 keys, 3 rounds
|   strict-serializable  holds
|   strict-serializable: c.1.strict-serializable.jsonl
| stale.isob: native-binary, 12 sessions, 141,881 transactions (1881 aborted), 283,762 operations, 2000 keys, 3 rounds
|   strict-serializable  violated        stale read (G-single-realtime)
|   strict-serializable: c.2.strict-serializable.jsonl
| b.2.jsonl
| c.1.strict-serializable.jsonl
| c.2.strict-serializable.jsonl
= 0

# What holds because nothing happened, or because the end is missing, is not decided.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"a","status":"aborted","start":1,"end":2,"ops":[["w","x",1]]}\n' > aborted.jsonl; isolde convert --to native-binary aborted.jsonl aborted.isob; isolde check --stream aborted.isob | grep -E '^  str'; isolde check --stream --min-committed 0 aborted.isob | grep -E '^  str'
|   strict-serializable  unknown         no transaction took effect
|   strict-serializable  holds
= 0
$ head -c 200000 big.isob > cut.isob; isolde check --stream --level sser cut.isob --certificate c --bundle b | grep -E '^  (str|In)'; ls c b 2>&1 | grep -c cannot
|   In short: Nothing was decided: the last group is cut off.
|   strict-serializable  unknown         the last group is cut off
| 2
= 0
$ isolde check --stream --level sser --min-committed 200000 big.isob | grep -E '^  str'
|   strict-serializable  unknown         140,000 transactions took effect, and at least 200000 are required
= 0
$ isolde check --stream --level sser --timeout 1ms big.isob | grep -E '^  str'
|   strict-serializable  unknown         time limit of 0.001 s reached
= 0
# Levels that parts do not tell.
$ isolde check --stream --level mixed,linearizable,read-uncommitted,sser big.isob | grep -E '^  [a-z-]+ +(holds|violated|unknown|not)'
|   strict-serializable  holds
|   linearizable         holds           follows from strict-serializable
|   read-uncommitted     holds           follows from strict-serializable
|   mixed                unknown         it is not decided part by part; check without --stream decides it
= 0
$ isolde gen --workload list-append --txns 100 --to native-binary --out lists.isob; isolde check --stream lists.isob | grep -E '^  str'
|   strict-serializable  holds
= 0

# The promised level is asked for where the history tells one.
$ isolde run --db sqlite: --workload rw-register --txns 200 --sessions 2 --to native-binary --out run.isob > out 2>&1; isolde check --stream run.isob | grep -E 'holds'; isolde check --stream --promise read-committed run.isob | grep -E 'holds'; isolde check --stream --level promised --promise si run.isob | grep -E 'holds'; isolde check --stream --level promised big.isob
|   serializable  holds, promised  follows from strict-serializable
|   read-committed  holds, promised  follows from strong-prefix-consistency
|   snapshot-isolation  holds, promised  follows from strong-snapshot-isolation
! isolde: big.isob: --level promised: the history does not tell what the database promises; --promise LEVEL does
= 3

# What needs the whole history, or another format, is refused.
$ isolde check --stream aborted.jsonl; isolde check --stream --format native aborted.jsonl; isolde check --stream --anomalies 3 run.isob; isolde check --stream --trust-versions run.isob; isolde check --stream --certificate c run.isob; isolde check --bundle b run.isob; isolde check --stream --bundle folder/2.isob folder; isolde check --stream nothing.isob
! isolde: aborted.jsonl@0: the file does not begin with ISOLDEB1; this is another format; isolde convert --to native-binary writes one, and what is compressed comes through a pipe (zcat FILE | isolde check --stream -)
! isolde: --stream reads native-binary alone; isolde convert --to native-binary makes such a file of a history in another format
! isolde: --anomalies needs the whole history; leave --stream out
! isolde: --trust-versions needs the whole history; leave --stream out
! isolde: with --stream the certificate of a violation is about the bundle; give --bundle too
! isolde: --bundle is for what is read part by part; give --stream
! isolde: folder/2.isob would be read as one of the files in folder; choose another name
! isolde: nothing.isob: No such file or directory
= 4

# A page says that the history was read part by part; of one that holds it has no transaction.
$ isolde gen --workload rmw --txns 40 --seed 3 --to native-binary --out page.isob; isolde check --stream --level sser page.isob --html page.html >/dev/null; isolde check --level sser page.isob --html whole.html >/dev/null; grep -o '"in_parts":[a-z]*' page.html whole.html
| page.html:"in_parts":true
| whole.html:"in_parts":false
= 0
