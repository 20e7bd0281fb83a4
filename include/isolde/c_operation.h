/* Operations for C, as isolde.h takes them: what clients sent and saw. A struct owns nothing;
 * what it points to is the caller's, and is copied before the call with it returns. */
#ifndef ISOLDE_C_OPERATION_H
#define ISOLDE_C_OPERATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum isolde_value_kind {
  ISOLDE_NULL = 0, /* the initial value */
  ISOLDE_INTEGER = 1,
  ISOLDE_TEXT = 2,
  ISOLDE_LITERAL = 3 /* another JSON scalar by its text: 0.5, true */
} isolde_value_kind;

typedef struct isolde_value {
  int kind;         /* isolde_value_kind */
  int64_t number;   /* ISOLDE_INTEGER */
  const char* text; /* ISOLDE_TEXT, ISOLDE_LITERAL; needs no zero byte at its end */
  size_t length;    /* of text, in bytes */
} isolde_value;

typedef enum isolde_operation_kind {
  ISOLDE_READ = 0,           /* of a register: key, value or those columns that it told */
  ISOLDE_WRITE = 1,          /* of a register: key, value or all columns */
  ISOLDE_APPEND = 2,         /* to a list: key, value */
  ISOLDE_READ_LIST = 3,      /* key, elements */
  ISOLDE_READ_UNKNOWN = 4,   /* whose result never came: key */
  ISOLDE_READ_NOT = 5,       /* that only showed that the value is another one: key, value */
  ISOLDE_SELECT = 6,         /* of all rows that match: condition, rows */
  ISOLDE_DELETE = 7,         /* of a register, a row: key */
  ISOLDE_AGGREGATE = 8,      /* what a statement computed of all rows that match: condition,
                                aggregate */
  ISOLDE_INCREMENT = 9,      /* of the number in a register: key, value is what is added, sum */
  ISOLDE_INSERT_REFUSED = 11 /* that failed, for there was a row with that key: key */
} isolde_operation_kind;

/* What a column or the key holds, by SQL's rules: null passes no test but that for null. Each
 * part that is there must hold; with none of them: anything but null. */
typedef struct isolde_test {
  const char* column; /* its name; NULL: the row's key */
  int is_null;        /* not 0: it holds null; then nothing else is asked */
  int has_min, has_max;
  int64_t min, max; /* included, and from -2^61 to 2^61 - 1 */
  int has_in;
  const isolde_value* in; /* one of these */
  size_t in_count;
  const isolde_value* not_in; /* none of these */
  size_t not_in_count;
} isolde_test;

/* Each part that is there must hold. Bounds are included, and from -2^61 to 2^61 - 1. Rows with
 * columns lie within no bounds of values, and no value equals them. */
typedef struct isolde_condition {
  int has_keys;
  int64_t min_key, max_key;
  int has_values;
  int64_t min_value, max_value;
  isolde_value equal;       /* ISOLDE_NULL: any value */
  const isolde_test* tests; /* one of each column at most; one of the key, or else keys above */
  size_t test_count;
} isolde_condition;

/* A column of a row. ISOLDE_NULL: it holds null, or the row has no such column. */
typedef struct isolde_column {
  const char* name; /* any but "not" */
  isolde_value value;
} isolde_column;

/* What a selection returned: the row's value, or those of its columns that it told; with
 * neither, the key alone. */
typedef struct isolde_row {
  isolde_value key;
  isolde_value value;
  const isolde_column* columns;
  size_t column_count;
  const isolde_value* version; /* as isolde_operation's */
} isolde_row;

typedef enum isolde_aggregate_kind {
  ISOLDE_COUNT = 0,  /* how many there are */
  ISOLDE_EXISTS = 1, /* whether there are any: 1 or 0 */
  ISOLDE_SUM = 2,    /* of what the column holds, as ISOLDE_MIN and ISOLDE_MAX */
  ISOLDE_MIN = 3,
  ISOLDE_MAX = 4
} isolde_aggregate_kind;

/* What a statement computed of the rows that its condition selects. As in SQL, rows whose
 * column holds null are in no sum, minimum or maximum. */
typedef struct isolde_aggregate {
  int kind;           /* isolde_aggregate_kind */
  const char* column; /* of a sum, minimum or maximum: its name; NULL: the values themselves */
  int has_result;     /* 0: null, of no rows, which a count and a test of existence never are */
  int64_t result;
} isolde_aggregate;

/* How a statement locked what it read: FOR SHARE, FOR UPDATE. It changes no verdict. */
typedef enum isolde_lock {
  ISOLDE_NO_LOCK = 0,
  ISOLDE_SHARE_LOCK = 1,
  ISOLDE_UPDATE_LOCK = 2
} isolde_lock;

/* A compare-and-set is an ISOLDE_READ of what was expected and an ISOLDE_WRITE; one that has
 * failed is an ISOLDE_READ of what was found, or ISOLDE_READ_NOT of what was expected.
 *
 * Fill it with zeros, then set `size` and what the kind mentions. */
typedef struct isolde_operation {
  size_t size; /* sizeof(isolde_operation), so that later versions know what is there */
  int kind;    /* isolde_operation_kind */
  isolde_value key;
  isolde_value value;
  const isolde_value* elements;
  size_t element_count;
  const isolde_condition* condition;
  const isolde_row* rows;
  size_t row_count;
  int has_columns; /* not 0: a row in place of `value`, with these columns, perhaps none */
  const isolde_column* columns;
  size_t column_count; /* 0 unless has_columns */
  /* ISOLDE_READ, ISOLDE_WRITE, ISOLDE_DELETE: the database's own name of the version that was
   * read or written, such as PostgreSQL's xmin or etcd's revision; NULL: unknown */
  const isolde_value* version;
  const isolde_aggregate* aggregate; /* ISOLDE_AGGREGATE */
  int lock; /* isolde_lock; ISOLDE_READ, ISOLDE_READ_LIST, ISOLDE_READ_NOT, ISOLDE_SELECT */
  /* ISOLDE_INCREMENT: what became of the number, an integer; NULL: unknown */
  const isolde_value* sum;
} isolde_operation;

typedef enum isolde_outcome {
  ISOLDE_COMMITTED = 0,    /* the client was told so */
  ISOLDE_ABORTED = 1,      /* the client was told so, or rolled back */
  ISOLDE_INDETERMINATE = 2 /* the client does not know */
} isolde_outcome;

#ifdef __cplusplus
}
#endif

#endif
