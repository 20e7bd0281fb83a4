# A program of the user's drives the database (docs/adapters.md).
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py"
| Dictionary 1.0 at isolation none: server, transactions, lists, compare-and-set
|   not known, and ignored: fly
|   ok     create
|   ok     open a session
|   ok     open another session
|   ok     a register that was never written reads as null
|   ok     a transaction reads what it has written
|   ok     another session reads what was committed
|   ok     nobody reads what was rolled back
|   ok     negative and large values are kept
|   ok     a key that create did not name can be written and read
|   ok     a list that was never appended to is empty
|   ok     elements stay in the order of appends
|   ok     another session appends to the same list
|   ok     a list that create did not name can be appended to
|   ok     compare-and-set of a register without value
|   ok     compare-and-set does not happen when another value is there
|   ok     compare-and-set replaces the value that is expected
|   ok     compare-and-set of no value does not happen when there is one
|   ok     destroy
|   ok     create again, destroy again
| Nothing is wrong. What isolation it gives, isolde run tells.
= 0
$ isolde run --db "exec:python3 $ROOT/test/support/adapter.py" --workload rmw --keys 5 --sessions 1 --txns 50 --out one.jsonl | grep -E "isolation|promise|Strongest"
| Dictionary 1.0 at isolation none, workload rmw, seed 0
| recorded from Dictionary 1.0, isolation none
|   Dictionary 1.0 at none promises none of these levels: its adapter names no level.
|   snapshot-isolation                          holds            holds            holds
|   parallel-snapshot-isolation                 holds            holds            holds
|     repeatable-read, snapshot-isolation, parallel-snapshot-isolation, prefix-consistency,
| Strongest that holds: strict-serializable
= 0
$ grep -c dictionary one.jsonl; head -1 one.jsonl | grep -o '"source":"exec:python3[^"]*"' | wc -l
| 50
| 1
= 0

# What can be recognised as a password is neither recorded nor told.
$ isolde run --db "exec:PGPASSWORD=s3cr3t exec python3 $ROOT/test/support/adapter.py --token s3cr3t http://me:s3cr3t@host" --workload rmw --keys 5 --sessions 1 --txns 50 --json --out secret.jsonl >run.txt; grep -l s3cr3t run.* secret.jsonl; head -1 secret.jsonl | grep -o '"source":"exec:[^"]*"' | sed 's!python3 [^ ]*!python3 adapter.py!'
| "source":"exec:PGPASSWORD=*** exec python3 adapter.py --token *** http://me:***@host"
= 0
$ isolde run "exec:./adapter --password s3cr3t"
! isolde: unexpected 'exec:./adapter --password ***'; isolde run takes options only (see isolde run --help)
= 3

# Two sessions at once, whose writes are seen at once.
$ isolde run --db "exec:python3 $ROOT/test/support/adapter.py" --isolation best --workload lost-update --keys 2 --sessions 8 --txns 300 --level promised --out lost.jsonl | grep -E "^  serializable  |at best promises"; isolde check --level ser lost.jsonl >check.txt; echo $?
|   Dictionary 1.0 at best promises serializable: BROKEN.
|   serializable  violated, promised  lost update (G-single)
| 1
= 0

