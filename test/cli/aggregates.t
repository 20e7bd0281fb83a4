# The examples of docs/LEVELS.md: what it says of them is what a check says.
$ awk '/^###/ {on = /Aggregates/} !on {next} /^```/ {code = !code; n += code; next} code {print > n ".jsonl"}' $DEMO/../docs/LEVELS.md; ls
| 1.jsonl
| 2.jsonl
| 3.jsonl
| 4.jsonl
= 0
$ for f in ?.jsonl; do echo $f; isolde check --level rc,rr,si,ser --certificate c $f | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify c.repeatable-read.jsonl $f; done
| 1.jsonl
|   serializable        violated        phantom read (PMP)
|   repeatable-read     holds
|   snapshot-isolation  violated        phantom read (PMP)
|   read-committed      holds
| proved: repeatable-read holds, by an order of 3 transactions
| 2.jsonl
|   serializable        violated        write skew (G2)
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: repeatable-read holds, by an order of 3 transactions
| 3.jsonl
|   serializable        violated        write skew (G2)
|   repeatable-read     holds
|   snapshot-isolation  holds
|   read-committed      holds
| proved: repeatable-read holds, by an order of 3 transactions
| 4.jsonl
|   serializable        violated        impossible result (wrong-result)
|   repeatable-read     violated        impossible result (wrong-result)
|   snapshot-isolation  violated        impossible result (wrong-result)
|   read-committed      violated        impossible result (wrong-result)
| proved: repeatable-read is violated, by a single result
= 0

# Both formats keep them.
$ for f in ?.jsonl; do isolde convert --force --to native-binary $f x; isolde convert --force --to native x y; diff y $f; done
= 0

# One that nothing explains, and its argument.
$ isolde check --level ser 4.jsonl | sed -n '/Let:/,/contradiction/p'
|   Let:
|     T1 = b:0, line 3
|          sum(all rows) = 4
|   T1 computed sum(all rows) = 4, but the sum is at most 3 in any versions, a contradiction.
= 0

# What matters of a phantom is left when the rest is taken away.
$ sed '$a{"session":"c","ops":[["w",3,{"state":"closed"}]]}' 1.jsonl > more.jsonl; isolde minimize --level si more.jsonl --out -
| {"isolde":2,"kind":"history","notes":["minimised for snapshot-isolation: 3 of 4 transactions, each with a part of its operations"]}
| {"session":"setup","id":"setup:0","ops":[["w",1,{"state":"open"}]]}
| {"session":"a","id":"a:0","ops":[["count",{"columns":{"state":"open"}},1],["count",{"columns":{"state":"open"}},2]]}
| {"session":"b","id":"b:0","ops":[["w",2,{"state":"open"}]]}
= 0

# Where the input is cut off, what is missing may have been counted.
$ sed 's/"history"/"history","truncated":true/' 4.jsonl | isolde check --level ser - | grep '^  serializable'
|   serializable  unknown         transaction b:0 computed sum(all rows) = 4; the input is cut off, and what is missing may have written what it read
= 0

