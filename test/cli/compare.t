# Two histories beside each other.
$ isolde compare $DEMO/pg-repeatable-read-write-skew.jsonl $DEMO/pg-serializable.jsonl
| A  $DEMO/pg-repeatable-read-write-skew.jsonl: PostgreSQL 15.20 REPEATABLE READ
| B  $DEMO/pg-serializable.jsonl: PostgreSQL 15.20 SERIALIZABLE
|
|   A shows write skew, which B does not.
|
|   A: Write skew occurs. Dirty reads, lost updates, fractured reads and stale reads: not seen
|     in 38 transactions.
|   B: No anomaly was found in 89 transactions.
|
|                                               A                B
|   transactions                                48               150
|   committed                                   38               89
|   committed in a second                       161              138
|   latency, median                             13.668 ms        12.284 ms
|   latency, 95th percentile                    27.961 ms        50.788 ms
|   aborted                                     20.8 %           40.7 %
|   outcome unknown                             0.0 %            0.0 %
|
|   write skew                                  occurs           not seen
|   dirty reads                                 not seen         not seen
|   lost updates                                not seen         not seen
|   fractured reads                             not seen         not seen
|   stale reads                                 not seen         not seen
|
|   strict-serializable                         violated         holds
|   per-key-strict-serializable                 violated         holds
|   strong-session-serializable                 violated         holds
|   serializable                                violated         holds
|   repeatable-read                             violated         holds
|   the same at 33 levels
= 0
$ isolde compare $DATA/lost-update.jsonl $DATA/lost-update.jsonl
| A  $DATA/lost-update.jsonl
| B  $DATA/lost-update.jsonl
|
|   A and B show the same anomalies: lost updates.
|
|   A: Lost updates occur. Dirty reads and fractured reads: not seen in 3 transactions.
|   B: Lost updates occur. Dirty reads and fractured reads: not seen in 3 transactions.
|
|                                               A                B
|   transactions                                3                3
|   committed                                   3                3
|   committed in a second                       -                -
|   latency, median                             -                -
|   latency, 95th percentile                    -                -
|   aborted                                     0.0 %            0.0 %
|   outcome unknown                             0.0 %            0.0 %
|
|   lost updates                                occurs           occurs
|   dirty reads                                 not seen         not seen
|   write skew                                  not known        not known
|   fractured reads                             not seen         not seen
|   stale reads                                 not known        not known
|
| The same verdict at 38 levels.
= 0
# What is not decided is told, and so is what cannot be read.
$ printf '{"isolde":1,"kind":"history"}\n' > nothing.jsonl; isolde compare $DATA/lost-update.jsonl nothing.jsonl | tail -8
|   writes-follow-reads                         holds            unknown
|   monotonic-writes                            holds            unknown
|   monotonic-reads                             holds            unknown
|   read-your-writes                            holds            unknown
|   read-committed                              holds            unknown
|   strong-session-read-uncommitted             holds            unknown
|   read-uncommitted                            holds            unknown
|   the same at 14 levels
= 0
$ isolde compare $DATA/lost-update.jsonl nothing.jsonl | sed -n 4,5p
|   Nothing was decided of B: no transaction took effect. A shows lost updates; whether B does
|   is not known.
= 0
$ isolde compare $DATA/lost-update.jsonl nothing.jsonl > /dev/null
= 2
# For programs; - is standard output, and then there is no text.
$ isolde compare --json - $DATA/lost-update.jsonl $DATA/serial.jsonl | python3 $ROOT/tools/check_report.py comparison
| 1 valid
= 0
$ isolde compare --json - $DEMO/pg-repeatable-read-write-skew.jsonl nothing.jsonl | python3 $ROOT/tools/check_report.py comparison
| 1 valid
= 0
$ isolde compare --json - $DATA/stale-read.jsonl nothing.jsonl | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["difference"], *d["anomalies"], d["levels"][1], d["levels"][-1], *d["sides"][0], sep="\n")'
| Nothing was decided of B: no transaction took effect. A shows stale reads; whether B does is not known.
| {'name': 'stale reads', 'presence': ['occurs', 'not known']}
| {'name': 'dirty reads', 'presence': ['not known', 'not known']}
| {'name': 'lost updates', 'presence': ['not known', 'not known']}
| {'name': 'write skew', 'presence': ['not known', 'not known']}
| {'name': 'fractured reads', 'presence': ['not known', 'not known']}
| {'name': 'per-key-strict-serializable', 'verdicts': ['violated', 'not-applicable'], 'texts': ['violated', 'not-applicable'], 'untried': [False, False], 'differs': True}
| {'name': 'read-uncommitted', 'verdicts': ['holds', 'unknown'], 'texts': ['holds, untried', 'unknown'], 'untried': [True, False], 'differs': True}
| file
| title
| setting
| database
| isolation
| loaded
| summary
| transactions
| committed
| aborted
| indeterminate
| committed_per_second
| latency_median_ns
| latency_p95_ns
| violations
| not_checked
= 0
$ isolde compare --json both.json $DATA/serial.jsonl $DATA/serial.jsonl | sed -n 4p; python3 $ROOT/tools/check_report.py comparison < both.json
|   No anomaly was found in A or B.
| 1 valid
= 0
$ isolde compare --json missing/both.json $DATA/serial.jsonl $DATA/serial.jsonl > /dev/null
! isolde: missing/both.json: cannot write: No such file or directory
= 4
# As for check, --json alone prints. A file may follow it, wherever it stands.
$ isolde compare --json $DATA/serial.jsonl $DATA/lost-update.jsonl | python3 $ROOT/tools/check_report.py comparison
| 1 valid
= 0
$ for order in "--json $DATA/serial.jsonl $DATA/lost-update.jsonl --no-progress" "$DATA/serial.jsonl --json $DATA/lost-update.jsonl" "$DATA/serial.jsonl $DATA/lost-update.jsonl --json" "--json - $DATA/serial.jsonl $DATA/lost-update.jsonl"; do isolde compare $order | grep -o '"difference":"[^"]*"'; done
| "difference":"B shows lost updates, which A does not."
| "difference":"B shows lost updates, which A does not."
| "difference":"B shows lost updates, which A does not."
| "difference":"B shows lost updates, which A does not."
= 0
$ for order in "--json to $DATA/serial.jsonl $DATA/lost-update.jsonl" "$DATA/serial.jsonl --json to $DATA/lost-update.jsonl --format native" "$DATA/serial.jsonl $DATA/lost-update.jsonl --json to" "$DATA/serial.jsonl $DATA/lost-update.jsonl --json=to"; do rm -f to; isolde compare $order > text; grep -c '^B ' text; grep -o '"difference":"[^"]*"' to; done
| 1
| "difference":"B shows lost updates, which A does not."
| 1
| "difference":"B shows lost updates, which A does not."
| 1
| "difference":"B shows lost updates, which A does not."
| 1
| "difference":"B shows lost updates, which A does not."
= 0
$ isolde compare $DATA/serial.jsonl $DATA/lost-update.jsonl $DATA/serial.jsonl
! isolde: two histories are compared, and of three paths one is right behind --json
= 3
$ isolde compare $DATA/serial.jsonl $DATA/lost-update.jsonl $DATA/serial.jsonl --json
! isolde: two histories are compared, and of three paths one is right behind --json
= 3
$ isolde compare --json=to to $DATA/lost-update.jsonl $DATA/serial.jsonl
! isolde: two histories are compared, and of three paths one is right behind --json
= 3
$ isolde compare --json --html - $DATA/lost-update.jsonl $DATA/serial.jsonl
! isolde: --html - and --json cannot share standard output; give a file to one of them
= 3
$ cp $DATA/serial.jsonl mine.jsonl; isolde compare --json mine.jsonl $DATA/lost-update.jsonl mine.jsonl; isolde compare --html mine.jsonl mine.jsonl mine.jsonl; cmp mine.jsonl $DATA/serial.jsonl
! isolde: mine.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: mine.jsonl is what is read, which is never overwritten; choose another file to write
= 0
$ isolde compare $DATA/lost-update.jsonl missing.jsonl
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
$ isolde compare $DATA/lost-update.jsonl
! isolde: argument b is missing; write at least: isolde compare a b (see isolde compare --help)
= 3
# The page holds the same object.
$ isolde compare --json both.json --html both.html $DATA/lost-update.jsonl $DATA/serial.jsonl | sed -n 4p
|   A shows lost updates, which B does not.
= 0
$ python3 -c 'import json, re; page = open("both.html").read(); found = re.findall("<script type=.application/json. id=.data.>(.*?)</script>", page, re.S); print(len(found), json.loads(found[0]) == json.load(open("both.json")))'
| 1 True
= 0
$ isolde compare --html - $DATA/serial.jsonl $DATA/serial.jsonl | head -1
| <!DOCTYPE html>
= 0
$ isolde compare --html twice --json twice $DATA/serial.jsonl $DATA/serial.jsonl; ls twice 2>&1 | sed "s/.*: //"
| No such file or directory
! isolde: twice is written twice; choose another file for one of them
= 0
$ isolde compare --html - --json - $DATA/serial.jsonl $DATA/serial.jsonl
! isolde: --html - and --json cannot share standard output; give a file to one of them
= 3
$ isolde compare --html missing/both.html $DATA/serial.jsonl $DATA/serial.jsonl > /dev/null
! isolde: missing/both.html: cannot write: No such file or directory
= 4
# What the summary does not name is denied, too, where a level holds that excludes it.
$ isolde compare $DATA/long-fork.jsonl $DATA/serial.jsonl | sed -n '4p; /long forks  /p'
|   A shows long forks, which B does not.
|   long forks                                  occurs           not seen
= 0