# What it says of itself.
$ for field in version name operations isolations; do isolde databases try "exec:python3 $ROOT/test/support/adapter.py lacks $field"; done
! isolde: adapter: its handshake has no "version":1
! isolde: adapter: its handshake has no "name"
! isolde: adapter: its handshake has no list "operations"
! isolde: adapter: its handshake has no list "isolations" with a name in it
= 4
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py garbage hello"; isolde databases try "exec:exit 3"; isolde databases try "exec:exec sleep 60" --request-timeout 200ms; isolde databases try exec:; isolde databases try "exec:true" --isolation x
! isolde: adapter: expected one JSON object a line with the request's "id", got Traceback\x1b[31m of mine
! isolde: adapter: it has ended with exit status 3
! isolde: adapter: no answer in time to hello; does it flush each line that it writes? If it only starts slowly, give a longer --request-timeout
! isolde: exec: needs a command, see isolde databases exec
! isolde: adapter: it has ended with exit status 0
= 4
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py named none"; isolde databases try "exec:python3 $ROOT/test/support/adapter.py named other" | tail -1; isolde databases try "exec:python3 $ROOT/test/support/adapter.py mute hello"
| Nothing is wrong. What isolation it gives, isolde run tells.
! isolde: adapter: its handshake has two isolations of the name "none"
! isolde: adapter: it has closed its output
= 4
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py mute commit" 2>/dev/null | grep WRONG | head -1
|   WRONG  a register that was never written reads as null: commit: outcome unknown: adapter: it has closed its output
= 0
# Operations that are not known are named: they may be misspelt.
$ for as in "compare-and-sett compare-and-set" "Append append" "read_list read-list"; do isolde databases try "exec:python3 $ROOT/test/support/adapter.py misspells $as" | grep -E "at isolation|not known"; done
| Dictionary 1.0 at isolation none: server, transactions, lists
|   not known, and ignored: compare-and-sett (did you mean compare-and-set?) and fly
| Nothing is wrong. What isolation it gives, isolde run tells.
! isolde: adapter: of "append" and "read-list" there is one without the other; not known: Append (did you mean append?) and fly
! isolde: adapter: of "append" and "read-list" there is one without the other; not known: read_list (did you mean read-list?) and fly
= 1
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py" --isolation worse
! isolde: unknown isolation 'worse' of Dictionary 1.0; expected one of none, best
= 3
$ isolde run --db exec:true --param a=b --workload rmw --no-record
! isolde: --param is for data source names; exec: takes a command
= 3

# What it does wrong, and what the session makes of it.
$ for fault in "bare read" "bare commit" "odd-outcome write" "no-object begin" "strange-id read" "exit append" "failed commit" "error write" "committed abort" "maybe-connected read" "twice begin" "dirty"; do echo "$fault:"; isolde databases try "exec:python3 $ROOT/test/support/adapter.py $fault" | grep WRONG | head -1; done | sed '/answered twice/s/null: .*adapter:/null: adapter:/'
| bare read:
|   WRONG  a register that was never written reads as null: read: adapter: no valid value in the answer {"id":6}
| bare commit:
|   WRONG  a register that was never written reads as null: commit: outcome unknown: adapter: no valid outcome in the answer {"id":7}
| odd-outcome write:
|   WRONG  a transaction reads what it has written: write: adapter: the outcome is none of committed, aborted, unknown, failed in {"id":9,"outcome":"fine"}
| no-object begin:
|   WRONG  a register that was never written reads as null: begin: adapter: expected one JSON object a line with the request's "id", got [1]
| strange-id read:
|   WRONG  a register that was never written reads as null: read: adapter: nobody has asked what this answers: {"id": 1006, "value": null}
| exit append:
|   WRONG  elements stay in the order of appends: append: adapter: it has ended with exit status 7
| failed commit:
|   WRONG  a register that was never written reads as null: commit: failed: failed as told
| error write:
|   WRONG  a transaction reads what it has written: write: adapter: "error" without "outcome" in the answer {"id":9,"error":"disk full"}
| committed abort:
|   WRONG  nobody reads what was rolled back: abort: adapter: committed is no outcome of abort {"id":23,"outcome":"committed"}
| maybe-connected read:
|   WRONG  a register that was never written reads as null: read: adapter: no valid connected in the answer {"id":6,"value":null,"connected":"no"}
| twice begin:
|   WRONG  a register that was never written reads as null: adapter: answered twice: {"id": 5}
| dirty:
|   WRONG  nobody reads what was rolled back: read 8, expected 5
= 0
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py silent commit once" --request-timeout 3s | grep WRONG; ls once
|   WRONG  a register that was never written reads as null: commit: outcome unknown: adapter: no answer in time to commit
| once
= 0