# They make no sense to readers that do not know them. Databases that know them can be asked for them again.
$ sed 's/"isolde":2/"isolde":1/' 4.jsonl | isolde check -
! isolde: -:3: a deletion, an increment, an aggregate, a compare-and-set, a refused insert, a lock, a row with columns or a version in a file of version 1; its first line must say "isolde":2
= 3
$ isolde replay 4.jsonl --level ser --db sqlite: --attempts 2 --step-wait 5s | sed -n '/^Attempt/,$p'
| Attempt 1, in the order of the script:
|     1  A  begin
|     2  A  w(x, 1)
|     3  A  w(y, 2)
|     4  A  commit
|     5  B  begin
|     6  B  sum(all rows)  recorded 4, now 3
|     7  B  commit
|
| Not reproduced in 2 attempts: serializable holds in what was recorded.
|   In 2 attempts no step had to wait, and all reads returned what the level allows.
= 0
$ printf '%s\n' '{"isolde":2,"kind":"history"}' '{"session":"a","ops":[["count",{"keys":[1,9]},0],["sum",{"keys":[1,9]},30]]}' '{"session":"b","ops":[["w",3,30]]}' > sum.jsonl; isolde replay sum.jsonl --level ser --db sqlite: --isolation read-uncommitted --step-wait 5s | sed -n '/^Attempt/,/^Repr/p'
| Attempt 2, in another order:
|     1  B  begin
|     2  A  begin
|     3  A  count(keys 1 to 9)  recorded 0, now 0
|     4  B  w(3, 30)
|     5  A  sum(keys 1 to 9)    recorded 30, now 30
|     6  B  commit
|     7  A  commit
|
| Reproduced at attempt 2: serializable is violated (phantom read), by an argument of 6 steps. The proof is verified.
= 0
$ isolde replay sum.jsonl --script - --for sqlite --param tables=2
! isolde: sum.jsonl: the history has aggregates, which are of one table; leave out the parameter tables
= 3
$ isolde replay sum.jsonl --script - --for steps
| # The steps of sum.jsonl, for isolde run --steps
| a: begin
| a: count(keys 1 to 9)  # recorded 0
| a: sum(keys 1 to 9)  # recorded 30
| a: commit
| b: begin
| b: w(3, 30)
| b: commit
= 0
$ isolde replay sum.jsonl --script - --for redis
! isolde: sum.jsonl: the history selects rows by conditions, which redis cannot do
= 3
# Which rows a count found is part of the argument, step by step; the statement of it all says what is on record.
$ isolde check --level ser $DATA/counted-skew.jsonl | sed -n '/^Why/,/^Evidence/p'
| Why not serializable:
|
|   Write skew (G2)
|
|   Let:
|     T1 = setup:0, line 2
|          w(alice)={on_call: 1, stamp: 1}, w(bob)={on_call: 1, stamp: 2}
|     T2 = a:0, line 3
|          count(rows with on_call 1) = 2
|          w(alice)={on_call: 0, stamp: 3}
|     T3 = b:0, line 4
|          count(rows with on_call 1) = 2
|          w(bob)={on_call: 0, stamp: 4}
|   The whole argument has 18 steps about 3 transactions and 2 keys; the certificate holds all of
|     them. It ends with:
|   Step 10. T1 wrote alice before T2, or T2 did not find bob as T1 left it for its count(rows
|     with on_call 1) = 2, for otherwise:
|     T1 < T2 (wr), because T2 read bob for its count(rows with on_call 1) = 2, which T1 wrote
|       (assumed, for others wrote what fits, too).
|     T2 < T1 (ww), because T2 wrote alice = {on_call: 0, stamp: 3} before T1 wrote alice =
|       {on_call: 1, stamp: 1} (assumed).
|     T1 < T2 < T1, a contradiction.
|   Step 12. T3 did not find alice absent for its count(rows with on_call 1) = 2, or T3 did not
|     find bob as T1 left it for its count(rows with on_call 1) = 2, for otherwise:
|     T1 < T3 (wr), because T3 read bob for its count(rows with on_call 1) = 2, which T1 wrote
|       (assumed, for others wrote what fits, too).
|     T3 < T1 (rw), because T3 found alice absent for its count(rows with on_call 1) = 2, but T1
|       wrote alice = {on_call: 1, stamp: 1} (assumed, for others wrote what fits, too).
|     T1 < T3 < T1, a contradiction.
|   Step 17. T2 did not find bob as T3 left it for its count(rows with on_call 1) = 2, for
|     otherwise T2 computed count(rows with on_call 1) = 2, but at most 1 row meets the condition
|     whatever else it read.
|   Step 18. From steps 16 and 17: a contradiction.
|   Thus no order of these transactions that serializable allows explains what they read.
|   Notation: T1 < T2, T1 must come before T2; setup:0, session setup's first transaction; G2, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; ww: B replaced what A wrote; rw: A read a version that B
|     replaced, so it did not see B.
|
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
= 0
$ isolde check --level ser --json $DATA/counted-skew.jsonl | grep -o '"reason":"[^"]*"'
| "reason":"write skew: no order of 3 transactions explains, among other reads, that b:0 computed count(rows with on_call 1) = 2 and a:0 computed count(rows with on_call 1) = 2"
= 0
