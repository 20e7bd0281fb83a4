# The commands of docs/tutorial.md, in its order. What is printed of them is what does not depend on chance.
$ isolde run --server postgres --isolation read-committed --workload lost-update --keys 4 --txns 2000 --out rc.jsonl | grep -o -e 'In short: Lost updates' -e '^  That means: two clients' -e 'At least [0-9]* updates were lost' -e 'promises .*kept.*' | sed 's/least [0-9]*/least N/'
| In short: Lost updates
| At least N updates were lost
|   That means: two clients
| promises read-committed: kept in this history.
= 0
$ isolde run --server postgres --isolation read-committed --workload bank --txns 2000 --out bank.jsonl | tr -s '\n ' ' ' | grep -o -e 'In short: Lost updates' -e 'that read all 10 keys account/\*' -e 'keeps it at 1000' -e 'Against fractured reads' -e 'The one change that helps most: set' -e 'one of the two changes is gone' | uniq
| In short: Lost updates
| that read all 10 keys account/*
| keeps it at 1000
| Against fractured reads
| The one change that helps most: set
| one of the two changes is gone
= 0
$ isolde run --server postgres --isolation repeatable-read --workload bank --txns 2000 --out bank-rr.jsonl | tr -s '\n ' ' ' | grep -o -e 'In short: No anomaly was found in 2000 transactions' -e 'transactions that read all 10 keys account/\* saw a total balance of 1000'
| In short: No anomaly was found in 2000 transactions
| transactions that read all 10 keys account/* saw a total balance of 1000
= 0
$ isolde compare bank.jsonl bank-rr.jsonl | grep -o -e 'A shows lost updates' -e '^  lost updates *occurs *not seen' -e '^  fractured reads *occurs *not seen'
| A shows lost updates
|   lost updates                                occurs           not seen
|   fractured reads                             occurs           not seen
= 0
$ isolde check --html rc.html rc.jsonl > out; grep -c 'Lost updates' rc.html
| 1
= 0
$ isolde minimize rc.jsonl --level snapshot-isolation --out small.jsonl | grep -o 'snapshot-isolation is violated'
| snapshot-isolation is violated
= 0
$ isolde minimize bank.jsonl --level snapshot-isolation --out small-bank.jsonl | grep -c -m 1 '^       [rw](account/[0-9])=balance [0-9]* ([^)]*)'
| 1
= 0
$ isolde replay small.jsonl --script - --for postgres --isolation read-committed | grep -c 'CREATE TABLE isolde_register'
| 1
= 0
$ isolde replay small.jsonl --server postgres --isolation read-committed | grep -o Reproduced
| Reproduced
= 0
$ isolde run --server postgres --isolation repeatable-read --workload lost-update --keys 4 --txns 2000 --out rr.jsonl | grep -e 'In short' -e 'promises .*kept'
|   In short: No anomaly was found in 2000 transactions.
|   postgres at repeatable-read promises snapshot-isolation: kept in this history.
= 0
$ isolde compare rc.jsonl rr.jsonl | grep -o 'A shows lost updates, which B does not'
| A shows lost updates, which B does not
= 0
$ isolde run --server postgres --isolation repeatable-read --workload write-skew --keys 8 --txns 2000 --out skew.jsonl | grep -o 'In short: Write skew'
| In short: Write skew
= 0
$ isolde run --server postgres --isolation serializable --workload write-skew --keys 8 --txns 2000 --level promised --require-evidence --junit report.xml --out ci.jsonl | grep -e 'promises .*kept' -e '^  serializable'
|   postgres at serializable promises serializable: kept in this history.
|   serializable  holds, promised
= 0
