# A violation is held against the archive of what came; bundles and archives in which something was changed are the
# subject of archive_bundle_test.py.
$ isolde gen --workload blindw-rw --txns 300000 --sessions 24 --seed 9 --fault stale-read --fault-after 0.7 --to native-binary --out stale.isob
= 0
$ isolde watch stale.isob --archive stale.kept --bundle bundle.jsonl --certificate bundle.proof | sed -n 3p
|   strict-serializable  violated
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 0
$ isolde verify bundle.proof bundle.jsonl --archive stale.kept
| proved: strict-serializable is violated, by an argument of 2 steps
| The archive has all of its 10 transactions as the bundle has them; nobody else in it wrote what they read, and keys held at the start what the bundle says.
| Its 1 file has the digests of the chain; the order there explains 110,117 transactions.
| The chain ends with f1ed42cbcaaf7e1da42ca0d5fc8ba878bf15c619c2b9692de7101a3ba043f5df.
= 0
$ isolde watch stale.isob --archive last --archive-file-size 1M --archive-keep-size 1M | sed -n 3p; isolde verify bundle.proof bundle.jsonl --archive last
|   strict-serializable  violated
| proved: strict-serializable is violated, by an argument of 2 steps
| The archive has 10 of its 10 transactions as the bundle has them, and nobody else in it wrote what they read.
| What came before transaction 131,073 was deleted and can no longer be verified: who wrote there what they read, and what keys held at the start.
| Its 1 file has the digests of the chain; no order was settled there.
| The chain ends with 3689ff6d46ee23f93e5a4f426a1f6cdc71427cb00f15b48c5a38d767a681c002.
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 0
$ isolde gen --workload list-append --txns 4000 --sessions 16 --seed 2 --to native-binary --out fine.isob; isolde watch fine.isob --archive fine --segments fine.segments | sed -n 3p; isolde verify bundle.proof bundle.jsonl --archive fine
|   strict-serializable  holds
| not proved: strict-serializable is violated, by an argument of 2 steps: the bundle is no part of the archive: #222,710 is not in the archive, which has 4841 transactions
= 1
$ sed 's/"end":/"end":1/' bundle.jsonl > other.jsonl; isolde verify bundle.proof other.jsonl --archive stale.kept
| not proved: strict-serializable is violated, by an argument of 2 steps: the certificate is about another history (the digests differ)
= 1
$ cp -r last changed; echo >> changed/131072.segments; isolde verify bundle.proof bundle.jsonl --archive changed
| not proved: strict-serializable is violated, by an argument of 2 steps: the archive is wrong: 131072.segments was changed: the chain has another digest of it
= 1
$ isolde verify stale.kept --archive stale.kept; isolde verify fine.segments fine.isob --archive fine; isolde check --level strict-serializable fine.isob --certificate fine.proof > report; isolde verify fine.proof fine.isob --archive fine; isolde verify bundle.proof bundle.jsonl --archive .; isolde verify bundle.proof bundle.jsonl --archive nowhere
! isolde: stale.kept is no proof of a violation; --archive is for the bundle and certificate of one that watch found
! isolde: fine.segments is no proof of a violation; --archive is for the bundle and certificate of one that watch found
! isolde: fine.proof is no proof of a violation; --archive is for the bundle and certificate of one that watch found
! isolde: . is no archive: a folder that watch --archive wrote has a file chain; give that folder
! isolde: nowhere is no archive: a folder that watch --archive wrote has a file chain; give that folder
= 3
# A watch that was killed: the last file is not in the chain.
$ head -n -1 last/chain > chain; cp chain last/chain; isolde verify bundle.proof bundle.jsonl --archive last
| proved: strict-serializable is violated, by an argument of 2 steps
| The archive has 10 of its 10 transactions as the bundle has them, and nobody else in it wrote what they read.
| What came before transaction 131,073 was deleted and can no longer be verified: who wrote there what they read, and what keys held at the start.
| Its 1 file has the digests of the chain, but for the last one, which is not complete; no order was settled there.
| The chain ends with ce8fc7f114ea29a4aff26763dc9f2c385298cc384508eb2e25f0b0f0b0489efb.
= 0
# Of some keys.
$ isolde watch stale.isob --keys '[1-4]*' --archive some --archive-file-size 1M --bundle some.jsonl --certificate some.proof | sed -n 3p; isolde verify some.proof some.jsonl --archive some; isolde verify some.proof some.jsonl --archive stale.kept
|   strict-serializable  violated
| proved: strict-serializable is violated, by an argument of 2 steps
| The archive has all of its 7 transactions as the bundle has them; nobody else in it wrote what they read, and keys held at the start what the bundle says.
| Its 2 files have the digests of the chain; the order there explains 110,117 transactions.
| The chain ends with 21777616f2403a68853d535f2c446c5061964f8abd1b4acab4345e651710e7fd.
| not proved: strict-serializable is violated, by an argument of 2 steps: the bundle is no part of the archive: #214,166 has another number of operations in the archive
! isolde: suspected, which is no verdict yet: no order was found of #114,689 to #262,144, from 6.073 s to 13.892 s of the history, because of #222,111, #222,679 and #222,710; a violation that stands by itself is looked for
= 1
$ isolde watch fine.isob --keys '*[13579]' --archive odd | sed -n 3p; isolde verify odd
|   strict-serializable  holds
| proved: strict-serializable holds of the keys like *[13579], by an order of 4000 transactions in 1 file
| The chain ends with bba6e340e5082756b814d2587b0b56870659d46e4f6c80596d629a426256c0a1.
= 0