# What it says last is told, although it has ended or nobody asks any more.
$ for fault in "gasp hello" "half hello" "gasp begin" "half commit" "chatty commit" "chatty destroy" "bye"; do echo "$fault:"; isolde databases try "exec:python3 $ROOT/test/support/adapter.py $fault" 2>&1 | grep -E "WRONG|isolde:|Nothing" | head -1; done
| gasp hello:
| isolde: adapter: expected one JSON object a line with the request's "id", got Segfault
| half hello:
| isolde: adapter: it has ended with exit status 7, and its last line has no end: Segfault
| gasp begin:
|   WRONG  a register that was never written reads as null: begin: adapter: expected one JSON object a line with the request's "id", got Segfault
| half commit:
|   WRONG  a register that was never written reads as null: commit: outcome unknown: adapter: it has ended with exit status 7, and its last line has no end: Segfault
| chatty commit:
|   WRONG  a transaction reads what it has written: begin: adapter: expected one JSON object a line with the request's "id", got done with commit
| chatty destroy:
|   WRONG  create again, destroy again: adapter: expected one JSON object a line with the request's "id", got done with destroy
| bye:
|   WRONG  end: adapter: expected one JSON object a line with the request's "id", got bye
= 0
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py bye" | tail -2
|   ok     create again, destroy again
|   WRONG  end: adapter: expected one JSON object a line with the request's "id", got bye
= 0
$ cp $ROOT/examples/sqlite_adapter.py .; for end in "echo bye" "printf bye" "true"; do isolde databases try "exec:python3 sqlite_adapter.py last.db; $end" | tail -1; done
|   WRONG  end: adapter: expected one JSON object a line with the request's "id", got bye
|   WRONG  end: adapter: expected one JSON object a line with the request's "id", got bye
| Nothing is wrong. What isolation it gives, isolde run tells.
= 0
# The first process only says what it is, the second one to end is a session's.
$ isolde databases try "exec:python3 sqlite_adapter.py last.db; mkdir one 2>/dev/null || { mkdir two 2>/dev/null && echo bye; }" | tail -1
|   WRONG  end: adapter: expected one JSON object a line with the request's "id", got bye
= 0

# Crashes and garbage in a run leave an outcome that nobody knows, and one line.
$ for fault in "exit commit" "garbage read" "unknown commit"; do rm -f h.jsonl; case $fault in unknown*) time=60s;; *) time=1s;; esac; isolde run --db "exec:python3 $ROOT/test/support/adapter.py $fault" --workload rmw --keys 5 --sessions 1 --duration $time --out h.jsonl >out.txt 2>err.txt; echo $?; grep -E "times?: |stopped" out.txt | sed 's/[0-9]* times*/N times/;s/of [0-9]* of [0-9]* tr/of all tr/'; grep -c indeterminate h.jsonl | sed 's/[1-9][0-9]*/some/'; done
| 4
|   N times: adapter: it has ended with exit status 7
| stopped early: the outcomes of all transactions are unknown
| events beside the transactions, on which no verdict depends: stopped 1
|   the run stopped early: the outcomes of all transactions are unknown
| some
| 4
|   N times: adapter: expected one JSON object a line with the request's "id", got Traceback\x1b[31m of mine
| stopped early: adapter: expected one JSON object a line with the request's "id", got Traceback\x1b[31m of mine
| events beside the transactions, on which no verdict depends: stopped 1
|   the run stopped early: adapter: expected one JSON object a line with the request's "id",
| some
| 4
|   N times: unknown as told
| stopped early: the outcomes of 50 transactions in a row are unknown, the last: unknown as told
| events beside the transactions, on which no verdict depends: stopped 1
|   the run stopped early: the outcomes of 50 transactions in a row are unknown, the last:
| some
= 0
$ isolde run --db "exec:python3 $ROOT/test/support/adapter.py aborted commit" --workload rmw --keys 5 --sessions 1 --duration 500ms --out a.jsonl | grep -cE "^  [0-9]+ times: aborted as told"; grep -c '"status":"aborted"' a.jsonl | sed 's/[1-9][0-9]*/some/'
| 1
| some
= 0
$ isolde run --db "exec:python3 $ROOT/test/support/adapter.py failed read" --workload rmw --keys 5 --sessions 1 --txns 5 --out f.jsonl | grep stopped
| stopped early: failed as told
| events beside the transactions, on which no verdict depends: stopped 1
|   the run stopped early: failed as told
= 0

