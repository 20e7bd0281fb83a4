# Scripted steps: an interleaving as text, from a history and back, and played.

$ isolde replay $DATA/write-skew.jsonl --script skew.steps --for steps; cat skew.steps
| # The steps of $DATA/write-skew.jsonl, for isolde run --steps
| A: begin
| A: r(x)=null
| A: r(y)=null
| B: begin
| B: r(x)=null
| B: r(y)=null
| B: w(y, 2)
| B: commit
| A: w(x, 1)
| A: commit
= 0
$ isolde run --db sqlite: --isolation deferred --steps skew.steps --step-wait 100ms --out skew.jsonl --level ser --no-progress | grep '^ .* [AB]  '
|     1  A  begin
|     2  A  r(x)     expected null, now null
|     3  A  r(y)     expected null, now null
|     4  B  begin
|     5  B  r(x)     expected null, now null
|     6  B  r(y)     expected null, now null
|     7  B  w(y, 2)
|     8  B  commit
|     9  A  w(x, 1)  aborted: database is locked (517)
|    10  A  commit   left out, the transaction is over
= 0

# Values that are read are waited for; SQL runs beside the steps.
$ printf '%s\n' '# a writer and a reader' 'W: begin' 'W: w(x, foo)' 'R: sql SELECT 1' 'W: send commit' 'R: begin' 'R: until r(x)=foo' 'R: r("a b")' 'R: commit' > until.steps; isolde run --db sqlite: --steps until.steps --out until.jsonl --level ser --no-progress | grep -v rolled | sed -n '/ 1  /,/^$/p' | sed 's/ *answered.*//; s/ *at attempt.*//'; isolde convert --to native until.jsonl - | grep -v aborted | grep -o '"ops.*'
|     1  W  begin
|     2  W  w(x, foo)
|     3  R  sql SELECT 1
|     4  W  send commit
|     5  R  begin
|     6  R  until r(x)=foo  expected foo, now foo
|     7  R  r(a b)          now null
|     8  R  commit
|
| "ops":[["w","x","foo"]]}
| "ops":[["r","x","foo"],["r","a b",null]]}
= 0

# Who waits for a value that never comes has not seen what was to follow, and is not busy waiting.
$ printf '%s\n' 'A: begin' 'A: r(x)' 'A: commit' 'B: begin' 'B: until r(x)=1' 'B: w(x, 2)' 'B: commit' > never.steps; isolde run --db sqlite: --steps never.steps --out never.jsonl --level ser --no-progress --junit never.xml > never.txt; echo $?; grep -h '^stopped early' never.txt; grep -o 'name="stopped early" value="[^"]*"' never.xml; test $(grep -c aborted never.jsonl) -lt 1000 && echo few
| 4
| stopped early: step 5, until r(x)=1, never came true: the value did not appear
| name="stopped early" value="step 5, until r(x)=1, never came true: the value did not appear"
| few
= 0

# Steps are played by replay as by run, which then needs no file for the history.
$ isolde replay until.steps --db sqlite: --level ser --no-progress | grep 'steps of\|^ *serializable\|  until\|promise\|not kept' | sed 's/ *at attempt.*//; s/, which did not put it to the test//'
| SQLite 3.40.1 at isolation deferred, steps of until.steps
|     6  R  until r(x)=foo  expected foo, now foo
|   sqlite at deferred promises serializable: kept in this history.
|   serializable  holds, promised
| The history was not kept; --out HISTORY keeps it.
= 0
$ isolde replay until.steps --db sqlite: --out kept-by-replay.jsonl --no-progress > replayed.txt; echo $?; isolde stats kept-by-replay.jsonl | grep -o '[0-9]* committed'
| 0
| 2 committed
= 0
$ isolde replay until.steps --db sqlite: --attempts 3
! isolde: --attempts is for histories; until.steps has steps, which are played once in their order
= 3
$ isolde replay until.steps
! isolde: say which database: --db DSN (isolde databases) or --server KIND (isolde server)
= 3
$ for word in send wait until sql; do isolde replay --help | grep -o "^ *$word " || echo "$word is not told of"; done; isolde run --help | grep -A1 -o 'isolde replay --help tells.*'
|   send
|   wait
|   until
|   sql
| isolde replay --help tells what steps there are
= 0

