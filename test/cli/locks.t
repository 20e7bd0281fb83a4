# The examples of docs/LEVELS.md: what it says of them is what a check says.
$ awk '/^###/ {on = /Locks, limits/} !on {next} /^```/ {code = !code; n += code; next} code {print > n ".jsonl"}' $DEMO/../docs/LEVELS.md; ls
| 1.jsonl
| 10.jsonl
| 11.jsonl
| 2.jsonl
| 3.jsonl
| 4.jsonl
| 5.jsonl
| 6.jsonl
| 7.jsonl
| 8.jsonl
| 9.jsonl
= 0
$ for f in [0-9]*.jsonl; do echo $f; isolde check --level rc,rr,si,ser --certificate c $f | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify c.serializable.jsonl $f; done
| 1.jsonl
|   serializable        holds
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable holds, by an order of 2 transactions
| but no two transactions used a key that one of them wrote, so the level was not put to the test
| 10.jsonl
|   serializable        violated        cyclic information flow (G1c)
|   repeatable-read     violated        cyclic information flow (G1c)
|   snapshot-isolation  holds
|   read-committed      violated        cyclic information flow (G1c)
| proved: serializable is violated, by a cycle
| 11.jsonl
|   serializable        holds
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable holds, by an order of 2 transactions
| 2.jsonl
|   serializable        violated        cyclic information flow (G1c)
|   repeatable-read     violated        cyclic information flow (G1c)
|   snapshot-isolation  violated        cyclic information flow (G1c)
|   read-committed      violated        cyclic information flow (G1c)
| proved: serializable is violated, by a cycle
| 3.jsonl
|   serializable        holds
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable holds, by an order of 2 transactions
| 4.jsonl
|   serializable        violated        lost update (G-single)
|   repeatable-read     violated        lost update (G-single)
|   snapshot-isolation  violated        lost update (G-single)
|   read-committed      holds
| proved: serializable is violated, by an argument of 2 steps
| 5.jsonl
|   serializable        violated        non-repeatable read
|   repeatable-read     violated        non-repeatable read
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable is violated, by a single read
| 6.jsonl
|   serializable        holds
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable holds, by an order of 2 transactions
| but no two transactions used a key that one of them wrote, so the level was not put to the test
| 7.jsonl
|   serializable        violated        fractured read (G-single)
|   repeatable-read     violated        fractured read (G-single)
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable is violated, by a cycle
| 8.jsonl
|   serializable        violated        phantom read (PMP)
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: serializable is violated, by a single read
| 9.jsonl
|   serializable        violated        thin-air read (garbage-read)
|   repeatable-read     violated        thin-air read (garbage-read)
|   snapshot-isolation  holds
|   read-committed      violated        thin-air read (garbage-read)
| proved: serializable is violated, by a single read
= 0

# A limit that was reached, recorded as if it had not been.
$ sed 's/,"keys":{"max":2}//' 3.jsonl | isolde check --level rc - | grep '^  read-committed'
|   read-committed  violated        lost initial contents
= 0

# Both formats keep them; a compare-and-set is written as what it stands for.
$ for f in [1-6].jsonl; do isolde convert --force --to native-binary $f x; isolde convert --force --to native x y; diff y $f; done
= 0
$ isolde convert --to native 11.jsonl -
| {"isolde":2,"kind":"history"}
| {"session":"a","ops":[["r","x",null],["w","x",1],["w","y",1]]}
| {"session":"b","ops":[["r","x",{}],["r","y",1]]}
= 0

# Whoever is refused has seen a row.
$ isolde check --level ser 5.jsonl | grep -A4 'Then:'; isolde check --level ser 7.jsonl | sed -n '/Then:/,/Notation/p'; isolde check --level ser 8.jsonl | grep -A1 "Then:"; isolde check --level rc 9.jsonl | grep "Then:"
|   Then: T1 read the initial value of ann first and a row ann (its insert was refused) from T2
|     later.
|   Notation: b:0, session b's first transaction.
|
|   Non-repeatable read: a transaction read one item twice and got versions that differ by what
|   Then:
|     T1 < T2 (wr), because T2 read a row ann (its insert was refused), which T1 wrote.
|     T2 < T1 (rw), because T2 read the initial value of log, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   So T2 saw T1's write of ann, and still T2 did not see T1's write of log.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-single, the
|   Then: T1 read a row ann (its insert was refused) from T2 or T3 first and no row ann later; no
|     version of ann is both.
|   Then: T1 read a row ann (its insert was refused), which no transaction wrote.
= 0

# People see them.
$ isolde check --level si 4.jsonl | sed -n '/Let:/,/contradiction/p'
|   Let:
|     T1 = a:0, line 2
|          r(x)=5 for update, w(x)=6
|     T2 = b:0, line 3
|          r(x)=5 for update, w(x)=7
|   Then:
|     T1 < T2 (rw), because T1 read the initial x = 5, which T2 replaced by 7.
|     T2 < T1 (rw), because T2 read the initial x = 5, which T1 replaced by 6.
|     T1 < T2 < T1, a contradiction.
= 0
$ isolde minimize --level si 4.jsonl --out -
| {"isolde":2,"kind":"history","initial":[["x",5]]}
| {"session":"a","ops":[["r","x",5,{"lock":"update"}],["w","x",6]]}
| {"session":"b","ops":[["r","x",5,{"lock":"update"}],["w","x",7]]}
= 0

# So do selections that are left.
$ printf '%s\n' '{"isolde":2,"kind":"history","initial":[["x",5]]}' '{"session":"a","ops":[["select",{},[["x",5]],{"lock":"share"}],["w","x",6]]}' '{"session":"b","ops":[["r","x",5],["w","x",7]]}' '{"session":"c","ops":[["w","y",1]]}' > select.jsonl
= 0
$ isolde minimize --level si select.jsonl --out - | grep select
| {"session":"a","id":"a:0","ops":[["select",{},[["x",5]],{"lock":"share"}],["w","x",6]]}
= 0

# Replays lock again.
$ isolde replay 4.jsonl --script - --for postgres | grep '^SELECT'
| SELECT v FROM isolde_register WHERE k = 0 FOR UPDATE;
| SELECT v FROM isolde_register WHERE k = 0 FOR UPDATE;
= 0
$ isolde replay 4.jsonl --level si --db sqlite: --attempts 1 --step-wait 5s | sed -n '/^Attempt 1/,/^$/p'
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  r(x)     recorded 5, now 5
|     3  B  begin
|     4  B  r(x)     recorded 5, now 5
|     5  A  w(x, 6)
|     6  A  commit
|     7  B  w(x, 7)  aborted: database is locked (517)
|     8  B  commit   left out, the transaction is over
|
= 0

# They make no sense to readers that do not know them.
$ for f in 4 5 7; do sed 's/"isolde":2/"isolde":1/; s/,"initial":.*/}/' $f.jsonl | isolde check -; done
! isolde: -:2: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
! isolde: -:3: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
! isolde: -:3: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
= 3
