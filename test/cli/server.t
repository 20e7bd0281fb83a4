# The kinds, and what cannot be started.
$ isolde server
| postgres          PostgreSQL                                    1 node   postgresql
| postgres-replica  PostgreSQL, a primary and streaming replicas  2 nodes  postgresql
| mariadb           MariaDB, one server                           1 node   mariadb-server
| mariadb-replica   MariaDB, a primary and replicas               2 nodes  mariadb-server
| galera            MariaDB, a Galera cluster                     3 nodes  mariadb-server galera-4 rsync
| redis             Redis on a unix socket                        1 node   redis-server
| redis-replica     Redis, a primary and replicas                 2 nodes  redis-server
| etcd              etcd, one node                                1 node   etcd-server
| etcd-cluster      etcd, a cluster                               3 nodes  etcd-server
= 0
$ isolde server oracle
! isolde: unknown kind of server 'oracle'; expected one of postgres, postgres-replica, mariadb, mariadb-replica, galera, redis, redis-replica, etcd, etcd-cluster
= 3
$ isolde server redis --set nonsense
! isolde: --set nonsense: expected NAME=VALUE
= 3
$ isolde server redis --set =1
! isolde: --set =1: expected NAME=VALUE
= 3
$ isolde server redis --set nodes=3
! isolde: redis has one node; leave out nodes
= 3
$ isolde server etcd-cluster --set nodes=many
! isolde: nodes=many: expected a number from 1 to 9
= 3
$ isolde server postgres --set port=5432
! isolde: the setting port of postgres cannot be set: Isolde sets it itself
= 3
$ for kind in redis redis-replica; do isolde server $kind --set requirepass=s3cr3t; isolde run --server $kind --set aclfile=/x --workload mini --no-record; done
! isolde: the setting requirepass of redis cannot be set: who may use the server is Isolde's to say (SECURITY.md, "Private servers"); for one with a password of yours give --db
! isolde: the setting aclfile of redis cannot be set: who may use the server is Isolde's to say (SECURITY.md, "Private servers"); for one with a password of yours give --db
! isolde: the setting requirepass of redis-replica cannot be set: who may use the server is Isolde's to say (SECURITY.md, "Private servers"); for one with a password of yours give --db
! isolde: the setting aclfile of redis-replica cannot be set: who may use the server is Isolde's to say (SECURITY.md, "Private servers"); for one with a password of yours give --db
= 3
$ isolde server redis --set durable=yes
! isolde: durable=yes: expected 0 or 1
= 3
$ isolde server redis --set bin=/nowhere
! isolde: redis needs redis-server, which is not in /nowhere (setting bin)
= 4
$ isolde server redis --timeout 0
! isolde: --timeout: 0 is not between 100ms and 1000000s (see isolde server --help)
= 3
# From start to end: the DSN first, then Ctrl-C, and nothing is left. (Without Redis, what it says.)
$ r() { rm -f dsn err; isolde server redis >dsn 2>err & p=$!; until grep -qs stops err || ! kill -0 $p; do sleep 0.05; done; kill -TERM $p; wait $p; echo "exit code $?"; sed 's/%2F.*sock/SOCKET/' dsn; d=$(sed -n 's/^data and logs: \(.*\), removed at the end/\1/p' err); [ -n "$d" ] && [ ! -e "$d" ] && echo 'folder removed'; }; if command -v redis-server >/dev/null; then r; else printf 'exit code 0\nredis://SOCKET\nfolder removed\n'; fi
| exit code 0
| redis://SOCKET
| folder removed
= 0
# Its folder stays when it was given, and so does its log.
$ r() { rm -f dsn err; isolde server redis --folder new >dsn 2>err & p=$!; until grep -qs stops err || ! kill -0 $p; do sleep 0.05; done; kill -INT $p; wait $p; echo "exit code $?"; ls new; isolde server redis --folder new 2>&1; true; }; if command -v redis-server >/dev/null; then r; else printf 'exit code 0\nn1\nn1.log\nisolde: the folder new is not empty; a new server needs a new folder\n'; fi
| exit code 0
| n1
| n1.log
| isolde: the folder new is not empty; a new server needs a new folder
= 0