# Rows are selected and deleted by conditions; what came of it is in the history.
$ printf '%s\n' 'A: begin' 'A: w(1, 10)' 'A: w(2, 20)' 'A: w(3, 30)' 'A: select(values 15 to 30)' 'A: commit' 'B: begin' 'B: d(2)' 'B: delete(keys 3 to 9)' 'B: select()' 'B: select(keys 1 to 2, values 10 to 10)' 'B: commit' > rows.steps; isolde run --db sqlite: --steps rows.steps --out rows.jsonl --level ser --no-progress | sed -n '/ 1  /,/^$/p'; isolde convert --to native rows.jsonl - | grep -o '"ops.*'
|     1  A  begin
|     2  A  w(1, 10)
|     3  A  w(2, 20)
|     4  A  w(3, 30)
|     5  A  select(values 15 to 30)               now [2=20 3=30]
|     6  A  commit
|     7  B  begin
|     8  B  d(2)
|     9  B  delete(keys 3 to 9)                   now [3=30]
|    10  B  select()                              now [1=10]
|    11  B  select(keys 1 to 2, values 10 to 10)  now [1=10]
|    12  B  commit
|
| "ops":[["w",1,10],["w",2,20],["w",3,30],["select",{"values":[15,30]},[[2,20],[3,30]]]]}
| "ops":[["delete",2],["select",{"keys":[3,9]},[[3,30]]],["delete",3],["select",{},[[1,10]]],["select",{"keys":[1,2],"values":[10,10]},[[1,10]]]]}
= 0
$ isolde check --level ser rows.jsonl --certificate rows.cert | grep '^ .*serializable  '; isolde verify rows.cert rows.jsonl
|   serializable  holds, promised
| proved: serializable holds, by an order of 2 transactions
| but no two overlapping transactions used a key that one of them wrote, so the level was not put to the test
= 0
$ printf '%s\n' 'A: begin' 'A: w(x, 10)' 'A: select(keys 1 to 9)' 'A: commit' > names.steps; isolde run --db sqlite: --steps names.steps --out n.jsonl
! isolde: names.steps: select(keys 1 to 9): a condition on keys needs keys that are numbers, and x is none
= 3
$ for step in 'select' 'select(keys 1)' 'select(keys 1 to x)' 'select(rows 1 to 2)' 'd()' 'delete(keys 1 to 2'; do printf 'A: begin\nA: %s\nA: commit\n' "$step" > bad.steps; isolde run --db sqlite: --steps bad.steps --out b.jsonl; done
! isolde: bad.steps: line 2: expected ( and a condition, such as select(keys 1 to 9)
! isolde: bad.steps: line 2: expected two numbers, such as keys 1 to 9
! isolde: bad.steps: line 2: expected two numbers, such as keys 1 to 9
! isolde: bad.steps: line 2: expected keys FROM to TO, values FROM to TO, or both, and )
! isolde: bad.steps: line 2: expected d(KEY)
! isolde: bad.steps: line 2: expected keys FROM to TO, values FROM to TO, or both, and )
= 3
$ isolde run --db lmdb: --steps rows.steps --out l.jsonl
! isolde: rows.steps selects or deletes rows, which lmdb cannot do
= 3