# Its own word for an error does not pass for success.
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py error create" | grep WRONG
|   WRONG  create: adapter: "error" without "outcome" in {"id":2,"error":"disk full"}
= 0
# What it says of itself, without a run.
$ isolde databases "exec:python3 $ROOT/test/support/adapter.py"; isolde databases exec:false
| Dictionary 1.0
|   Dictionary 1.0
|   server, transactions, lists, compare-and-set
|   not known, and ignored: fly
|
|   --db exec:COMMAND
|
|   --isolation, the first unless told otherwise:
|     none                        promises no level: its adapter names no level
|     best                        promises serializable
! isolde: adapter: it has ended with exit status 1
= 4

# What it promises is a level by any of its names.
$ for level in SER "snapshot isolation" serialisable; do isolde databases "exec:python3 $ROOT/test/support/adapter.py promises '$level'" | grep " best"; done
|     best                        promises serializable
|     best                        promises snapshot-isolation
! isolde: adapter: its handshake promises an unknown level 'serialisable' (did you mean serializable?); isolde levels lists them all
= 1

# Nothing is left behind, not even of one that does not end by itself.
$ isolde databases try "exec:python3 $ROOT/test/support/adapter.py deaf $$" | tail -1; sleep 0.1; pgrep -cf "^python3 .*adapter.py deaf $$"
| Nothing is wrong. What isolation it gives, isolde run tells.
| 0
= 1

# The commands of docs/adapters.md.
$ cp $ROOT/examples/sqlite_adapter.py .; isolde databases try 'exec:python3 sqlite_adapter.py accounts.db' | tail -1
| Nothing is wrong. What isolation it gives, isolde run tells.
= 0
$ isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation deferred --workload lost-update --keys 4 --sessions 4 --txns 500 --out history.jsonl | grep -E "promises|Strongest" | sed 's/SQLite [0-9.]*/SQLite VERSION/'
|   SQLite VERSION in Python at deferred promises serializable: kept in this history.
| Strongest that holds: strict-serializable
= 0
$ isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation immediate --workload list-append --keys 4 --sessions 4 --txns 200 --level promised --out lists.jsonl | grep -E "promises" | sed 's/SQLite [0-9.]*/SQLite VERSION/'
|   SQLite VERSION in Python at immediate promises serializable: kept in this history.
= 0
$ isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation deferred --workload task-queue --keys 10 --sessions 4 --txns 200 --level promised --out queue.jsonl | grep -E "promises" | sed 's/SQLite [0-9.]*/SQLite VERSION/'
|   SQLite VERSION in Python at deferred promises serializable: kept in this history.
= 0
$ isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation deferred --workload upsert --keys 5 --sessions 2 --txns 200 --level promised --out upsert.jsonl | grep -E "promises|refused" | sed 's/SQLite [0-9.]*/SQLite VERSION/; s/[0-9][0-9]* inserts/SOME inserts/'; isolde check upsert.jsonl --level serializable --json | grep -c '"refused_inserts":[1-9]'
|   SQLite VERSION in Python at deferred promises serializable: kept in this history.
|   SOME inserts were refused by a row that was there
| 1
= 0
$ isolde run --db 'exec:python3 sqlite_adapter.py accounts.db' --isolation deferred --workload counter --sessions 2 --txns 100 --level promised --out counter.jsonl | grep -E "promises" | sed 's/SQLite [0-9.]*/SQLite VERSION/'; isolde stats counter.jsonl --json | grep -oE '"(open_)?increments":[1-9]' | sed 's/[1-9]$/SOME/'
|   SQLite VERSION in Python at deferred promises serializable: kept in this history.
| "increments":SOME
= 0
# What it does not offer.
$ isolde run --db "exec:python3 $ROOT/test/support/adapter.py" --workload inventory --txns 5 --out shop.jsonl
! isolde: workload inventory needs tables of rows with columns, which Dictionary 1.0 does not have
= 3
# An adapter that claims more of a select with a limit than it can.
$ sed "s/not limit or len(rows) < limit/True/" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db' | grep WRONG
|   WRONG  a limit takes the lowest ids, and tells that it was reached: told that no limit was reached
= 0
# One that adds twice, and one that tells another sum.
$ sed "s/request\['by'\])/2 * request['by'])/" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db' | grep WRONG
|   WRONG  a number that was never written is 0, and is added to: got 10, expected 5
|   WRONG  what was added is read by others: read null, expected -2
= 0
$ sed "s/rows\[0\]\[0\]/rows[0][0] + 1/" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db' | grep WRONG
|   WRONG  a number that was never written is 0, and is added to: got 6, expected 5
|   WRONG  what was added is read by others: read null, expected -2
= 0
# One that does not tell what an insert has met, and one that takes any column for the key.
$ sed "s/'inserted': False, 'met': 'key'/'inserted': False/" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db' | grep WRONG | cut -c1-120
|   WRONG  an insert that meets a row tells so, and the transaction goes on: try-insert-row: adapter: no valid met in the
= 0
$ sed "s/'met': 'key'/'met': 'column'/" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db' | grep WRONG
|   WRONG  an insert that meets a row tells so, and the transaction goes on: told that a column was met
= 0
# Some of the operations, and not all.
$ sed "s/'insert-row',//" sqlite_adapter.py >wrong.py; isolde databases try 'exec:python3 wrong.py accounts.db'
! isolde: adapter: of "insert-row", "select-rows", "update-rows", "delete-rows" and "upsert-row" there are some without the others
= 4

