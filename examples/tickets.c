/* Sells tickets from several connections at once, on record for Isolde.
 *
 *     cc tickets.c isolde_pq.c $(pkg-config --cflags --libs isolde libpq) -pthread -o tickets
 *     ./tickets "host=/run/postgresql dbname=shop" tickets.jsonl "REPEATABLE READ" 4 500 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "isolde_pq.h"

enum { SHOWS = 5, TRIES = 100, MOST_CLIENTS = 64 };

static const isolde_pq_table shows = {"show", "id", "sold", NULL};

typedef struct client {
  isolde_pq* pq;
  const char* isolation;
  long sales;
  unsigned seed;
  long counts[ISOLDE_PQ_UNKNOWN + 1]; /* by how a sale went */
} client;

/* One ticket for the show of two that has sold less. */
static int sell(isolde_pq* pq, void* user) {
  client* me = user;
  char keys[2][16];
  long sold[2];
  const int first = rand_r(&me->seed) % SHOWS;
  const int second = (first + 1 + rand_r(&me->seed) % (SHOWS - 1)) % SHOWS;
  snprintf(keys[0], sizeof keys[0], "%d", first);
  snprintf(keys[1], sizeof keys[1], "%d", second);
  for (int i = 0; i < 2; ++i) {
    const char* value = NULL;
    if (isolde_pq_read(pq, &shows, keys[i], &value) != ISOLDE_PQ_OK) return 1;
    sold[i] = value == NULL ? 0 : strtol(value, NULL, 10);
  }
  const int chosen = sold[0] <= sold[1] ? 0 : 1;
  char more[24];
  snprintf(more, sizeof more, "%ld", sold[chosen] + 1);
  return isolde_pq_write(pq, &shows, keys[chosen], more) != ISOLDE_PQ_OK;
}

static void* work(void* user) {
  client* me = user;
  for (long i = 0; i < me->sales; ++i) {
    const isolde_pq_status status = isolde_pq_run(me->pq, me->isolation, TRIES, sell, me);
    ++me->counts[status];
    if (status > ISOLDE_PQ_RETRY) fprintf(stderr, "%s\n", isolde_pq_message(me->pq));
  }
  return NULL;
}

static int fail(const char* why) {
  fprintf(stderr, "tickets: %s\n", why);
  return 1;
}

/* What was sold before is on record before anybody sells. */
static isolde_pq* opened(isolde_recorder* recorder, const char* name, PGconn* connection) {
  isolde_pq* pq = isolde_pq_open(recorder, name, connection);
  if (pq == NULL) fputs(PQerrorMessage(connection), stderr);
  return pq;
}

int main(int argc, char** argv) {
  if (argc != 6) return fail("usage: tickets CONNINFO HISTORY ISOLATION CLIENTS SALES");
  const long count = strtol(argv[4], NULL, 10);
  if (count < 1 || count > MOST_CLIENTS) return fail("1 to 64 clients");
  const char* const names[] = {"database", "isolation"};
  const char* const texts[] = {"PostgreSQL", argv[3]};
  isolde_recorder* recorder = NULL;
  char* error = NULL;
  if (isolde_recorder_open(argv[2], names, texts, 2, 1, &recorder, &error) != ISOLDE_OK) {
    return fail(error);
  }
  static PGconn* connections[MOST_CLIENTS];
  static client clients[MOST_CLIENTS];
  pthread_t threads[MOST_CLIENTS];
  for (long i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "client %ld", i + 1);
    connections[i] = PQconnectdb(argv[1]);
    clients[i].pq = opened(recorder, name, connections[i]);
    if (clients[i].pq == NULL) return fail("no connection");
    clients[i].isolation = argv[3];
    clients[i].sales = strtol(argv[5], NULL, 10);
    clients[i].seed = (unsigned)i;
  }
  if (isolde_pq_existing_rows(clients[0].pq, &shows) != ISOLDE_PQ_OK) {
    return fail(isolde_pq_message(clients[0].pq));
  }
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, &clients[i]);
  long counts[ISOLDE_PQ_UNKNOWN + 1] = {0};
  for (long i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    for (int status = 0; status <= ISOLDE_PQ_UNKNOWN; ++status) {
      counts[status] += clients[i].counts[status];
    }
    isolde_pq_close(clients[i].pq);
    PQfinish(connections[i]);
  }
  printf("%ld sold, %ld given up, %ld failed, %ld lost, %ld unknown\n", counts[ISOLDE_PQ_OK],
         counts[ISOLDE_PQ_RETRY], counts[ISOLDE_PQ_FAILED], counts[ISOLDE_PQ_LOST],
         counts[ISOLDE_PQ_UNKNOWN]);
  const isolde_status closed = isolde_recorder_close(recorder, &error);
  isolde_recorder_free(recorder);
  return closed == ISOLDE_OK ? 0 : fail(error);
}
