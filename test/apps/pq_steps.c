/* Each call of examples/isolde_pq.h once; apps_test.py reads what is on record then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isolde_pq.h"

#define EXPECT(wanted, call)                                         \
  do {                                                               \
    const int got = (int)(call);                                     \
    if (got == (int)(wanted)) break;                                 \
    fprintf(stderr, "line %d: %s gives %d\n", __LINE__, #call, got); \
    exit(1);                                                         \
  } while (0)

static const isolde_pq_table things = {"thing", "id", "note", "note of thing"};

static int refuse(isolde_pq* pq, void* user) {
  (void)user;
  EXPECT(ISOLDE_PQ_OK, isolde_pq_write(pq, &things, "1", "never"));
  return 1;
}

static void statement(PGconn* connection, const char* text) {
  PQclear(PQexec(connection, text));
}

/* Two that met: the second one's commit or write is refused, and it runs again. */
static int calls = 0;
static int meet(isolde_pq* pq, void* user) {
  const char* value = NULL;
  if (isolde_pq_read(pq, &things, "1", &value) != ISOLDE_PQ_OK) return 1;
  if (calls++ == 0) {
    isolde_pq* other = user;
    EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(other, NULL));
    EXPECT(ISOLDE_PQ_OK, isolde_pq_write(other, &things, "1", "other"));
    EXPECT(ISOLDE_PQ_OK, isolde_pq_commit(other));
  }
  return isolde_pq_write(pq, &things, "1", "met") != ISOLDE_PQ_OK;
}

int main(int argc, char** argv) {
  isolde_recorder* recorder = NULL;
  char* error = NULL;
  const char* value = NULL;
  if (argc != 3) return 2;
  EXPECT(ISOLDE_OK, isolde_recorder_open(argv[2], NULL, NULL, 0, 1, &recorder, &error));
  PGconn* connections[2] = {PQconnectdb(argv[1]), PQconnectdb(argv[1])};
  isolde_pq* a = isolde_pq_open(recorder, "a", connections[0]);
  isolde_pq* b = isolde_pq_open(recorder, "b", connections[1]);
  EXPECT(1, a != NULL && b != NULL);
  EXPECT(ISOLDE_PQ_FAILED, isolde_pq_commit(a)); /* of nothing */
  EXPECT(ISOLDE_PQ_OK, isolde_pq_existing_rows(a, &things));

  EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(a, "SERIALIZABLE"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_read(a, &things, "1", &value));
  EXPECT(0, strcmp(value, "first"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_read(a, &things, "2", &value));
  EXPECT(1, value == NULL);
  /* So that its own number is past the end of its snapshot. */
  statement(connections[1], "SELECT pg_current_xact_id()");
  EXPECT(ISOLDE_PQ_NO_ROW, isolde_pq_read(a, &things, "3", &value));
  EXPECT(ISOLDE_PQ_NO_ROW, isolde_pq_write(a, &things, "3", "x"));
  EXPECT(ISOLDE_PQ_NO_ROW, isolde_pq_delete(a, &things, "3"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_insert(a, &things, "003", "padded"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_read_for_update(a, &things, "03", &value));
  EXPECT(0, strcmp(value, "padded"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_write(a, &things, "2", "second"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_write(a, &things, "1", NULL));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_delete(a, &things, "3"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_commit(a));

  /* A row is inserted twice: the transaction is over, and the next one works. */
  EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(a, NULL));
  EXPECT(ISOLDE_PQ_FAILED, isolde_pq_insert(a, &things, "1", "again"));
  EXPECT(1, strstr(isolde_pq_message(a), "duplicate key") != NULL);
  EXPECT(ISOLDE_PQ_FAILED, isolde_pq_read(a, &things, "1", &value));
  EXPECT(ISOLDE_PQ_FAILED, isolde_pq_commit(a));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_run(a, NULL, 1, refuse, NULL));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_run(a, "REPEATABLE READ", 3, meet, b));
  EXPECT(2, calls);

  /* The server ends the connection under it, and the next transaction has another one. */
  EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(b, NULL));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_write(b, &things, "2", "lost"));
  char text[80];
  snprintf(text, sizeof text, "SELECT pg_terminate_backend(%d, 5000)",
           PQbackendPID(connections[1]));
  statement(connections[0], text);
  EXPECT(ISOLDE_PQ_LOST, isolde_pq_write(b, &things, "1", "lost"));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(b, NULL));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_write(b, &things, "2", "perhaps"));
  snprintf(text, sizeof text, "SELECT pg_terminate_backend(%d, 5000)",
           PQbackendPID(connections[1]));
  statement(connections[0], text);
  EXPECT(ISOLDE_PQ_UNKNOWN, isolde_pq_commit(b));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_begin(b, NULL));
  EXPECT(ISOLDE_PQ_OK, isolde_pq_read(b, &things, "2", &value));
  EXPECT(0, strcmp(value, "second"));
  isolde_pq_close(b); /* in a transaction */
  isolde_pq_close(a);
  for (int i = 0; i < 2; ++i) PQfinish(connections[i]);
  EXPECT(ISOLDE_OK, isolde_recorder_close(recorder, &error));
  isolde_recorder_free(recorder);
  return 0;
}
