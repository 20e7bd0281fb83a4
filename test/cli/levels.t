# The table of levels, one level in detail, and what a wrong name gives.
$ isolde levels
| strict-serializable                  sser       one transaction after the other, and never before one that had ended when it started
| strong-session-serializable          ssser      one transaction after the other, each session in its own order
| serializable                         ser        equal to running the transactions one after the other in some order
| strong-snapshot-isolation            strong-si  snapshot isolation where a snapshot holds everything that had ended when it was taken
| strong-session-snapshot-isolation    sssi       snapshot isolation where a session's snapshots hold its own earlier transactions
| snapshot-isolation                   si         each transaction reads one snapshot, and no two that overlap write the same key
| strong-session-monotonic-atomic-view ssmav      once a transaction has seen part of another, its later reads see all of it
| read-committed                       rc         only final values of committed transactions are read, and not in a circle
= 0
$ isolde levels ser
| serializable
|   equal to running the transactions one after the other in some order
|
| Short name: ser
| The order inside each session binds: no
| Real time as clients see it binds: no
|
| A history at this level is also at:
|   snapshot-isolation
|   read-committed
|
| This level is implied by:
|   strict-serializable
|   strong-session-serializable
= 0
$ isolde levels strict-serializable
| strict-serializable
|   one transaction after the other, and never before one that had ended when it started
|
| Short name: sser
| The order inside each session binds: no
| Real time as clients see it binds: yes; needs start and end times in the history
|
| A history at this level is also at:
|   serializable
|   strong-snapshot-isolation
|   snapshot-isolation
|   read-committed
|
| This level is implied by: none of the others
= 0
$ isolde levels nothing
! isolde: unknown level 'nothing'; the known names are strict-serializable, strong-session-serializable, serializable, strong-snapshot-isolation, strong-session-snapshot-isolation, snapshot-isolation, strong-session-monotonic-atomic-view and read-committed
= 3