# What the database computes of such rows is in the history, too, and is checked.
$ printf '%s\n' 'A: begin' 'A: w(1, 10)' 'A: w(2, 20)' 'A: w(3, 30)' 'A: count()' 'A: commit' 'B: begin' 'B: sum(keys 1 to 2)' 'B: d(2)' 'B: count(keys 1 to 3)' 'B: sum(values 15 to 99)' 'B: min(keys 2 to 2)' 'B: exists(values 1 to 9)' 'B: max()' 'B: commit' > computed.steps; isolde run --db sqlite: --steps computed.steps --out computed.jsonl --level ser --no-progress | sed -n '/ 1  /,/^$/p'; isolde convert --to native computed.jsonl - | grep -o '"ops.*'
|     1  A  begin
|     2  A  w(1, 10)
|     3  A  w(2, 20)
|     4  A  w(3, 30)
|     5  A  count()                now 3
|     6  A  commit
|     7  B  begin
|     8  B  sum(keys 1 to 2)       now 30
|     9  B  d(2)
|    10  B  count(keys 1 to 3)     now 2
|    11  B  sum(values 15 to 99)   now 30
|    12  B  min(keys 2 to 2)       now null
|    13  B  exists(values 1 to 9)  now 0
|    14  B  max()                  now 30
|    15  B  commit
|
| "ops":[["w",1,10],["w",2,20],["w",3,30],["count",{},3]]}
| "ops":[["sum",{"keys":[1,2]},30],["delete",2],["count",{"keys":[1,3]},2],["sum",{"values":[15,99]},30],["min",{"keys":[2,2]},null],["exists",{"values":[1,9]},false],["max",{},30]]}
= 0
$ isolde check --level ser computed.jsonl --certificate computed.cert | grep '^ .*serializable  '; isolde verify computed.cert computed.jsonl | head -1; python3 $ROOT/tools/verify.py computed.cert computed.jsonl | head -1
|   serializable  holds, promised
| proved: serializable holds, by an order of 2 transactions
| accepted: serializable holds
= 0
$ printf '%s\n' 'A: begin' 'A: w(1, ten)' 'A: count()' 'A: max()' 'A: commit' > names.steps; isolde run --db sqlite: --steps names.steps --out n.jsonl
! isolde: names.steps: max(): what is computed of values needs values that are numbers, and ten is none
= 3
$ sed -i /max/d names.steps; isolde run --db sqlite: --steps names.steps --out n.jsonl --level ser --no-progress | grep count; isolde convert --to native n.jsonl - | grep -o '"ops.*'
|     3  A  count()    now 1
| "ops":[["w",1,"ten"],["count",{},1]]}
= 0
$ isolde run --db lmdb: --steps names.steps --out l.jsonl
! isolde: names.steps selects or deletes rows, which lmdb cannot do
= 3

# What cannot be played says so.
$ isolde run --db sqlite: --steps nowhere --out x.jsonl
! isolde: nowhere: cannot read: No such file or directory
= 4
$ printf 'A: begin\nA: r(x\n' > bad.steps; isolde run --db sqlite: --steps bad.steps --out x.jsonl
! isolde: bad.steps: line 2: expected ) after the key or the value
= 3
$ printf 'A: begin\nA: w(x, 1)\n' > open.steps; isolde run --db sqlite: --steps open.steps --out x.jsonl
! isolde: open.steps: session A ends with a transaction open; commit or rollback is missing
= 3
$ isolde run --db lmdb: --steps until.steps --out x.jsonl
! isolde: until.steps has statements of SQL, which lmdb does not understand
= 3
# Only what the run has started is crashed.
$ printf '%s\n' 'A: begin' 'A: w(x, 1)' 'A: commit' 'B: crash' 'A: begin' 'A: r(x)' 'A: commit' > crash.steps; isolde run --db sqlite: --steps crash.steps --out x.jsonl
! isolde: crash.steps crashes servers; only those that --server has started may be
= 3
$ printf 'A: begin\nA: crash\n' > bad.steps; isolde run --db sqlite: --steps bad.steps --out x.jsonl
! isolde: bad.steps: line 2: crash: session A has a transaction open; let another session crash the servers
= 3
$ isolde run --db sqlite: --steps until.steps --duration 1s --out x.jsonl
! isolde: steps are played once; --duration and --nemesis are for workloads
= 3
$ isolde run --db sqlite: --steps until.steps --workload mini --out x.jsonl
! isolde: --workload and --steps cannot be given together; give one of them (see isolde run --help)
= 3
$ isolde run --db sqlite: --out x.jsonl
! isolde: say what to run: --workload W, --steps FILE or --recipe NAME
= 3

# A history that is not kept has the same name in each run.
$ for i in 1 2; do isolde run --recipe sqlite-shared-cache --json --no-progress | grep -o '"file":"[^"]*"'; done | uniq
| "file":"sqlite-shared-cache.jsonl"
= 0