# Started by hand, the examples say how they are meant.
$ python3 $ROOT/examples/sqlite_adapter.py
! usage: isolde run --db 'exec:python3 sqlite_adapter.py FILE' ...
= 2
$ python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.executable, sys.argv[1]])))' $ROOT/examples/tinystore_adapter.py
| usage: isolde run --db 'exec:python3 tinystore_adapter.py' ...
= 1
$ if command -v node >/dev/null; then node $ROOT/examples/node_adapter.js 2>&1 | grep -v "^usage: isolde run --db 'exec:node node_adapter.js duckdb|libsql \[PATH\]' ...$"; fi; true
= 0

# An adapter may quote what it was given: in its name, that of the server and in what it says.
$ DB_PASSWORD=none isolde run --db "exec:DB_PASSWORD=s3cr3tX python3 $ROOT/test/support/adapter.py quotes commit" --workload mini --sessions 1 --out quoted.jsonl --json --no-progress >quoted.txt 2>quoted.err; isolde databases "exec:DB_PASSWORD=s3cr3tX python3 $ROOT/test/support/adapter.py quotes" >>quoted.txt; grep -l s3cr3t quoted.*; grep -o 'no login with [^" ]*' quoted.txt | sort -u; grep -o 'as .* says' quoted.txt; grep -o 'dictionary [0-9]* of [^"]*' quoted.jsonl; grep -o '"product":"[^"]*' quoted.jsonl
| no login with ***
| as *** says
| dictionary 1 of ***
| "product":"Dictionary 1.0 for ***
= 0

# Names of workloads are as those of levels: whatever the case, and with underscores for hyphens.
$ isolde gen --workload BANK --txns 10 --out BANK.jsonl >gen.txt; isolde gen --workload bank --txns 10 --out bank.jsonl >gen.txt; cmp BANK.jsonl bank.jsonl; isolde workloads Lost_Update | head -1
| lost-update
= 0
