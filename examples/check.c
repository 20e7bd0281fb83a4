/* Checks a history file from C, as `isolde check --level LEVEL FILE` does.
 *
 *     cc check.c $(pkg-config --cflags --libs isolde) && ./a.out history.jsonl serializable */
#include <stdio.h>

#include "isolde/isolde.h"

static int fail(char *error) {
  fprintf(stderr, "%s\n", error);
  isolde_free(error);
  return 3;
}

static int check(const isolde_history *history, const isolde_options *options,
                 const char *level) {
  isolde_report *report = NULL;
  char *error = NULL;
  if (isolde_check(history, options, &report, &error) != ISOLDE_OK) return fail(error);
  char *text = isolde_report_render(report, "text", &error);
  if (text == NULL) return fail(error);
  fputs(text, stdout);
  isolde_free(text);
  const isolde_verdict verdict = isolde_report_verdict(report, level);
  isolde_report_free(report);
  return verdict == ISOLDE_HOLDS ? 0 : verdict == ISOLDE_VIOLATED ? 1 : 2;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s HISTORY LEVEL\n", argv[0]);
    return 3;
  }
  char *error = NULL;
  isolde_options *options = isolde_options_new();
  isolde_options_seconds(options, 60);
  if (isolde_options_level(options, argv[2], &error) != ISOLDE_OK) return fail(error);
  isolde_history *history = NULL;
  if (isolde_load(argv[1], options, &history, &error) != ISOLDE_OK) return fail(error);
  const int code = check(history, options, argv[2]);
  isolde_history_free(history);
  isolde_options_free(options);
  return code;
}