# Recipes.
$ isolde recipes | cut -d' ' -f1
| firebird-kept-rollback
| firebird-kept-rollback-control
| firebird-phantom
| firebird-phantom-control
| firebird-table-stability
| firebird-table-stability-control
| galera-lost-commit
| galera-lost-commit-control
| galera-lost-update
| galera-lost-update-control
| galera-stale-read
| galera-stale-read-control
| galera-write-skew
| galera-write-skew-control
| mariadb-lost-update
| mariadb-lost-update-control
| mariadb-repeated-value
| pg-commit-race
| pg-commit-race-control
| pg-commit-race-deferrable
| pg-commit-race-deferrable-control
| pg-replica-long-fork
| pg-replica-long-fork-control
| sqlite-shared-cache
= 0
$ isolde recipes nothing
! isolde: no recipe 'nothing'; isolde recipes lists them; a file of your own must end in .toml
= 3
$ printf 'title = "t"\n' > broken.toml; isolde run --recipe broken.toml
! isolde: broken.toml: database is missing
= 3
$ printf 'title = \n' > broken.toml; isolde run --recipe broken.toml
! isolde: broken.toml: line 1, column 9: this is no TOML: expected value, saw '\n'; a line is NAME = "TEXT", NAME = 5, NAME = ["TEXT"] or [TABLE]
= 3
$ printf 'title = "t"\ndatabase = "d"\npromised = "p"\nfound = "f"\nchance = "always"\nsource = "s"\nholds = "serializable"\n[run]\nno-such = 1\n' > unknown.toml; isolde run --recipe unknown.toml
! isolde: unknown.toml: run.no-such is no option of a recipe; see isolde run --help
= 3
$ sed 's/^no-such/txn/' unknown.toml > close.toml; isolde run --recipe close.toml; sed 's/^found/foun/' unknown.toml > field.toml; isolde run --recipe field.toml; sed 's/serializable/ser/' unknown.toml > short.toml; isolde run --recipe short.toml
! isolde: close.toml: run.txn is no option of a recipe (did you mean txns?); see isolde run --help
! isolde: field.toml: line 4: 'foun' is unknown (did you mean found?); see recipes/README.md
! isolde: short.toml: 'ser' is no level (did you mean serializable?); see isolde levels
= 3
$ printf 'title = "a title"\ndatabase = "SQLite"\npromised = "serializable"\nfound = "nothing"\nchance = "always"\nsource = "here"\nholds = "serializable"\n[run]\ndb = "sqlite:"\nisolation = "serializable"\nworkload = "mini"\ntxns = 500\n' > mini.toml; sed 's/^holds.*/holds = "perfect"/' mini.toml > perfect.toml; isolde run --recipe perfect.toml
! isolde: perfect.toml: 'perfect' is no level; see isolde levels
= 3
$ sed 's/^txns.*/duration = "soon"/' mini.toml > soon.toml; isolde run --recipe soon.toml
! isolde: soon.toml: --duration: 'soon' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h
= 3
$ isolde recipes mini.toml; isolde run --recipe mini.toml --no-progress --txns 400 | grep 'transactions committed\|^Recipe\|^The history' | sed 's/ in .*aborted.*//'
| mini: a title
|
|   Database  SQLite
|   Promised  serializable
|   Found     nothing
|   Chance    always
|   Source    here
|
|   isolde run --recipe mini
|
| which is isolde run --db sqlite: --isolation serializable --txns 500 --workload mini
| 400 transactions committed
| Recipe mini: serializable holds, as expected.
| The history was not kept; --out HISTORY keeps it.
= 0
# What the recipe would have set on a server of its own.
$ sed 's/^holds/violated/; s/^db.*/server = "postgres"\nset = ["max_locks_per_transaction=12000", "enable_seqscan=off"]/' mini.toml > server.toml; isolde run --recipe server.toml --db sqlite: --no-progress | grep '^Recipe'
| Recipe server: expected that serializable is violated (always); this time it is kept. With --db these settings of its server are up to you: max_locks_per_transaction=12000 enable_seqscan=off.
= 0
$ isolde run --recipe mini.toml --workload lost-update --level rc --out kept.jsonl --no-progress | grep '^Recipe\|^The history'; ls kept.jsonl
| Recipe mini: expected that serializable holds, which was not checked.
| kept.jsonl
= 0
