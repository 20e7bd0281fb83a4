# The examples of docs/LEVELS.md: what it says of them is what a check says.
$ awk '/^###/ {on = /Initial contents/} !on {next} /^```/ {code = !code; n += code; next} code {print > n ".jsonl"}' $DEMO/../docs/LEVELS.md; ls
| 1.jsonl
| 2.jsonl
| 3.jsonl
| 4.jsonl
| 5.jsonl
= 0
$ for f in ?.jsonl; do echo $f; isolde check --level rc,rr,si,ser --certificate c $f | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify c.repeatable-read.jsonl $f; done
| 1.jsonl
|   serializable        violated        write skew (G2-item)
|   repeatable-read     violated        write skew (G2-item)
|   snapshot-isolation  holds
|   read-committed      holds
| proved: repeatable-read is violated, by a cycle
| 2.jsonl
|   serializable        violated        lost initial contents
|   repeatable-read     violated        lost initial contents
|   snapshot-isolation  violated        lost initial contents
|   read-committed      violated        lost initial contents
| proved: repeatable-read is violated, by a single read
| 3.jsonl
|   serializable        violated        fractured read (G-single)
|   repeatable-read     violated        fractured read (G-single)
|   snapshot-isolation  violated        fractured read (G-single)
|   read-committed      holds
| proved: repeatable-read is violated, by a cycle
| 4.jsonl
|   serializable        violated        cyclic information flow (G1c)
|   repeatable-read     violated        cyclic information flow (G1c)
|   snapshot-isolation  violated        cyclic information flow (G1c)
|   read-committed      violated        cyclic information flow (G1c)
| proved: repeatable-read is violated, by a cycle
| 5.jsonl
|   serializable        violated        fractured read (G-single)
|   repeatable-read     holds
|   snapshot-isolation  violated        fractured read (G-single)
|   read-committed      holds
| proved: repeatable-read holds, by an order of 3 transactions
= 0

# Both formats keep them.
$ for f in ?.jsonl; do isolde convert --force --to native-binary $f x; isolde convert --force --to native x y; diff y $f; done
= 0

# What was there at the start and is gone, though nobody took it away.
$ isolde check --level rc 2.jsonl | sed -n '/Let:/,/contradiction/p'
|   Let:
|     T1 = b:0, line 3
|          select(value open) -> nothing; left out 1
|   Then: T1 read no row key 1 among value open, but key 1 held open at the start, and no
|     transaction left a row there that does not match.
|   Notation: b:0, session b's first transaction.
|
|   Lost initial contents: a transaction did not find what had been there at the start, and no
|     transaction had taken it away.
|   Where to look: usually an unrecorded client changed or deleted it, the history tells other
|     initial contents than there were, or a replica had not loaded them yet; otherwise data is
|     lost.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 1 time on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 0

# A small part of a history still says what its keys held.
$ sed '$a{"session":"c","ops":[["w",3,"new"]]}' 3.jsonl > more.jsonl; isolde minimize --level si more.jsonl --out -
| {"isolde":2,"kind":"history","notes":["minimised for snapshot-isolation: 2 of 3 transactions, each with a part of its operations"],"initial":[[1,"open"],[2,"new"]]}
| {"session":"a","id":"a:0","ops":[["w",1,"closed"],["w",2,"old"]]}
| {"session":"b","id":"b:0","ops":[["select",{"equal":"open"},[]],["r",2,"new"]]}
= 0

# Where the input is cut off, a record that is missing may have taken it away.
$ sed 's/"history"/"history","truncated":true/' 2.jsonl | isolde check --level rc - | grep '^  read-committed'
|   read-committed  unknown         transaction b:0 did not read value open from key 1; the input is cut off, and what is missing may have written what it read instead
= 0

$ isolde stats 1.jsonl | grep keys
| keys          2 registers, 0 lists; 2 with initial contents
= 0
$ sed 's/"isolde":2/"isolde":1/' 1.jsonl | isolde check -
! isolde: -:1: initial contents in a file of version 1; its first line must say "isolde":2
= 3
$ sed '1s/"on call"/null/' 1.jsonl | isolde check -
! isolde: -:1: null is no initial value; leave out keys without one
= 3
$ sed '1s/"bob"/"ann"/' 1.jsonl | isolde check -
! isolde: -: the initial contents of key "ann" are given twice
= 3

# A replay loads them before the first step.
$ isolde replay 1.jsonl --script - --for sqlite | sed -n '/CREATE/,/BEGIN/p'
| CREATE TABLE isolde_register (k INTEGER NOT NULL PRIMARY KEY, v BIGINT);
| INSERT INTO isolde_register (k, v) VALUES (0, NULL), (1, NULL);
| UPDATE isolde_register SET v = 1 WHERE k = 0;
| UPDATE isolde_register SET v = 1 WHERE k = 1;
|
| -- 1. session A: begins transaction 1
| BEGIN DEFERRED;
= 0
