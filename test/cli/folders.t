# A folder that is no history itself: each file in it, in the order of their names.
$ mkdir runs && cp $DATA/serial.jsonl runs/run10.jsonl && cp $DATA/write-skew.jsonl runs/run2.jsonl && gzip -c $DATA/long-fork.jsonl >runs/run9.jsonl.gz && mkdir runs/old
= 0
$ isolde check --level serializable --json runs | grep -o '^{"schema":1,"file":"[^"]*"\|"serializable":{"verdict":"[a-z]*"'
| {"schema":1,"file":"runs/run2.jsonl"
| "serializable":{"verdict":"violated"
| {"schema":1,"file":"runs/run9.jsonl.gz"
| "serializable":{"verdict":"violated"
| {"schema":1,"file":"runs/run10.jsonl"
| "serializable":{"verdict":"holds"
= 0
$ isolde check --level serializable --dot picture --certificate proof runs >report; echo $?; grep -c '^runs/' report; ls
| 1
| 3
| picture.1.dot
| picture.2.dot
| proof.1.serializable.jsonl
| proof.2.serializable.jsonl
| proof.3.serializable.jsonl
| report
| runs
= 0
# It is as if they had been given by name.
$ isolde check --level serializable --dot picture --certificate proof runs/run2.jsonl runs/run9.jsonl.gz runs/run10.jsonl | cmp - report
= 0
# What is none by its name or its first bytes is left out, and that is said.
$ cp proof.1.serializable.jsonl runs; echo hello >runs/README.md; echo >runs/plot.PNG; isolde check --level serializable --json runs/run10.jsonl >runs/report.json; isolde check --level serializable --html runs/report.html runs | grep '^runs/'; isolde check --level serializable --html runs/report.html runs >quiet.txt; echo $?
| runs/run2.jsonl: native, 2 sessions, 2 transactions, 6 operations, 2 keys
| runs/run9.jsonl.gz: native, 4 sessions, 4 transactions, 6 operations, 2 keys
| runs/run10.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
| 1
! isolde: left out, no histories by their names or first bytes: runs/README.md, runs/plot.PNG, runs/proof.1.serializable.jsonl, runs/report.json
! isolde: left out, no histories by their names or first bytes: runs/README.md, runs/plot.PNG, runs/proof.1.serializable.jsonl, runs/report.html.1.html, runs/report.html.2.html, runs/report.html.3.html, runs/report.json
= 0
$ mkdir none && cp runs/README.md none; isolde check none; isolde check none/README.md
! isolde: none: is no history, and no file in it is one by its name and first bytes: README.md; name the file that is one all the same, or a folder with files of one of the formats native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
! isolde: none/README.md: no format recognises this input; name one of them with --format: native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 3
$ rm runs/report.* runs/README.md runs/plot.PNG runs/proof*
= 0
# One that claims to be a history and is broken is not.
$ echo '{"isolde":1,"kind":"history"}x' >runs/broken.jsonl; isolde check --level serializable runs >out.txt; echo $?; rm runs/broken.jsonl
| 3
! isolde: runs/broken.jsonl:1: the first line is not a header; it must be {"isolde":1,"kind":"history"}
= 0
# Other files are not passed over, or a history could go unchecked.
$ echo 'Dear diary' >runs/notes.txt; isolde check --level serializable runs | grep '^runs/'
| runs/run2.jsonl: native, 2 sessions, 2 transactions, 6 operations, 2 keys
| runs/run9.jsonl.gz: native, 4 sessions, 4 transactions, 6 operations, 2 keys
| runs/run10.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
! isolde: runs/notes.txt: no format recognises this input; name one of them with --format: native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 0
$ isolde check --level serializable runs $DATA/serial.jsonl | grep -c '^  serializable'
| 4
! isolde: runs/notes.txt: no format recognises this input; name one of them with --format: native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 0
# What is in the folder is not overwritten.
$ isolde check --level serializable --dot runs/run2.jsonl runs
! isolde: runs/run2.jsonl is what is read, which is never overwritten; choose another file to write
= 3
$ cmp runs/run2.jsonl $DATA/write-skew.jsonl
= 0
# A folder of one history is that history.
$ mkdir one && cp $DATA/serial.jsonl one && isolde check --level serializable --certificate one.proof one | head -1; isolde verify one.proof one/serial.jsonl
| one/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
| proved: serializable holds, by an order of 3 transactions
= 0
# A folder with a file for each session is one history still, unless another format is asked for.
$ mkdir viper && printf '{"value": [["w", 1, 8, true]]}\n' >viper/J0.log && printf '{"value": [["r", 1, 8, true]]}\n' >viper/J1.log
= 0
$ isolde check --level serializable viper | head -1
| viper: viper, 2 sessions, 2 transactions, 2 operations, 1 key
= 0
$ isolde check --level serializable --format viper viper | head -1
| viper: viper, 2 sessions, 2 transactions, 2 operations, 1 key
= 0
$ isolde check --level serializable --format plume viper
! isolde: viper/J0.log:1: found '{"value":'; expected r(key,value,session,txn) or w(key,value,session,txn)
! isolde: viper/J1.log:1: found '{"value":'; expected r(key,value,session,txn) or w(key,value,session,txn)
= 3
# A run that Jepsen stored.
$ mkdir -p 'store/etcd/20260101T000000' && ln -s etcd/20260101T000000 store/latest && echo '{:type :ok :f :txn :value [[:w 1 2]] :process 0}' >store/latest/history.edn && touch store/latest/test.jepsen store/latest/jepsen.log store/latest/history.txt
= 0
$ isolde check --level serializable store/latest | head -1
| store/latest/history.edn: jepsen, 1 session, 1 transaction, 1 operation, 1 key
= 0
$ isolde stats store/etcd/20260101T000000 | head -1
| store/etcd/20260101T000000/history.edn: jepsen
= 0
$ isolde check store
! isolde: store: has no files; name one of the folders in it, for example store/latest
= 3
$ isolde stats store
! isolde: store: has no files; name one of the folders in it, for example store/latest
= 3
# Without that link it is the run that comes last by its name, of whatever test; links are not followed.
$ for run in bank/20260102T000000 bank/20260103T000000 set/20251231T000000 bank/20260109T000000/empty; do mkdir -p old/$run; done; cp store/latest/history.edn old/bank/20260102T000000; cp store/latest/history.edn old/bank/20260103T000000; cp store/latest/history.edn old/set/20251231T000000; ln -s ../bank old/set/20270101T000000; isolde check old/bank; isolde check old/; isolde check old/set
! isolde: old/bank: has no files; name one of the folders in it, for example old/bank/20260103T000000
! isolde: old/: has no files; name one of the folders in it, for example old/bank/20260103T000000
! isolde: old/set: has no files; name one of the folders in it, for example old/set/20251231T000000
= 3
$ mkdir -p runs10/run9 runs10/run10 runs10/.run11 runs10/run12 && for run in run9 run10 .run11; do cp $DATA/serial.jsonl runs10/$run; done; touch runs10/run12/log; isolde stats runs10; isolde check --level ser runs10/run10 | head -1
| runs10/run10/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
! isolde: runs10: has no files; name one of the folders in it, for example runs10/run10
= 0
$ mkdir -p deep/1/2/3/4/5 && cp $DATA/serial.jsonl deep/1/2/3/4/5 && isolde check deep; cp $DATA/serial.jsonl deep/1/2/3 && isolde check deep
! isolde: deep: the directory has no non-empty files; expected the files of one history (subdirectories are not searched)
! isolde: deep: has no files; name one of the folders in it, for example deep/1/2/3
= 3
$ mv store/latest/history.edn history.edn; echo '0	:invoke	:read	nil' >store/latest/history.txt; echo JEPSEN >store/latest/test.jepsen
= 0
$ isolde check store/latest
! isolde: store/latest/test.jepsen: is a run that Jepsen stored without history.edn, which is what can be read; write it with (jepsen.store/write-history! TEST) in Jepsen's REPL, TEST as from (jepsen.store/latest)
= 3
$ isolde convert --to native store/latest -
! isolde: store/latest/test.jepsen: is a run that Jepsen stored without history.edn, which is what can be read; write it with (jepsen.store/write-history! TEST) in Jepsen's REPL, TEST as from (jepsen.store/latest)
= 3
# Jepsen's own store is not read, whatever stands beside it.
$ isolde check store/latest/test.jepsen
! isolde: store/latest/test.jepsen: is Jepsen's own store of a run, which is not read; give history.edn beside it, or the folder; where there is none, write it with (jepsen.store/write-history! TEST) in Jepsen's REPL, TEST as from (jepsen.store/latest)
= 3
$ rm store/latest/test.jepsen; isolde check store/latest
! isolde: store/latest/history.txt: is a run that Jepsen stored without history.edn, which is what can be read; write it with (jepsen.store/write-history! TEST) in Jepsen's REPL, TEST as from (jepsen.store/latest)
= 3
# What is no folder of anything.
$ mkdir nothing; isolde check nothing
! isolde: nothing: the directory has no non-empty files; expected the files of one history (subdirectories are not searched)
= 3
$ isolde check nowhere
! isolde: nowhere: cannot be read: No such file or directory; check the path
= 4
$ isolde check --format nothing runs
! isolde: unknown format 'nothing'; the formats are native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, porcupine-kv, vbox
= 3
